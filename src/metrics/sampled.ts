// The numbers that a process is asked for at every scrape: they are what is, not what happened.
// Called by metrics.ts, which has the numbers that are counted as they happen.
import type { BusState } from '#actors/ports.ts';
import type { Kind } from '#machines/kinds.ts';
import { object } from '#machines/kubernetes/json.ts';
import type { JsonObject } from '#machines/kubernetes/objects.ts';
import type { EpochMs } from '#machines/kubernetes/time.ts';
import type { Families } from './registered.ts';

/** All of it is asked at every scrape. */
export interface Asked {
  /** Names of the controllers. */
  readonly controllers: readonly string[];
  /** Undefined while there is no bus. */
  readonly bus: () => BusState | undefined;
  /** Seconds since the watch of a kind gave a sign of life. */
  readonly cacheAges: () => Iterable<readonly [Kind, number]>;
  /** Of every actor: its controller, the waiting mail and the state of its chart. */
  readonly actors: () => Iterable<AskedActor>;
  /** The controller whose write to an object fails, and for how many seconds it has. */
  readonly failing?: () => Iterable<readonly [string, number]>;
  /** Messages that were not delivered so far, by reason. */
  readonly undelivered?: () => Readonly<Record<string, number>>;
  /** Undefined, or absent, where the process runs without leases. */
  readonly leases?: () => LeaseNumbers | undefined;
  /** When the certificate of a server ends; undefined: it serves none. */
  readonly certificates?: () => Iterable<readonly [CertificateName, EpochMs | undefined]>;
}

/** Of the label `name`. */
export type CertificateName = 'webhooks' | 'questions';

interface AskedActor {
  readonly controller: string;
  readonly mailbox: number;
  readonly state: string | JsonObject;
}

/** What the keeper of the leases says of itself. */
interface LeaseNumbers {
  readonly held: number;
  readonly shards: number;
  readonly changes: number;
  readonly isSure: boolean;
  readonly sinceRenewalMs: number | undefined;
}

/** Each call asks anew. */
export function askedSampler(families: Families, asked: Asked): () => void {
  const added = additions();
  return () => {
    sampleBus(families, added, asked.bus());
    sampleLeases(families, added, asked.leases?.());
    for (const [reason, count] of Object.entries(asked.undelivered?.() ?? {})) {
      families.coppice_messages_dropped_total.inc({ reason }, added(`dropped: ${reason}`, count));
    }
    sampleActors(families, asked);
    sampleFailing(families, asked);
    sampleCertificates(families, asked);
    families.coppice_cache_age_seconds.reset();
    for (const [kind, seconds] of asked.cacheAges()) {
      families.coppice_cache_age_seconds.set({ kind }, seconds);
    }
  };
}

type Added = (total: string, now: number) => number;

/** Others keep totals; a counter takes what came since the last scrape. */
function additions(): Added {
  const last = new Map<string, number>();
  return (total, now) => {
    const more = Math.max(0, now - (last.get(total) ?? 0));
    last.set(total, now);
    return more;
  };
}

function sampleBus(families: Families, added: Added, state: BusState | undefined): void {
  families.coppice_bus_connected.set(state?.connected === true ? 1 : 0);
  const roundTrip = families.coppice_bus_round_trip_seconds;
  if (typeof state?.roundTripMs === 'number') roundTrip.set(state.roundTripMs / 1000);
  else roundTrip.remove();
  if (state === undefined) return;
  for (const total of ['dropped', 'published', 'rejected'] as const) {
    families[`coppice_bus_${total}_total`].inc(added(total, state[total]));
  }
}

/** Without leases there are no series, so that nobody takes 0 held shards for a fault. */
function sampleLeases(families: Families, added: Added, state: LeaseNumbers | undefined): void {
  const held = families.coppice_leases_held;
  const shards = families.coppice_shards;
  const sure = families.coppice_lease_sure;
  const age = families.coppice_lease_renewal_age_seconds;
  for (const family of [held, shards, sure, age]) family.remove();
  if (state === undefined) return;
  held.set(state.held);
  shards.set(state.shards);
  sure.set(state.isSure ? 1 : 0);
  if (state.sinceRenewalMs !== undefined) age.set(state.sinceRenewalMs / 1000);
  families.coppice_lease_changes_total.inc(added('lease changes', state.changes));
}

/** Waiting mail is nearly always 0 between ticks; what stays is a backlog. A state that no actor
 *  is in has no series. */
function sampleActors(families: Families, { controllers, actors }: Asked): void {
  const waiting = new Map(controllers.map((controller) => [controller, 0]));
  const mail = new Map(waiting);
  const states = families.coppice_actor_states;
  states.reset();
  for (const { controller, mailbox, state } of actors()) {
    if (mailbox > 0) waiting.set(controller, (waiting.get(controller) ?? 0) + 1);
    mail.set(controller, (mail.get(controller) ?? 0) + mailbox);
    for (const name of leavesOf(state)) states.inc({ controller, state: name });
  }
  for (const [controller, count] of waiting) {
    families.workqueue_depth.set({ name: controller, controller }, count);
    families.coppice_mailbox_depth.set({ controller }, mail.get(controller) ?? 0);
  }
}

/** The dotted names of the states in which a chart is: one for each of its regions. */
const leavesOf = (state: unknown): readonly string[] =>
  typeof state === 'string'
    ? [state]
    : Object.entries(object(state)).flatMap(([name, inner]) =>
        leavesOf(inner).map((leaf) => `${name}.${leaf}`),
      );

function sampleFailing(families: Families, { controllers, failing }: Asked): void {
  const longest = new Map(controllers.map((controller) => [controller, 0]));
  for (const [controller, seconds] of failing?.() ?? []) {
    longest.set(controller, Math.max(seconds, longest.get(controller) ?? 0));
  }
  for (const [controller, seconds] of longest) {
    families.coppice_write_failing_seconds.set({ controller }, seconds);
  }
}

function sampleCertificates(families: Families, { certificates }: Asked): void {
  const family = families.coppice_certificate_not_after_seconds;
  family.reset();
  for (const [name, until] of certificates?.() ?? []) {
    if (until !== undefined) family.set({ name }, until / 1000);
  }
}
