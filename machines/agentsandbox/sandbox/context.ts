// The memory of a sandbox actor: its object, what controls itself by that name, and what has the
// name of something that it is to make.
import type { ActorKey } from '../../contract/address.ts';
import type { CommonEvent } from '../../contract/events.ts';
import { ownSeen, recorded, resolved, withErrors } from '../../contract/failure-log.ts';
import type { FailureLog } from '../../contract/failure-log.ts';
import { withRead } from '../../contract/view.ts';
import { apiKind } from '../../contract/kinds.ts';
import type { EpochMs } from '../../kubernetes/time.ts';
import type { Rule } from '../../statechart/region.ts';
import type { StepResult } from '../../statechart/step.ts';
import type {
  Belonging,
  ObservedPod,
  ObservedService,
  ObservedVolume,
} from '../objects/belongings.ts';
import type { ObservedSandbox } from '../objects/sandbox.ts';
import type { AgentSandboxInput, AgentSandboxSettings } from '../settings.ts';
import type { UnownedRead } from '../views/unowned.ts';

export interface SandboxContext {
  readonly key: ActorKey;
  readonly settings: AgentSandboxSettings;
  readonly sandbox: ObservedSandbox | undefined;
  readonly isGone: boolean;
  /** What a Sandbox of this name controls, this one or an earlier one. Watches select by two
   *  labels, so an object that has both is there twice. */
  readonly pods: readonly ObservedPod[];
  readonly services: readonly ObservedService[];
  readonly volumes: readonly ObservedVolume[];
  /** What nobody controls, or somebody else, under keys of `unownedByName`. */
  readonly others: ReadonlyMap<string, Belonging>;
  /** Since when the metadata of the pod differs from what it is to be; undefined: it does not, or
   *  was written at once. */
  readonly driftSince: EpochMs | undefined;
  /** It was told that there are several pods. */
  readonly hasToldMultiple: boolean;
  readonly errors: FailureLog;
}

type BelongingEvent =
  | { readonly type: 'pod.observed' | 'pod.gone'; readonly observed: ObservedPod }
  | { readonly type: 'service.observed' | 'service.gone'; readonly observed: ObservedService }
  | { readonly type: 'volume.observed' | 'volume.gone'; readonly observed: ObservedVolume };

export type SandboxEvent =
  | CommonEvent
  | BelongingEvent
  | UnownedRead
  | { readonly type: 'sandbox.observed'; readonly observed: ObservedSandbox }
  | { readonly type: 'sandbox.gone'; readonly uid: string };

export type Result = StepResult<SandboxContext>;
export type Step = Rule<SandboxContext, ObservedSandbox, Result>;

export const startContext = ({ key, settings }: AgentSandboxInput): SandboxContext => ({
  key,
  settings,
  sandbox: undefined,
  isGone: false,
  pods: [],
  services: [],
  volumes: [],
  others: new Map(),
  driftSince: undefined,
  hasToldMultiple: false,
  errors: [],
});

/** The next context, or the same one where the event is no news. */
export function reduce(context: SandboxContext, event: SandboxEvent): SandboxContext {
  switch (event.type) {
    case 'sandbox.observed':
      return withSandbox(context, event.observed);
    case 'sandbox.gone':
      return context.sandbox?.uid === event.uid ? { ...context, isGone: true } : context;
    case 'pod.observed':
      return seen(context, event.observed, { pods: withOne(context.pods, event.observed) });
    case 'pod.gone':
      return seen(context, event.observed, { pods: without(context.pods, event.observed) });
    case 'service.observed':
      return seen(context, event.observed, { services: withOne(context.services, event.observed) });
    case 'service.gone':
      return seen(context, event.observed, { services: without(context.services, event.observed) });
    case 'volume.observed':
      return seen(context, event.observed, { volumes: withOne(context.volumes, event.observed) });
    case 'volume.gone':
      return seen(context, event.observed, { volumes: without(context.volumes, event.observed) });
    case 'unownedByName.read':
      return context.others.get(event.key) === event.value
        ? context
        : { ...context, others: withRead(context.others, event.key, event.value) };
    case 'effect.done':
      return done(context, event);
    case 'effect.failed':
      return withErrors(context, recorded(context.errors, event));
    default:
      return context;
  }
}

/** One of another UID is another Sandbox. */
function withSandbox(context: SandboxContext, observed: ObservedSandbox): SandboxContext {
  const old = context.sandbox;
  const living = ownSeen(context, old, observed);
  if (living === undefined) return context;
  const isOther = old !== undefined && old.uid !== observed.uid;
  const afresh = isOther ? { driftSince: undefined, hasToldMultiple: false } : {};
  return { ...context, ...living, ...afresh, sandbox: observed };
}

/** An object that shows up, or goes, ends what failed about it. */
const seen = (
  context: SandboxContext,
  observed: Belonging,
  change: Partial<Pick<SandboxContext, 'pods' | 'services' | 'volumes'>>,
): SandboxContext =>
  isNews(context, change)
    ? withErrors({ ...context, ...change }, resolved(context.errors, observed))
    : context;

const isNews = (
  context: SandboxContext,
  { pods, services, volumes }: Parameters<typeof seen>[2],
): boolean =>
  (pods ?? context.pods) !== context.pods ||
  (services ?? context.services) !== context.services ||
  (volumes ?? context.volumes) !== context.volumes;

/** What drifts from now on has its time again (S5). */
function done(
  context: SandboxContext,
  { op, ref }: Extract<CommonEvent, { type: 'effect.done' }>,
): SandboxContext {
  const next = withErrors(context, resolved(context.errors, ref));
  const isOfPod = op === 'patch' && apiKind(ref.kind) === 'Pod';
  return isOfPod && next.driftSince !== undefined ? { ...next, driftSince: undefined } : next;
}

const isSame = (one: Belonging, other: Belonging): boolean =>
  one.kind === other.kind && one.uid === other.uid;

function withOne<B extends Belonging>(all: readonly B[], one: B): readonly B[] {
  const old = all.find((other) => isSame(one, other));
  if (old?.resourceVersion === one.resourceVersion) return all;
  return [...all.filter((other) => other !== old), one];
}

function without<B extends Belonging>(all: readonly B[], one: B): readonly B[] {
  const left = all.filter((other) => !isSame(one, other));
  return left.length === all.length ? all : left;
}
