// Checks: objects of CustomResourceDefinitions - pruning, defaults, validation, CEL rules, scale -
// and the definitions themselves.
import { expect } from 'vitest';
import { objectAt, textAt } from '#machines/kubernetes/fields.ts';
import { expectRefusal, metaOf, namesOf, specOf, versionOf } from './session.ts';
import { widget, widgetGroup } from './session.ts';
import type { Suite } from './session.ts';
import { told, watchAt } from './watches.ts';
import { definitionNamed, definitions, installDefinition } from './widgets.ts';

export const customResources: Suite = {
  async 'defaults of the schema are filled in, nested ones too'(s) {
    expect(specOf(await s.widget('a'))).toEqual({
      size: 1,
      replicas: 1,
      color: 'red',
      nested: { level: 7 },
    });
  },

  async 'defaults fill the items of a list'(s) {
    const made = await s.widget('a', { ports: [{ name: 'x' }] });
    expect(specOf(made)['ports']).toEqual([{ name: 'x', protocol: 'TCP' }]);
  },

  async 'unknown fields are pruned, except where they are kept'(s) {
    const made = await s.widget('a', { unknown: 1, free: { any: { thing: [1] } } });
    expect(specOf(made)).not.toHaveProperty('unknown');
    expect(specOf(made)['free']).toEqual({ any: { thing: [1] } });
  },

  async 'unknown fields are refused when asked for strictness'(s) {
    const path = `${s.path('widgets')}?fieldValidation=Strict`;
    const answer = await s.send('POST', path, widget('a', { unknown: 1 }));
    expectRefusal(answer, 400, 'BadRequest', 'strict decoding error: unknown field "spec.unknown"');
  },

  async 'unknown fields are warned of'(s) {
    const path = `${s.path('widgets')}?fieldValidation=Warn`;
    const answer = await s.send('POST', path, widget('a', { unknown: 1 }));
    expect(answer.headers['warning']).toContain('unknown field \\"spec.unknown\\"');
  },

  async 'a wrong type is invalid'(s) {
    const answer = await s.send('POST', s.path('widgets'), widget('a', { size: 'big' }));
    const message = 'spec.size: Invalid value: "string": spec.size in body must be of type integer';
    expectRefusal(answer, 422, 'Invalid', message);
  },

  async 'a missing required field is invalid'(s) {
    const body = { ...widget('a'), spec: {} };
    const answer = await s.send('POST', s.path('widgets'), body);
    expectRefusal(answer, 422, 'Invalid', 'spec.size: Required value');
  },

  async 'limits, patterns and enumerations hold'(s) {
    const refused = async (spec: object, message: string): Promise<void> => {
      const answer = await s.send('POST', s.path('widgets'), widget('a', { ...spec }));
      expectRefusal(answer, 422, 'Invalid', message);
    };
    await refused({ size: -1 }, 'should be greater than or equal to 0');
    await refused({ color: 'pink' }, 'Unsupported value: "pink": supported values: "red", "green"');
    await refused({ code: 'ABC' }, "should match '^[a-z]{3}$'");
    await refused({ tags: ['a', 'b', 'c', 'd', 'e', 'f'] }, 'spec.tags: Too many: 6');
  },

  async 'an item of a set or map may be there once'(s) {
    const set = await s.send('POST', s.path('widgets'), widget('a', { tags: ['a', 'a'] }));
    expectRefusal(set, 422, 'Invalid', 'spec.tags[1]: Duplicate value: "a"');
    const ports = [{ name: 'x' }, { name: 'x' }];
    const map = await s.send('POST', s.path('widgets'), widget('a', { ports }));
    expectRefusal(map, 422, 'Invalid', 'spec.ports[1]: Duplicate value');
  },

  async 'an int-or-string takes both and nothing else'(s) {
    await s.widget('a', { share: 1 });
    await s.widget('b', { share: '50%' });
    const answer = await s.send('POST', s.path('widgets'), widget('c', { share: true }));
    expectRefusal(answer, 422, 'Invalid', 'spec.share');
  },

  async 'a rule over two fields holds'(s) {
    const answer = await s.send('POST', s.path('widgets'), widget('a', { size: 5, limit: 3 }));
    const says = await s.inItsWords('spec: Invalid value: size is above the limit');
    expectRefusal(answer, 422, 'Invalid', says);
    await s.widget('a', { size: 3, limit: 3 });
  },

  async 'a rule over old and new holds on updates only'(s) {
    await s.widget('a', { owner: 'me' });
    const path = s.path('widgets', 'a');
    const answer = await s.tryPatch(path, 'merge', { spec: { owner: 'you' } });
    // Up to 1.34 the type and not the value.
    const said = (await s.minor()) < 35 ? 'string' : 'you';
    const says = `spec.owner: Invalid value: "${said}": owner does not change`;
    expectRefusal(answer, 422, 'Invalid', says);
    await s.patch(path, 'merge', { spec: { size: 4 } });
  },

  async 'null of a field that is not nullable is dropped for the default'(s) {
    const made = await s.widget('a', { color: null, nested: { note: null } });
    expect(specOf(made)['color']).toBe('red');
    expect(objectAt(specOf(made), 'nested')).toEqual({ level: 7, note: null });
  },

  async 'scale shows and sets the replicas'(s) {
    await s.widget('a', { replicas: 2 });
    const status = { replicas: 2, selector: 'app=a' };
    await s.patch(s.path('widgets', 'a', 'status'), 'merge', { status });
    const path = s.path('widgets', 'a', 'scale');
    const scale = await s.get(path);
    expect(scale).toMatchObject({
      kind: 'Scale',
      apiVersion: 'autoscaling/v1',
      spec: { replicas: 2 },
      status,
    });
    const next = await s.done('PUT', path, { ...scale, spec: { replicas: 5 } });
    expect(specOf(next)['replicas']).toBe(5);
    const widgetNow = await s.get(s.path('widgets', 'a'));
    expect(specOf(widgetNow)['replicas']).toBe(5);
    expect(metaOf(widgetNow)['generation']).toBe(2);
    expect(versionOf(widgetNow)).toBe(versionOf(next));
  },

  async 'scale is patched too'(s) {
    await s.widget('a');
    const next = await s.patch(s.path('widgets', 'a', 'scale'), 'merge', { spec: { replicas: 3 } });
    expect(specOf(next)['replicas']).toBe(3);
  },

  async 'objects are listed and watched by their name and namespace'(s) {
    for (const name of ['a', 'b']) await s.widget(name);
    const selected = (selector: string) =>
      `${s.path('widgets')}?fieldSelector=${encodeURIComponent(selector)}`;
    const here = `metadata.namespace=${s.namespace}`;
    for (const selector of ['metadata.name=b', `${here},metadata.name=b`, 'metadata.name!=a']) {
      expect(namesOf(await s.list(selected(selector)))).toEqual(['b']);
    }
    expect(await s.list(selected('metadata.namespace=other'))).toEqual([]);
    const everywhere = `/apis/${widgetGroup}/v1/widgets?fieldSelector=${encodeURIComponent(here)}`;
    expect(namesOf(await s.list(everywhere))).toEqual(['a', 'b']);
    const other = await s.send('GET', selected('spec.size=1'));
    expectRefusal(other, 400, 'BadRequest', 'field label not supported: spec.size');
  },

  async 'a watch of one name begins at 0 with what there is, or after a version'(s) {
    const made = await s.widget('a');
    await s.widget('b');
    const of = (name: string, version: string) =>
      watchAt(
        s,
        `${s.path('widgets')}?fieldSelector=metadata.name%3D${name}&resourceVersion=${version}`,
      );
    const [fromStart, after] = [of('a', '0'), of('a', versionOf(made))];
    await fromStart.came(1);
    await s.patch(s.path('widgets', 'b'), 'merge', { spec: { size: 7 } });
    await s.patch(s.path('widgets', 'a', 'status'), 'merge', { status: { phase: 'x' } });
    await s.send('DELETE', s.path('widgets', 'a'));
    await Promise.all([fromStart.came(3), after.came(2)]);
    for (const { close } of [fromStart, after]) close();
    expect(told(fromStart.events)).toEqual(['ADDED a', 'MODIFIED a', 'DELETED a']);
    expect(told(after.events)).toEqual(['MODIFIED a', 'DELETED a']);
  },

  async 'an object gets a name with the prefix that it wants'(s) {
    const body = { ...widget(''), metadata: { generateName: 'pre-' } };
    const [a, b] = [
      await s.create(s.path('widgets'), body),
      await s.create(s.path('widgets'), body),
    ];
    const [first = '', second = ''] = [...namesOf([a]), ...namesOf([b])];
    expect(first).toMatch(/^pre-[a-z0-9]{5}$/);
    expect(second).not.toBe(first);
    expect(metaOf(a)['generateName']).toBe('pre-');
  },

  async 'a definition is served at once and discovered, and goes with its objects'(s) {
    const plural = `gadget${s.namespace.replaceAll(/[^a-z]/g, '')}s`;
    await installDefinition(s, definitionNamed(plural));
    const base = `/apis/${widgetGroup}/v1`;
    const discovered = await s.get(base);
    expect(JSON.stringify(discovered)).toContain(`"${plural}/status"`);
    const objects = `${base}/namespaces/${s.namespace}/${plural}`;
    const kind = textAt(objectAt(specOf(definitionNamed(plural)), 'names'), 'kind');
    await s.create(objects, { ...widget('a'), kind });
    await s.send('DELETE', `${definitions}/${plural}.${widgetGroup}`);
    await s.eventuallyGone(`${definitions}/${plural}.${widgetGroup}`);
    await s.eventuallyGone(objects);
  },

  async 'a definition whose name does not fit is refused'(s) {
    const body = { ...definitionNamed('doodads'), metadata: { name: 'other.example.com' } };
    const answer = await s.send('POST', definitions, body);
    expectRefusal(answer, 422, 'Invalid', 'must be spec.names.plural+"."+spec.group');
  },
};
