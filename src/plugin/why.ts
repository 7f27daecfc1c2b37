// `kubectl coppice why`: what an object waits for, in the words of the question `why`, which are
// those of the page and of `nats req` (docs/why.md).
import { actorId, type ActorKey } from '#machines/contract/address.ts';
import { at, list, numberOf, text } from '#machines/kubernetes/json.ts';
import type { JsonObject } from '#machines/kubernetes/objects.ts';
import { sayWhen } from '#machines/kubernetes/time.ts';
import { formatted, timeoutIn } from './format.ts';
import { keyIn } from './kinds.ts';
import type { FlagsOf } from './parse.ts';
import { dataOf, withController } from './reach/controller.ts';
import type { Session } from './session.ts';
import type { Paint } from './show/paint.ts';
import { oneLine, span } from './show/table.ts';

export async function showWhy(
  session: Session,
  flags: FlagsOf<'why'>,
  words: readonly string[],
): Promise<void> {
  const { output, clock } = session;
  const key = keyIn(words, session.namespace);
  const data = await withController(session, flags, timeoutIn(flags.timeout), async ({ ask }) =>
    dataOf(await ask(key, 'why')),
  );
  if (flags.output !== 'text') output.line(formatted(data, flags.output));
  else for (const line of whyLines(key, data, clock.now(), output.paint)) output.line(line);
}

/** The state first, then the reasons, then what else is known. */
export function whyLines(
  key: ActorKey,
  data: JsonObject,
  now: number,
  paint: Paint,
): readonly string[] {
  const reasons = list(data['because']).map((reason) => `  ${oneLine(text(reason))}`);
  const wakesAt = numberOf(data['wakesAt']);
  const state = stateText(data['value']) || text(data['mode']);
  return [
    `${paint.strong(actorId(key))} ${paint.faint(state)}`,
    ...(reasons.length === 0 ? [`  ${paint.good('it waits for nothing')}`] : reasons),
    ...(wakesAt === undefined ? [] : [`  it looks again ${sayWhen(wakesAt, now)}`]),
    ...blockedLines(list(data['blocked']), paint),
    ...decisionLines(list(data['decisions']), now, paint),
  ];
}

/** `{"active":{"pods":"waiting"}}` as `active(pods: waiting)`. */
export function stateText(value: unknown): string {
  if (typeof value === 'string') return value;
  if (typeof value !== 'object' || value === null) return '';
  const parts = Object.entries(value).map(([name, below]) => {
    const inner = stateText(below);
    return typeof below === 'string' ? `${name}: ${inner}` : `${name}(${inner})`;
  });
  return parts.join(', ');
}

function blockedLines(blocked: readonly unknown[], paint: Paint): readonly string[] {
  if (blocked.length === 0) return [];
  const lines = blocked.map((one) => {
    const [object, code, message] = ['object', 'code', 'message'].map((name) =>
      text(at(one, name)),
    );
    return `    ${object}: ${paint.bad(code ?? '')} ${oneLine(message ?? '')}`;
  });
  return ['  writes that failed:', ...lines];
}

function decisionLines(
  decisions: readonly unknown[],
  now: number,
  paint: Paint,
): readonly string[] {
  if (decisions.length === 0) return [];
  const lines = decisions.map((one) => {
    const ago = span(now - (numberOf(at(one, 'at')) ?? now));
    return `    ${paint.faint(`${ago} ago`)} ${text(at(one, 'what'))}: ${oneLine(text(at(one, 'why')))}`;
  });
  return ['  decisions:', ...lines];
}
