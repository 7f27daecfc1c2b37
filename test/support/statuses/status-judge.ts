// Judges every status that a process of a history decides to write, by the one that it knows: a
// transition time moves exactly with the status value of its condition, and none is written for the
// sake of what we add to Grove alone: but where Ready comes to hold for its object or for its owner
// without that any counter of Grove's moves, since those include pods that are going.
import { at, fieldsAt, listAt, textAt } from '#test/sim/fields.ts';
import { refKey } from '#machines/contract/address.ts';
import { isEqual } from '#machines/kubernetes/json.ts';
import type { JsonObject } from '#machines/kubernetes/objects.ts';
import { rfc3339 } from '#machines/kubernetes/time.ts';
import type { Judge, LateWorld } from '../late-world.ts';
import type { WriteIntent } from '../world-store.ts';

const judged = new Set(['PodClique', 'PodCliqueScalingGroup', 'PodCliqueSet']);

export class StatusJudge implements Judge {
  readonly violations: string[] = [];
  /** Statuses that were written for the sake of Ready. */
  forReady = 0;

  restarted(): void {}

  landed(): void {}

  decided(intent: WriteIntent, { store, known }: LateWorld): void {
    if (intent.type !== 'writeStatus' || !judged.has(intent.ref.kind)) return;
    const own = [...known].find(({ metadata }) => metadata.uid === intent.uid);
    const before = fieldsAt(own, 'status');
    const name = refKey(intent.ref);
    const isSame = isEqual(withoutAdditions(before), withoutAdditions(intent.status));
    if (isSame) this.forReady++;
    if (isSame && isReadyFor(before) === isReadyFor(intent.status)) {
      this.violations.push(`${name} was written for ${JSON.stringify(intent.status)} alone`);
    }
    for (const row of listAt(intent.status, 'conditions')) {
      const old = listAt(before, 'conditions').find((one) => at(one, 'type') === at(row, 'type'));
      const time = textAt(row, 'lastTransitionTime');
      const wanted = turnOf(row, old, own, rfc3339(store.now));
      if (time !== wanted) this.violations.push(`${name}: ${JSON.stringify(row)}, not ${wanted}`);
    }
  }
}

/**
 * When a condition turned to what it says: what is bad when it is first written is so since the
 * creation, and a group that was never sound is so through its updates.
 */
function turnOf(row: unknown, old: unknown, own: unknown, now: string): string {
  const then = textAt(old, 'lastTransitionTime');
  if (at(old, 'status') === at(row, 'status')) return then;
  const birth = textAt(own, 'metadata', 'creationTimestamp');
  const text = `${textAt(row, 'type')} ${textAt(row, 'status')}`;
  if (old === undefined) return /Breached True|Scheduled False/.test(text) ? birth : now;
  const isOfBirth = Date.parse(then) <= Date.parse(birth) + 5_000;
  const isGroup = at(own, 'kind') === 'PodCliqueScalingGroup';
  const isBad = (one: unknown) => at(one, 'status') !== 'False';
  return isGroup && text.includes('Breached') && isBad(row) && isBad(old) && isOfBirth ? then : now;
}

/** For itself, for its owner, or for nobody. */
function isReadyFor(status: unknown): string {
  const ready = listAt(status, 'conditions').find((row) => at(row, 'type') === 'Ready');
  const isSufficient = at(ready, 'reason') === 'MinAvailableReady';
  return `${textAt(ready, 'status')} ${isSufficient}`;
}

/** What Grove's controller says: the rest is worth no write (decision 0029). */
function withoutAdditions(status: unknown): JsonObject {
  const { conditions: _, ...fields } = fieldsAt(status);
  const rows = listAt(status, 'conditions')
    .filter((row) => at(row, 'type') !== 'Ready')
    .map((row) => ({ ...fieldsAt(row), observedGeneration: 0 }));
  return JSON.parse(JSON.stringify({ ...fields, conditions: rows }));
}
