// How far an update has come, as the status of a set, a scaling group or a PodClique says it (spec
// controllers 5.4 to 5.8). Read after a start, so that an update goes on where it was; what has
// been chosen is acted upon only once it was written. Times are kept as they were written.
import { at, count, isEqual, isObject, list, object, text, word } from '../../kubernetes/json.ts';
import type { JsonObject } from '../../kubernetes/objects.ts';
import { rfc3339, type EpochMs } from '../../kubernetes/time.ts';

interface Times {
  /** RFC 3339. */
  readonly startedAt: string;
  /** Absent while it runs. */
  readonly endedAt?: string;
}

/** Of a PodClique or a scaling group, which replaces one pod or one replica after the other. */
export interface Progress<T> extends Times {
  /** What all of it is to reach: the generation of the set, and the PodClique's own template. */
  readonly generationHash: string;
  readonly templateHash?: string;
  /** What was ready and is being replaced. */
  readonly current?: T | undefined;
  /** What was replaced before that. */
  readonly completed: readonly T[];
}

/** Of a set, which updates one replica after the other. */
export interface SetProgress extends Times {
  readonly selected?: { readonly index: number; readonly startedAt: string } | undefined;
}

type Target = Pick<Progress<never>, 'generationHash' | 'templateHash'>;

export const started = (target: Target, now: EpochMs): Progress<never> => ({
  ...target,
  startedAt: rfc3339(now),
  completed: [],
});

/** Nothing is replaced by the controller: it is over when it begins, so that gang termination stays
 *  armed (10.1 rule 41). */
export const startedAndEnded = (target: Target, now: EpochMs): Progress<never> => ({
  ...started(target, now),
  endedAt: rfc3339(now),
});

export function ended<P extends Times>(progress: P, now: EpochMs): P {
  return { ...progress, current: undefined, selected: undefined, endedAt: rfc3339(now) };
}

/** What was chosen before is done. */
export const withNext = <T>(progress: Progress<T>, current: T): Progress<T> => ({
  ...progress,
  current,
  completed: progress.current === undefined ? [] : [...progress.completed, progress.current],
});

/** What was decided, until it is written: from then on the object says it. */
export const unwritten = <D extends object>(decided: D | undefined, written: D): D | undefined =>
  decided === undefined || isEqual(decided, written) ? undefined : decided;

export const isRunning = (progress: Times | undefined): boolean =>
  progress !== undefined && progress.endedAt === undefined;

/** With OnDelete an update is over when it begins. */
export const isOfOnDelete = (progress: Times | undefined): boolean =>
  progress !== undefined && progress.endedAt === progress.startedAt;

/** The generation that the update of a PodClique or a scaling group leads to, where one runs. */
export const updatingTo = (progress: Progress<unknown> | undefined): string | undefined =>
  isRunning(progress) ? progress?.generationHash : undefined;

/** An update goes on by the status that says the second: what that names is acted upon once it is
 *  written, and others wait for the end. */
export const isAdvance = (before: Times | undefined, after: Times | undefined): boolean =>
  (isRunning(before) || isRunning(after)) && !isEqual(before, after);

const podsField = 'readyPodsSelectedToUpdate';
const replicasField = 'readyReplicaIndicesSelectedToUpdate';

export const podProgress = (status: JsonObject): Progress<string> | undefined =>
  readProgress(status, podsField, word);

export const replicaProgress = (status: JsonObject): Progress<number> | undefined =>
  readProgress(status, replicasField, count);

function readProgress<T>(
  status: JsonObject,
  field: string,
  read: (value: unknown) => T | undefined,
): Progress<T> | undefined {
  const { updateProgress: progress } = status;
  if (!isObject(progress)) return undefined;
  const templateHash = word(progress['podTemplateHash']);
  const completed = list(at(progress, field, 'completed')).map(read);
  return {
    ...readTimes(progress),
    generationHash: text(progress['podCliqueSetGenerationHash']),
    ...(templateHash === undefined ? {} : { templateHash }),
    current: read(at(progress, field, 'current')),
    completed: completed.filter((one) => one !== undefined),
  };
}

function readTimes(progress: JsonObject): Times {
  const endedAt = word(progress['updateEndedAt']);
  const startedAt = text(progress['updateStartedAt']);
  return { startedAt, ...(endedAt === undefined ? {} : { endedAt }) };
}

export function setProgress(status: JsonObject): SetProgress | undefined {
  const { updateProgress: progress } = status;
  if (!isObject(progress)) return undefined;
  const updating = list(progress['currentlyUpdating']).find(
    (one) => word(at(one, 'updateEndedAt')) === undefined,
  );
  const index = count(at(updating, 'replicaIndex'));
  const startedAt = text(at(updating, 'updateStartedAt'));
  return {
    ...readTimes(progress),
    selected: index === undefined ? undefined : { index, startedAt },
  };
}

/** What others, or a later version, say of the update. */
export function otherFields(status: JsonObject): JsonObject {
  const {
    updateEndedAt: _,
    currentlyUpdating: __,
    [podsField]: ___,
    [replicasField]: ____,
    ...others
  } = object(status['updateProgress']);
  return others;
}

/** The field of a status, without what it counts. */
export const podProgressField = (progress: Progress<string>): JsonObject =>
  writeProgress(progress, podsField);

export const replicaProgressField = (progress: Progress<number>): JsonObject =>
  writeProgress(progress, replicasField);

function writeProgress<T extends string | number>(
  { generationHash, templateHash, current, completed, ...times }: Progress<T>,
  field: string,
): JsonObject {
  return {
    ...writeTimes(times),
    podCliqueSetGenerationHash: generationHash,
    ...(templateHash === undefined ? {} : { podTemplateHash: templateHash }),
    ...(current === undefined ? {} : { [field]: { current, completed: [...completed] } }),
  };
}

const writeTimes = ({ startedAt, endedAt }: Times): JsonObject => ({
  updateStartedAt: startedAt,
  ...(endedAt === undefined ? {} : { updateEndedAt: endedAt }),
});

export const setProgressField = ({ selected, ...times }: SetProgress): JsonObject => ({
  ...writeTimes(times),
  ...(selected === undefined
    ? {}
    : {
        currentlyUpdating: [{ replicaIndex: selected.index, updateStartedAt: selected.startedAt }],
      }),
});
