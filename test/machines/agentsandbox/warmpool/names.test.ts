// Two numbers may have one name: it is given to one member at a time.
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

/** The first two numbers of one name. */
function namesakes(): readonly [name: string, number: number] {
  const known = new Set<string>();
  for (let number = 0; ; number++) {
    const name = memberName(pool, number);
    if (known.has(name)) return [name, number];
    known.add(name);
  }
}

test('A name that the Sandbox of a claim has is given to no new member', () => {
  const [taken, next] = namesakes();
  const key = { kind: 'sandboxwarmpool', namespace: pool.namespace, name: pool.name } as const;
  const start = startContext({ key, root: key, settings });
  const free = { ...start, template: sure(readTemplate(templateObject())) };
  const context = { ...free, refill: { ...free.refill, next } };
  const created = (from: typeof context): readonly unknown[] =>
    (createMembers(from, pool, 0).intents ?? []).map((intent) =>
      intent.type === 'createObject' ? intent.ref.name : intent,
    );
  expect(created(context)).toEqual([taken]);
  const bySandbox = PersistentMap.of<string, string>().set(taken, 'claim');
  const assigning = { ...context.assigning, bySandbox };
  expect(created({ ...context, assigning })).toEqual([memberName(pool, next + 1)]);
});
