// `kubectl coppice trace`: what led to the newest fact of an object, or a trace by its id, as a tree
// of causes. What the controller remembers, it says; what it has forgotten, too.
import { type ActorKey, actorId } from '#machines/contract/address.ts';
import { at, list } from '#machines/kubernetes/json.ts';
import type { FactRow } from '#src/inspector/protocol.ts';
import { PluginError } from './errors.ts';
import { readFact, timeText, traceLines } from './facts.ts';
import { formatted, timeoutIn } from './format.ts';
import { keyIn } from './kinds.ts';
import type { FlagsOf } from './parse.ts';
import { type Controller, reachController } from './reach/controller.ts';
import type { Session } from './session.ts';

export async function showTrace(
  session: Session,
  flags: FlagsOf<'trace'>,
  words: readonly string[],
): Promise<void> {
  const { output } = session;
  const [word = ''] = words;
  const isId = words.length === 1 && !word.includes('/');
  const key = isId ? undefined : keyIn(words, session.namespace);
  const timeoutMs = timeoutIn(flags.timeout);
  const controller = await reachController(session, flags, timeoutMs);
  try {
    const id = key === undefined ? word : await newestTrace(controller, key);
    const page = served(await controller.get(`/api/v1/traces/${encodeURIComponent(id)}`));
    const facts = factsIn(page);
    const [first] = facts;
    if (first === undefined) throw unknownTrace(id);
    if (flags.output !== 'text') {
      output.line(formatted(page, flags.output));
      return;
    }
    output.line(`trace ${output.paint.strong(id)}, begun at ${timeText(first.at)}`);
    for (const line of traceLines(facts, output.paint)) output.line(line);
    if (at(page, 'isWhole') === false) {
      output.note('some facts of it may be lost: they were forgotten, or are of another process');
    }
  } finally {
    await controller.close();
  }
}

/** `podclique/default/demo`, as a path of the inspector; an empty namespace is written `-`. */
export const actorPath = ({ kind, namespace, name }: ActorKey): string =>
  `/api/v1/actors/${[kind, namespace || '-', name].map(encodeURIComponent).join('/')}`;

async function newestTrace(controller: Controller, key: ActorKey): Promise<string> {
  const history = served(await controller.get(`${actorPath(key)}/history?limit=1`));
  const [newest] = factsIn(history);
  if (newest !== undefined) return newest.trace;
  const id = actorId(key);
  throw new PluginError('notFound', `nothing is remembered of ${id}: it has done nothing lately`);
}

/** Facts are told by the inspector, which may be off. */
function served(page: unknown): unknown {
  if (page !== undefined) return page;
  const hint = 'set inspector.enabled, or follow NATS with coppice tail';
  throw new PluginError('refused', `the controller tells no facts: ${hint}`);
}

const factsIn = (page: unknown): readonly FactRow[] =>
  list(at(page, 'facts'))
    .map(readFact)
    .filter((fact) => fact !== undefined);

const unknownTrace = (id: string): PluginError =>
  new PluginError('notFound', `no fact of trace "${id}" is remembered`);
