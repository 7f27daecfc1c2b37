// `kubectl coppice tail`: facts as they happen, from the inspector's stream, which tells only of
// namespaces that the user may see. It comes back by itself after the controller was away.
import { actorKindOf, isClusterScoped } from '#machines/kinds.ts';
import { at, list, numberOf, text } from '#machines/kubernetes/json.ts';
import type { FactRow } from '#src/inspector/protocol.ts';
import { PluginError } from './errors.ts';
import { factText, paintFact, readFact, timeText } from './facts.ts';
import { timeoutIn } from './format.ts';
import { wantedIn } from './kinds.ts';
import type { FlagsOf } from './parse.ts';
import { type Controller, reachControllers } from './reach/controller.ts';
import { eventsIn } from './reach/events.ts';
import type { Session } from './session.ts';

/** Before the controller is looked for again. */
const pauseMs = 2_000;
const answerMs = 15_000;

export async function tail(
  session: Session,
  flags: FlagsOf<'tail'>,
  words: readonly string[],
): Promise<void> {
  const limitMs = timeoutIn(flags.timeout);
  const ends = [session.signal, ...(limitMs === 0 ? [] : [AbortSignal.timeout(limitMs)])];
  const signal = AbortSignal.any(ends);
  const isWanted = filterOf(session, flags, words);
  const print = (fact: FactRow): void => {
    if (isWanted(fact)) session.output.line(lineOf(fact, session, flags));
  };
  // The first time it is said what is wrong; later the controller may be on its way back.
  for (let isFirst = true; !signal.aborted; isFirst = false) {
    try {
      await follow({ session, flags, signal, print });
    } catch (error) {
      if (signal.aborted) return;
      if (isFirst || !isAway(error)) throw error;
    }
    if (signal.aborted) return;
    session.output.note('the stream ended; it is opened again');
    await pause(session, signal);
  }
}

const isAway = (error: unknown): boolean =>
  !(error instanceof PluginError) || error.exit === 'noController' || error.exit === 'notReady';

const pause = ({ clock }: Session, signal: AbortSignal): Promise<void> =>
  new Promise((resolve) => {
    const cancel = clock.at(clock.now() + pauseMs, resolve);
    signal.addEventListener('abort', () => (cancel(), resolve()), { once: true });
  });

interface Following {
  readonly session: Session;
  readonly flags: FlagsOf<'tail'>;
  readonly signal: AbortSignal;
  readonly print: (fact: FactRow) => void;
}

/** Returns when the first stream ends: each process tells its own facts alone, so one stream for
 *  each. */
async function follow(following: Following): Promise<void> {
  const { session, flags, signal } = following;
  const options = { timeoutMs: answerMs, most: Number.MAX_SAFE_INTEGER };
  const controllers = await reachControllers(session, flags, options);
  const stopping = new AbortController();
  const all = AbortSignal.any([signal, stopping.signal]);
  const streams = controllers.map((one) => followOne(one, { ...following, signal: all }));
  try {
    await Promise.race(streams);
  } finally {
    stopping.abort();
    await Promise.allSettled(streams);
    await Promise.all(controllers.map((one) => one.close()));
  }
}

async function followOne(
  controller: Controller,
  { session, signal, print }: Following,
): Promise<void> {
  if ((await controller.get('/api/v1/session')) === undefined) {
    const hint = 'set inspector.enabled, or follow NATS with coppice tail';
    throw new PluginError('refused', `the controller tells no facts: ${hint}`);
  }
  const { body } = await controller.open('/api/v1/stream?facts=all', signal);
  for await (const { type, data } of eventsIn(body)) {
    const event: unknown = JSON.parse(data);
    if (type === 'facts') {
      const skipped = numberOf(at(event, 'skipped')) ?? 0;
      if (skipped > 0) session.output.note(`${skipped} facts were left out: too many at once`);
      for (const value of list(at(event, 'facts'))) {
        const fact = readFact(value);
        if (fact !== undefined) print(fact);
      }
    }
    if (type === 'refused') throw new PluginError('forbidden', text(at(event, 'message')));
  }
}

/** By namespace, kind, name and trace. */
function filterOf(
  { namespace }: Session,
  flags: FlagsOf<'tail'>,
  words: readonly string[],
): (fact: FactRow) => boolean {
  const { kind, name } = wantedIn(words);
  const actor = kind === undefined ? undefined : actorKindOf(kind);
  const isAnywhere = flags['all-namespaces'] || (kind !== undefined && isClusterScoped(kind));
  return ({ about, trace }) => {
    const [ofKind, ofNamespace, ofName] = about.split('/');
    return (
      (actor === undefined || ofKind === actor) &&
      (isAnywhere || ofNamespace === namespace) &&
      (name === undefined || ofName === name) &&
      (flags.trace === undefined || trace === flags.trace)
    );
  };
}

function lineOf(fact: FactRow, { output: { paint } }: Session, flags: FlagsOf<'tail'>): string {
  if (flags.output === 'json') return JSON.stringify(fact);
  const said = paintFact(fact, paint)(`${fact.about} ${factText(fact)}`);
  return `${paint.faint(timeText(fact.at))} ${said} ${paint.faint(fact.trace)}`;
}
