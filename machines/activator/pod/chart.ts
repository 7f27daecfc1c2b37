// The chart of a pod: every arrow with its cause, as an ordered list of conditions (spec activator
// 2.6.2). The actor of the revision moves its pods by it, the metrics count by it, and
// docs/charts.md shows it.
import type { ActivatorSettings } from '../settings.ts';
import type { ReleaseCause, TargetState } from '../table.ts';
import { minus, type Micros } from '../time.ts';
import type { Listed } from './listed.ts';
import { isRoutable, type Pod, type PodLife } from './pod.ts';

/** What the arrows of a pod depend on. */
export interface Situation {
  readonly pod: Pod;
  /** What the endpoints say of this very pod, not of another one at its address. */
  readonly listed: Listed | undefined;
  /** See `ObservedRevision.isEarly`. */
  readonly isEarly: boolean;
  readonly settings: ActivatorSettings;
  readonly now: Micros;
}

export type PodPlace = PodLife | 'absent';

interface Arrow {
  readonly from: readonly PodPlace[];
  readonly to: PodPlace;
  readonly cause: string;
  readonly when: (situation: Situation) => boolean;
}

/** It may be asked whether it takes requests: the platform says that it does, or leaves that to the
 *  pod. */
export const isEligible = ({ listed, isEarly }: Situation): boolean =>
  listed !== undefined && (listed.isReady || isEarly);

/** A restarted actor finds it routable and the endpoints do not call it ready. They may have said
 *  so meanwhile, or never have: then the pod itself was believed. */
export const isDoubtful = ({ pod, listed }: Situation): boolean =>
  isRoutable(pod) && pod.wasListedReady === undefined && listed?.isReady === false;

/** Another pod has answered at its address. */
export function impostorOf({ id, dest, validation }: Pod): string | undefined {
  const shown = validation?.answer?.id;
  // The endpoints may not say which pod it is.
  return shown === id || id === dest ? undefined : shown;
}

const isUnlisted = ({ listed }: Situation): boolean => listed === undefined;

const isValidated = (situation: Situation): boolean =>
  situation.pod.validation?.answer?.isOk === true &&
  impostorOf(situation.pod) === undefined &&
  isEligible(situation);

/** The endpoints say so, and the pod does not know better. */
const isUnready = (situation: Situation): boolean => {
  const { pod, listed, isEarly } = situation;
  return listed?.isReady === false && (!isEarly || pod.wasListedReady === true);
};

const isUnreachable = ({ pod, settings }: Situation): boolean =>
  pod.failures >= settings.failuresToDemote;

const isRefused = (situation: Situation): boolean =>
  isDoubtful(situation) &&
  situation.pod.validation?.answer !== undefined &&
  !isValidated(situation);

const isRecovered = ({ pod, settings, now }: Situation): boolean =>
  pod.since <= minus(now, settings.recovery);

const routable: readonly TargetState[] = ['ready', 'recovering'];
const tabled: readonly TargetState[] = ['not-ready', ...routable];

/** The actor wants it in the table. */
export const isTabled = (place: PodPlace): place is TargetState =>
  tabled.some((one) => one === place);

const released = (from: PodLife, cause: ReleaseCause): Arrow => ({
  from: [from],
  to: 'absent',
  cause,
  when: ({ pod }) => pod.released === cause,
});

/** The first one that leaves the state of a pod and whose condition holds is taken. */
export const podArrows: readonly Arrow[] = [
  released('draining', 'drained'),
  released('draining', 'removed'),
  released('draining', 'deadline'),
  released('not-ready', 'stale'),
  // Other activators have it for so long that the table has let it go.
  released('ready', 'stale'),
  released('recovering', 'stale'),
  { from: ['absent'], to: 'pending', cause: 'listed', when: isEligible },
  { from: ['pending'], to: 'absent', cause: 'unlisted', when: (it) => !isEligible(it) },
  { from: ['pending'], to: 'ready', cause: 'validated', when: isValidated },
  { from: tabled, to: 'pending', cause: 'no slot', when: ({ pod }) => pod.isRefused },
  { from: tabled, to: 'draining', cause: 'unlisted', when: isUnlisted },
  { from: routable, to: 'not-ready', cause: 'unready', when: isUnready },
  { from: routable, to: 'not-ready', cause: 'unreachable', when: isUnreachable },
  { from: routable, to: 'not-ready', cause: 'refused', when: isRefused },
  { from: ['recovering'], to: 'ready', cause: 'recovered', when: isRecovered },
  { from: ['not-ready'], to: 'recovering', cause: 'validated', when: isValidated },
  { from: ['draining'], to: 'recovering', cause: 'listed again', when: isValidated },
];

export const podPlaces: readonly PodPlace[] = ['absent', 'pending', ...tabled, 'draining'];

const byPlace = new Map(
  podPlaces.map((place) => [place, podArrows.filter(({ from }) => from.includes(place))]),
);

/** The arrow that leads out of where the pod is; undefined: it stays. `absent`: the pod is listed
 *  and not known yet. */
export const arrowFrom = (place: PodPlace, situation: Situation): Arrow | undefined =>
  byPlace.get(place)?.find(({ when }) => when(situation));
