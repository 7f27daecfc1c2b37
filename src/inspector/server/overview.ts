// `/api/v1/overview` and `/api/v1/session`: is anything wrong, who asks, and who owns what. Numbers
// are of the actors that the user may list; what has no names is everybody's. Of all processes that
// answer.
import { realTurns, Slices } from '#src/http/slices.ts';
import type { Overview, Session } from '#src/inspector/protocol.ts';
import type { Call, Inspected } from './call.ts';
import { saying } from './others.ts';
import { wrongParameters } from './query.ts';
import type { Reply } from './replies.ts';
import { Places } from './rights.ts';

const pageOf = (page: Session | Overview): Reply => ({ ok: true, pieces: [JSON.stringify(page)] });

export function showSession(
  { process, others }: Inspected,
  { viewer, query }: Call,
): Promise<Reply> {
  const { version, id, startedAt, stream, clock } = process;
  const page = {
    user: viewer.user,
    commands: true,
    version,
    process: id,
    startedAt,
    now: clock.now(),
    stream,
    shards: others.shards(),
  };
  return Promise.resolve(wrongParameters(query, []) ?? pageOf(page));
}

export async function showOverview(inspected: Inspected, call: Call): Promise<Reply> {
  const wrong = wrongParameters(call.query, []);
  if (wrong !== undefined) return wrong;
  const own = await ofThisProcess(inspected, call);
  if ('ok' in own) return own;
  if (call.isHandedOn) return pageOf(own);
  const { answers, missing } = await inspected.others.ask<Overview>(
    call.viewer.token,
    () => call.path,
  );
  const all = answers.map(({ value }) => value).reduce(sum, own);
  return pageOf({ ...all, ...saying(missing) });
}

async function ofThisProcess(inspected: Inspected, call: Call): Promise<Overview | Reply> {
  const { source, process, access, others } = inspected;
  const slices = new Slices(realTurns);
  const places = new Places();
  for (const { key } of source.rows()) {
    if (slices.isOver) await slices.pause();
    places.add(key);
  }
  const { viewer } = call;
  const refused = await access.learn(viewer, places);
  if (refused !== undefined) return refused;
  const counts = { actors: 0, parked: 0, restarting: 0 };
  for (const { key, parked, state } of source.rows()) {
    if (slices.isOver) await slices.pause();
    if (!viewer.rights.mayList(key)) continue;
    counts.actors++;
    if (parked) counts.parked++;
    // Its mode stands for the state that it has not.
    if (state === 'waiting') counts.restarting++;
  }
  return {
    sequence: source.history.newest,
    ...counts,
    backingOff: [...source.blocked()]
      .filter(({ about }) => viewer.rights.mayList(about))
      .map(({ object, code, until }) => ({ object, code, until })),
    answers: process.answers(),
    writesPerSecond: process.writesPerSecond(),
    watches: process.watches(),
    shards: others.shards(),
  };
}

/** Sequence and shards stay those of the process that was asked. */
const sum = (one: Overview, other: Overview): Overview => ({
  ...one,
  actors: one.actors + other.actors,
  parked: one.parked + other.parked,
  restarting: one.restarting + other.restarting,
  backingOff: [...one.backingOff, ...other.backingOff],
  answers: added(one.answers, other.answers),
  writesPerSecond: one.writesPerSecond + other.writesPerSecond,
  watches: oldest([...one.watches, ...other.watches]),
});

type Answers = Overview['answers'];

const added = (one: Answers, other: Answers): Answers =>
  Object.fromEntries(
    [...new Set([...Object.keys(one), ...Object.keys(other)])].map((code) => [
      code,
      (one[code] ?? 0) + (other[code] ?? 0),
    ]),
  );

/** Of each kind the watch that is silent for longest. */
const oldest = (watches: Overview['watches']): Overview['watches'] =>
  [...Map.groupBy(watches, ({ kind }) => kind)].map(([kind, all]) => ({
    kind,
    ageMs: Math.max(...all.map(({ ageMs }) => ageMs)),
  }));
