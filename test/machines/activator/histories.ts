// Histories that lead the chart of a revision through every state: told to whoever traces states.
// Used by test/machines/states.test.ts.
import type { ActorKey } from '#machines/contract/address.ts';
import { RevisionKit } from './kit.ts';

type Trace = (kind: ActorKey['kind'], value: unknown) => void;

const ip = '10.0.0.1';

function tracedKit(trace: Trace): RevisionKit {
  const kit = new RevisionKit();
  kit.trace = (value) => trace('revision', value);
  kit.trace(kit.state);
  return kit;
}

function life(trace: Trace): void {
  const kit = tracedKit(trace)
    .given()
    .reconcile()
    .serving(ip)
    .given({ limit: 1, version: 2 })
    .reconcile();
  const permit = kit.admit();
  kit.requests.wait({ granted: () => undefined, refused: () => undefined });
  kit.reconcile().given({ limit: 1, version: 3, deleting: true }).reconcile();
  kit.complete(permit).reconcile().gone().reconcile();
}

function deletedBeforeItsTableAnswers(trace: Trace): void {
  tracedKit(trace).given({ deleting: true }).reconcile();
}

export const revisionHistories: Readonly<Record<string, (trace: Trace) => void>> = {
  'the life of a revision': life,
  'a revision that is deleted before its table answers': deletedBeforeItsTableAnswers,
};
