// The permissions of the chart are those that the code needs, under the switches that turn the code
// on. That they are enough, and all used, is seen on the real control plane
// (test/e2e/real/rbac.test.ts).
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { parse } from 'yaml';
import { readSet } from '#machines/grove/objects/podcliqueset.ts';
import { accessTable } from '#machines/grove/podcliqueset/children/access.ts';
import { modules } from '#machines/index.ts';
import {
  allActorKinds,
  apiGroup,
  featureOf,
  type Kind,
  kindRow,
  objectKind,
} from '#machines/kinds.ts';
import { at, list, text } from '#machines/kubernetes/json.ts';
import { isMalformed } from '#machines/kubernetes/meta.ts';
import { defaultConfiguration } from '#src/config/decode.ts';
import { cliqueSet } from '#test/support/samples.ts';
import { chartFolder, type Grant, grantsOfTemplate, lineOf, templateGrants } from './grants.ts';
import { neededGrants } from './needed.ts';

/** A kind that two modules share has its actor in one. */
const ofOwn = (kind: Kind): string | undefined => (kind === 'ComputeDomain' ? 'nvidia' : undefined);

const sortedWhen = (line: string): string =>
  line.replace(/^\[(.*?)\]/, (_, when: string) => `[${when.split(' ').toSorted().join(' ')}]`);

const lines = (grants: readonly Grant[]): readonly string[] =>
  [...new Set(grants.map(lineOf))].toSorted();

describe('The values of the chart', () => {
  it('exempt from the authorizer whom the configuration exempts by default', () => {
    const values: unknown = parse(readFileSync(join(chartFolder, 'values.yaml'), 'utf8'));
    expect(at(values, 'config', 'authorizer', 'exemptServiceAccountUserNames')).toEqual(
      defaultConfiguration.authorizer.exemptServiceAccountUserNames,
    );
  });
});

describe('The roles for people', () => {
  it('let them see, and park, all that has an actor, under the switch of its module', () => {
    const switched = (kind: Kind): string =>
      featureOf(kind) === 'sandboxExtensions'
        ? 'sandboxExtensions'
        : (modules.find(({ kinds }) => kinds.includes(kind))?.name ?? '');
    const kinds = new Set(
      allActorKinds()
        .map(objectKind)
        .filter((kind) => !kindRow(kind).isApart),
    );
    const wanted = [...kinds].flatMap((kind) =>
      ['get', 'list', 'park'].map((verb) =>
        lineOf({
          ...{ scope: 'cluster', group: apiGroup(kind), resource: kindRow(kind).plural, name: '' },
          ...{ verb, when: `inspector ${ofOwn(kind) ?? switched(kind)}` },
        }),
      ),
    );
    const given = grantsOfTemplate('inspector-users.yaml');
    expect(lines(given)).toEqual(wanted.map(sortedWhen).toSorted());
    expect(given.map(lineOf).toSorted()).toEqual(lines(given));
  });
});

describe('The permissions of the chart', () => {
  it('are exactly what the code asks for', () => {
    expect(lines(templateGrants())).toEqual(lines(neededGrants()));
  });

  it('name nothing twice', () => {
    const granted = templateGrants().map(lineOf);
    expect(granted.toSorted()).toEqual(lines(templateGrants()));
  });

  it('have no wildcard, and let the controller raise nobody’s permissions', () => {
    const broad = templateGrants().filter(
      ({ group, resource, verb }) =>
        [group, resource, verb].some((part) => part.includes('*')) ||
        ['escalate', 'bind', 'impersonate', 'deletecollection'].includes(verb),
    );
    expect(broad).toEqual([]);
  });

  it('let the controller read no Secret, but by Roles in namespaces', () => {
    const reads = templateGrants().filter(
      ({ scope, resource, verb }) =>
        scope === 'cluster' && resource === 'secrets' && ['get', 'list', 'watch'].includes(verb),
    );
    expect(reads).toEqual([]);
    expect(templateGrants().map(lineOf)).toContain('[grove] cluster /secrets create');
  });

  it('hold what the Role of a PodCliqueSet grants, without which it could not be made', () => {
    const granted = lines(templateGrants());
    const given = cliqueSet(1);
    const metadata = { ...given.metadata, uid: 'u', resourceVersion: '1', generation: 1 };
    const set = readSet({ ...given, metadata });
    if (isMalformed(set)) throw new Error(set.malformed);
    const [role] = accessTable.Role.desired({ set, hasRole: false });
    const rules = list(role?.build?.()['rules']);
    const passed = rules.flatMap((rule) =>
      list(at(rule, 'resources')).flatMap((resource) =>
        list(at(rule, 'verbs')).map((verb) => `[grove] cluster /${text(resource)} ${text(verb)}`),
      ),
    );
    expect(passed).toHaveLength(6);
    expect(passed.filter((line) => !granted.includes(line))).toEqual([]);
  });
});
