// No two members of a pool have one name, and none has that of a Sandbox which somebody else made.
import { expect, test } from 'vitest';
import '#machines/kinds.ts';
import { PersistentMap } from '#machines/contract/persistent-map.ts';
import { memberName } from '#machines/agentsandbox/objects/member.ts';
import { readPool } from '#machines/agentsandbox/objects/pool.ts';
import { readTemplate } from '#machines/agentsandbox/objects/template.ts';
import { startContext } from '#machines/agentsandbox/warmpool/context.ts';
import { createMembers } from '#machines/agentsandbox/warmpool/steps/refill.ts';
import { poolObject, settings, sure, templateObject } from './objects.ts';

const pool = sure(readPool(poolObject({ replicas: 1 })));

test('A name that the Sandbox of a claim has is given to no new member', () => {
  const [taken, free] = [memberName(pool, 0), memberName(pool, 1)];
  const key = { kind: 'sandboxwarmpool', namespace: pool.namespace, name: pool.name } as const;
  const start = startContext({ key, root: key, settings });
  const context = { ...start, template: sure(readTemplate(templateObject())) };
  const created = (from: typeof context): readonly unknown[] =>
    (createMembers(from, pool, 0).intents ?? []).map((intent) =>
      intent.type === 'createObject' ? intent.ref.name : intent,
    );
  expect(created(context)).toEqual([taken]);
  const bySandbox = PersistentMap.of<string, string>().set(taken, 'claim');
  const assigning = { ...context.assigning, bySandbox };
  expect(created({ ...context, assigning })).toEqual([free]);
});

test('No two numbers of a pool have one name, and two pools have theirs in another order', () => {
  const names = (uid: string): readonly string[] =>
    Array.from({ length: 200_000 }, (_, number) => memberName({ ...pool, uid }, number));
  const [ours, others] = [names('a'), names('b')];
  expect(new Set(ours).size).toBe(ours.length);
  expect(ours.filter((name, number) => name === others[number])).toHaveLength(0);
});
