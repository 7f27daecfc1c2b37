// `kubectl coppice trace`: what led to the newest fact of an object, or a trace by its id, as a
// tree of causes. What the controller remembers, it says; what it has forgotten, too.
import { type ActorKey, actorId } from '#machines/contract/address.ts';
import { at, list, object } from '#machines/kubernetes/json.ts';
import type { JsonObject } from '#machines/kubernetes/objects.ts';
import type { FactRow } from '#src/inspector/protocol.ts';
import { PluginError } from './errors.ts';
import { readFact, timeText, traceLines } from './facts.ts';
import { formatted, timeoutIn } from './format.ts';
import { keyIn } from './kinds.ts';
import type { FlagsOf } from './parse.ts';
import { type Controller, dataOf, withController } from './reach/controller.ts';
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
  const { id, page } = await withController(session, flags, timeoutMs, async (controller) => {
    const id = key === undefined ? word : await newestTrace(controller, key);
    return { id, page: await pageOf(controller, id, key) };
  });
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
}

async function newestTrace(controller: Controller, key: ActorKey): Promise<string> {
  const [newest] = factsIn(dataOf(await controller.ask(key, 'history', { limit: 1 })));
  if (newest !== undefined) return newest.trace;
  const id = actorId(key);
  throw new PluginError('notFound', `nothing is remembered of ${id}: it has done nothing lately`);
}

/** Of all that the user may see, where the inspector is on; else of the namespace of the object. */
async function pageOf(
  controller: Controller,
  id: string,
  key: ActorKey | undefined,
): Promise<JsonObject> {
  const page = await controller.get(`/api/v1/traces/${encodeURIComponent(id)}`);
  if (page !== undefined) return object(page);
  if (key !== undefined) return dataOf(await controller.ask(key, 'trace', { id }));
  const hint = 'set inspector.enabled, or name an object instead of the id';
  throw new PluginError('refused', `the controller finds no trace by its id: ${hint}`);
}

const factsIn = (page: unknown): readonly FactRow[] =>
  list(at(page, 'facts'))
    .map(readFact)
    .filter((fact) => fact !== undefined);

const unknownTrace = (id: string): PluginError =>
  new PluginError('notFound', `no fact of trace "${id}" is remembered`);
