// What the actor of a claim reads of others: what it still needs, and nothing by name once it
// controls a Sandbox.
import { expect, it } from 'vitest';
import { type ClaimContext, readings, startContext } from '#machines/agentsandbox/claim/context.ts';
import type { ObservedClaim } from '#machines/agentsandbox/objects/claim.ts';
import type { ObservedSandbox } from '#machines/agentsandbox/objects/sandbox.ts';
import { settings } from './objects.ts';

const key = { kind: 'sandboxclaim', namespace: 'demo', name: 'claim' } as const;
const start = startContext({ key, root: key, settings });
const controlled = { controlled: [{ name: 'box' } as ObservedSandbox] };
const two = { controlled: [{ name: 'box' }, { name: 'box-2' }] as ObservedSandbox[] };
const always = ['sandboxesOfClaim uid', 'templateOfPool demo/pool'];
const why = 'assignmentFailure uid';

it.each<[string, Partial<ClaimContext>, Partial<ObservedClaim>, readonly string[]]>([
  ['that has nothing', {}, {}, [...always, why]],
  [
    'whose pool has a template',
    { templateName: 'template' },
    {},
    [...always, 'templateByName demo/template', why],
  ],
  ['that is bound', {}, { bound: 'box' }, [...always, why, 'sandboxByName demo/box']],
  ['that starts cold', {}, { assigned: 'claim' }, [...always, why, 'sandboxByName demo/claim']],
  ['that controls a Sandbox', controlled, { bound: 'box' }, always],
  ['that controls two', two, { assigned: 'claim' }, always],
])('a claim %s reads what it needs', (_, context, more, wanted) => {
  const claim = { namespace: 'demo', name: 'claim', uid: 'uid', pool: 'pool', ...more };
  const read = readings({ ...start, ...context }, claim as ObservedClaim);
  expect(read.map(({ view, key: of }) => `${view.name} ${of}`)).toEqual(wanted);
});
