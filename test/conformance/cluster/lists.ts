// Checks: paging, continue tokens, versions of lists, selectors.
import { expect } from 'vitest';
import { numberAt, objectsAt, textAt } from '#machines/kubernetes/fields.ts';
import { expectRefusal, metaOf, namesOf, versionOf } from './session.ts';
import type { Session, Suite } from './session.ts';

async function makeMany(s: Session, count: number): Promise<string[]> {
  const names = Array.from({ length: count }, (_, n) => `cm-${n}`);
  for (const name of names) await s.configMap(name, {}, { labels: { many: 'yes' } });
  return names;
}

const selected = (s: Session, query = ''): string =>
  `${s.path('configmaps')}?labelSelector=many%3Dyes${query}`;
const withToken = (s: Session, token: string, limit = 2): string =>
  selected(s, `&limit=${limit}&continue=${encodeURIComponent(token)}`);

export const lists: Suite = {
  async 'a list in pages shows every object once, in order'(s) {
    const names = await makeMany(s, 7);
    const seen: string[] = [];
    let path = selected(s, '&limit=3');
    for (let page = 0; page < 3; page++) {
      const body = await s.get(path);
      seen.push(...objectsAt(body, 'items').map((item) => textAt(metaOf(item), 'name')));
      path = withToken(s, textAt(metaOf(body), 'continue'), 3);
    }
    expect(seen).toEqual(names.toSorted());
  },

  async 'all pages are of one version'(s) {
    await makeMany(s, 4);
    const first = await s.get(selected(s, '&limit=2'));
    await s.send('DELETE', s.path('configmaps', 'cm-3'));
    const second = await s.get(withToken(s, textAt(metaOf(first), 'continue')));
    expect(versionOf(second)).toBe(versionOf(first));
    expect(namesOf(objectsAt(second, 'items'))).toEqual(['cm-2', 'cm-3']);
  },

  async 'a list says how many are left when nothing is selected'(s) {
    await makeMany(s, 5);
    const body = await s.get(`${s.path('configmaps')}?limit=2`);
    expect(numberAt(metaOf(body), 'remainingItemCount')).toBeGreaterThanOrEqual(3);
  },

  async 'an empty list has a version and no items'(s) {
    const body = await s.get(s.path('leases'));
    expect(body).toMatchObject({
      kind: 'LeaseList',
      apiVersion: 'coordination.k8s.io/v1',
      items: [],
    });
    expect(versionOf(body)).toMatch(/^\d+$/);
  },

  async 'a token that is too old is expired, with a way on'(s) {
    await makeMany(s, 4);
    const first = await s.get(selected(s, '&limit=2'));
    await s.configMap('later');
    await s.compact();
    const answer = await s.send('GET', withToken(s, textAt(metaOf(first), 'continue')));
    expectRefusal(answer, 410, 'Expired', 'The provided continue parameter is too old');
    const token = textAt(metaOf(answer.body), 'continue');
    expect(token).not.toBe('');
    const on = await s.get(withToken(s, token));
    expect(namesOf(objectsAt(on, 'items'))).toEqual(['cm-2', 'cm-3']);
  },

  async 'a token that is no token is refused'(s) {
    const answer = await s.send('GET', `${s.path('configmaps')}?limit=2&continue=nonsense`);
    expectRefusal(answer, 400, 'BadRequest', 'continue key is not valid');
  },

  async 'a list at an exact version is that of then'(s) {
    await makeMany(s, 2);
    const version = versionOf(await s.get(selected(s)));
    await s.send('DELETE', s.path('configmaps', 'cm-0'));
    const query = `&resourceVersion=${version}&resourceVersionMatch=Exact`;
    expect(namesOf(await s.list(selected(s, query)))).toEqual(['cm-0', 'cm-1']);
  },

  async 'a list not older than a version is new enough'(s) {
    const made = await s.configMap('a', {}, { labels: { many: 'yes' } });
    const query = `&resourceVersion=${versionOf(made)}&resourceVersionMatch=NotOlderThan`;
    expect(namesOf(await s.list(selected(s, query)))).toEqual(['a']);
  },

  async 'resourceVersionMatch without a version is forbidden'(s) {
    const answer = await s.send('GET', `${s.path('configmaps')}?resourceVersionMatch=Exact`);
    const why = 'resourceVersionMatch is forbidden unless resourceVersion is provided';
    expectRefusal(answer, 422, 'Invalid', why);
  },

  async 'a list at a version that is gone is expired'(s) {
    const made = await s.configMap('a');
    await s.configMap('b');
    await s.compact();
    const query = `?resourceVersion=${versionOf(made)}&resourceVersionMatch=Exact`;
    expectRefusal(await s.send('GET', s.path('configmaps') + query), 410, 'Expired');
  },

  async 'label selectors select by value, set and presence'(s) {
    await s.configMap('a', {}, { labels: { tier: 'web', env: 'dev' } });
    await s.configMap('b', {}, { labels: { tier: 'db', env: 'prod' } });
    await s.configMap('c', {}, { labels: { tier: 'web' } });
    const select = async (selector: string): Promise<string[]> =>
      namesOf(
        await s.list(`${s.path('configmaps')}?labelSelector=${encodeURIComponent(selector)}`),
      );
    expect(await select('tier=web')).toEqual(['a', 'c']);
    expect(await select('tier!=web,tier')).toEqual(['b']);
    expect(await select('tier in (web,db),env')).toEqual(['a', 'b']);
    expect(await select('tier,env notin (dev)')).toEqual(['b', 'c']);
    expect(await select('tier,!env')).toEqual(['c']);
  },

  async 'a broken label selector is refused'(s) {
    const answer = await s.send('GET', `${s.path('configmaps')}?labelSelector=a%20b`);
    expectRefusal(answer, 400, 'BadRequest', 'unable to parse requirement');
  },

  async 'field selectors select by name and by fields of the kind'(s) {
    await s.pod('a', { nodeName: 'no-such-node' });
    await s.pod('b');
    const select = async (selector: string): Promise<string[]> =>
      namesOf(await s.list(`${s.path('pods')}?fieldSelector=${encodeURIComponent(selector)}`));
    expect(await select('metadata.name=b')).toEqual(['b']);
    expect(await select('spec.nodeName=no-such-node')).toEqual(['a']);
    expect(await select('spec.nodeName=,status.phase!=Running')).toEqual(['b']);
  },

  async 'a field that is not selectable is refused'(s) {
    const plain = await s.send('GET', `${s.path('configmaps')}?fieldSelector=data.k%3Dv`);
    expectRefusal(plain, 400, 'BadRequest', '"data.k" is not a known field selector: only');
    const pods = await s.send('GET', `${s.path('pods')}?fieldSelector=spec.hostname%3Dv`);
    expectRefusal(pods, 400, 'BadRequest', 'field label not supported: spec.hostname');
    const custom = await s.send('GET', `${s.path('widgets')}?fieldSelector=spec.size%3D1`);
    expectRefusal(custom, 400, 'BadRequest', 'field label not supported: spec.size');
  },
};
