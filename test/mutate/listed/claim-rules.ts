// More lines on which the rules of spec agent-sandbox rest that are about claims: who gets which
// Sandbox, what is written of it, and what is told.
import type { ListedMutant } from './mutant.ts';

const sandboxes = 'machines/agentsandbox';
const claim = `${sandboxes}/claim`;
const assigning = `${sandboxes}/warmpool/assigning`;

export const ofClaimRules: readonly ListedMutant[] = [
  {
    shows: 'R1',
    file: `${assigning}/express.ts`,
    from: '  return patchOf(member, `${claim.name} takes it over`, patch, {\n    resourceVersion,\n',
    to: '  return patchOf(member, `${claim.name} takes it over`, patch, {\n',
  },
  {
    shows: 'R6',
    file: 'machines/contract/failure-log.ts',
    from: "  'UNREACHABLE',\n",
    to: '',
  },
  {
    shows: 'R10',
    file: `${assigning}/serve.ts`,
    from: "  if (member === undefined || strategy !== 'Recreate') return member?.name;\n",
    to: '  if (member !== undefined) return member.name;\n',
  },
  {
    shows: 'R11',
    file: `${sandboxes}/warmpool/population.ts`,
    from: '  const fresh = there.filter(isFresh);\n',
    to: '  const fresh = there;\n',
  },
  {
    shows: 'R12',
    file: `${sandboxes}/views/objects.ts`,
    from: 'one.uid === other.uid && one.generation === other.generation && one.deleting',
    to: 'isSameVersion(one, other) && one.deleting',
  },
  {
    shows: ['R14', 'R15', 'C7'],
    file: 'machines/contract/address.ts',
    from: '`${key.kind}/${key.namespace}/${key.name}`',
    to: '`${key.kind}/${key.name}`',
  },
  {
    shows: 'R19',
    file: `${sandboxes}/binding/metadata.ts`,
    from: '...sharedLabels(claim, nameHash(template.name)), ...claim.podLabels },',
    to: '...sharedLabels(claim, nameHash(template.name)) },',
  },
  {
    shows: ['R23', 'C9'],
    file: 'actors/effects/work.ts',
    from: 'uid: known.uid, resourceVersion: known.version };',
    to: 'uid: known.uid };',
  },
  {
    shows: 'R27',
    file: `${assigning}/serve.ts`,
    from:
      '  const parts = { assign, forget };\n  return {\n' +
      '    /** In all states of a pool that is there. */\n' +
      '    serveClaims: (context: C, pool: ObservedPool, now: EpochMs): StepResult<C> => {\n' +
      '      const placed = inOrder(context.assigning).reduce(\n' +
      '        (next, one) => place(next, { ...one, seenAt: one.seenAt ?? now }, parts),\n',
    to:
      '  const parts = { assign, forget };\n  const sights = new Map<string, EpochMs>();\n' +
      '  const sightOf = ({ claim: { name } }: Waiting, now: EpochMs): EpochMs => {\n' +
      '    sights.set(name, sights.get(name) ?? now);\n    return sights.get(name) ?? now;\n  };\n' +
      '  return {\n' +
      '    serveClaims: (context: C, pool: ObservedPool, now: EpochMs): StepResult<C> => {\n' +
      '      const placed = inOrder(context.assigning).reduce(\n' +
      '        (next, one) => place(next, { ...one, seenAt: sightOf(one, now) }, parts),\n',
  },
  {
    shows: 'C1',
    file: `${assigning}/serve.ts`,
    from: "if (isOver || controller?.uid === claim.uid) return 'settled';",
    to: "if (isOver) return 'settled';",
  },
  {
    shows: 'C6',
    file: `${assigning}/reduce.ts`,
    from: '  return change(context, { due: due.set(claim, true) });\n',
    to: '  return context;\n',
  },
  {
    shows: 'K3',
    file: `${claim}/behaviour.ts`,
    from: 'is.isPoolless(context, claim, now) && !context.searches.pool.isDone,',
    to: 'is.isPoolless(context, claim, now) && context.searches.pool.isDone,',
  },
  {
    shows: 'K4',
    file: 'src/devcluster/api/verbs/watch.ts',
    from: 'from: fromStart ? undefined : (version ?? core.store.version),',
    to: 'from: fromStart ? undefined : core.store.version,',
    says: "expected [] to deeply equal [ '",
  },
];
