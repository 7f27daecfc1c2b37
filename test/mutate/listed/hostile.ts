// The lines on which the sentences about hostile objects, clients and peers rest. Their tests start
// processes, or hold up the event loop of one: `npm run mutate -- --listed --slow`.
import type { ListedMutant } from './mutant.ts';

export const ofHostility: readonly ListedMutant[] = [
  {
    shows: 'A client that deletes every child for minutes never causes more',
    file: 'machines/grove/podclique/steps/create-pods.ts',
    from: '  const live = livePods(context, clique);',
    to: '  const live = livePods(context, clique).filter(({ isReady }) => isReady);',
    says: 'mostInPlace: 2',
  },
  {
    shows: 'The same holds for a process.',
    file: 'actors/effects/create-backoff.ts',
    from: 'maxMs: limits.recreateMaxMs, jitter: 0',
    to: 'maxMs: limits.retryMinMs, jitter: 0',
    says: 'to be less than or equal to 9',
  },
  {
    shows: 'A bad object never harms another one, by writes or by time',
    file: 'machines/kubernetes/size.ts',
    from: 'export const maxMapEntries = 1_000;',
    to: 'export const maxMapEntries = 100_000;',
    says: 'many labels',
  },
  {
    shows: 'A bad object never holds the event loop of a process for 50 ms',
    file: 'machines/grove/objects/set-problem.ts',
    from: 'replicas > maxReplicasPerSet',
    to: 'replicas > 40 * maxReplicasPerSet',
    says: 'the loop is held for',
  },
  {
    shows: 'Neither does an object that poses as a child of another',
    file: 'machines/grove/podclique/context.ts',
    from: "    .filter((pod) => isOwnedBy(pod, 'PodClique', uid))\n",
    to: '',
    says: 'what is somebody else`s',
  },
  {
    shows: [
      'Peers that send nothing, or one byte a second, do not keep',
      'They do not keep API servers from the webhooks either',
    ],
    file: 'src/http/connections.ts',
    from: 'return this.#connections.size < connections || end([...this.#peers.values()], this.#limits);',
    to: 'return this.#connections.size < connections;',
    says: 'was not answered',
  },
];
