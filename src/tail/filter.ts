// Which facts `coppice tail` shows: by its flags, as the subject to subscribe to. Only a trace is
// not in the subject, so that is looked for in each fact.
import { factKinds } from '#actors/ports.ts';
import { escapeToken } from '#bus/subjects.ts';
import type { ActorKey } from '#machines/contract/address.ts';
import { allActorKinds, isActorKind } from '#machines/kinds.ts';
import { didYouMean } from '#src/config/nearest.ts';

export interface FilterFlags {
  readonly kind: string | undefined;
  readonly namespace: string | undefined;
  readonly name: string | undefined;
  readonly what: string | undefined;
  readonly trace: string | undefined;
}

export interface Filter {
  readonly subject: string;
  /** Empty: facts of all traces. */
  readonly trace: string;
  /** Where one actor is named. */
  readonly about: ActorKey | undefined;
}

/** A text says what is wrong with the flags. */
export function filterOf({
  kind,
  namespace,
  name,
  what,
  trace = '',
}: FilterFlags): Filter | string {
  const actor = kind?.toLowerCase();
  if (actor !== undefined && !isActorKind(actor)) return unknown('kind', actor, allActorKinds());
  if (what !== undefined && !factKinds.some((one) => one === what)) {
    return unknown('what', what, factKinds);
  }
  const place = [namespace, name].map((each) => (each === undefined ? '*' : escapeToken(each)));
  const isOne = actor !== undefined && namespace !== undefined && name !== undefined;
  return {
    subject: ['coppice', 'fact', actor ?? '*', ...place, what ?? '*'].join('.'),
    trace,
    about: isOne ? { kind: actor, namespace, name } : undefined,
  };
}

const unknown = (flag: string, word: string, known: readonly string[]): string =>
  `--${flag}: there is no "${word}"${didYouMean(word, known) || `; known: ${known.join(', ')}`}`;
