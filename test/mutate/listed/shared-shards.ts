// The lines on which the sentences about processes that share the shards rest, where only processes
// show them: `npm run mutate -- --listed --slow`.
import type { ListedMutant } from './mutant.ts';

export const ofSharedShards: readonly ListedMutant[] = [
  {
    shows: 'Joining and leaving pause an object for a moment',
    file: 'actors/shards/ownership.ts',
    from: '(isPatient && !hasSeen(written))',
    to: 'isPatient',
    says: 'to be less than or equal to 2000',
  },
  {
    shows: 'A controller that is killed at any point of a creation, scaling',
    file: 'machines/grove/podcliqueset/token.ts',
    from: 'const isFirst = token.isFresh && !token.isUnsure;',
    to: 'const isFirst = !token.isUnsure;',
    says: 'crashAfter write',
  },
  {
    shows: 'The shards of a killed or stopped process are taken over within',
    file: 'actors/shards/lease/decide.ts',
    from: 'const actions = isCoordinator ? declareDead(situation) : [];',
    to: 'const actions: Action[] = [];',
    says: 'not all replaced after',
  },
  {
    shows: "or whose peers' clock runs at double rate",
    file: 'actors/shards/lease/terms.ts',
    from: 'export const clockRateRatio = 2;',
    to: 'export const clockRateRatio = 1;',
    says: 'of shard',
  },
  {
    shows: 'A process that is told to stop does so soon, even under load',
    file: 'actors/shards/lease/keeper.ts',
    from: '    this.#membership.leave();\n    const { clock } = this.#ports;',
    to: '    const { clock } = this.#ports;',
    says: 'to be less than or equal to',
  },
  {
    shows: 'Without faults no request is refused with 409, whatever the',
    file: 'src/kube/write.ts',
    from: "  if (op === 'delete') return deletedOutcome(ref.kind, response);",
    to:
      "  if (op === 'delete') return deletedOutcome(ref.kind, response);\n" +
      "  if (op === 'create' && ref.kind === 'Pod') return { ok: true };",
    says: 'to be +0',
  },
  {
    shows: 'Over HTTPS it needs no bus, and the owner reviews the caller',
    file: 'src/questions/peer.ts',
    from: '          authorization: `Bearer ${token}`,\n',
    to: '',
    says: '"status": 401',
  },
];
