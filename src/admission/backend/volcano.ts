// What Volcano and LPX demand of a set (spec api 3.7, controllers 8.4): no topology constraints;
// for Volcano one queue that is there and open.
import { checkSubdomain } from '#machines/kubernetes/names.ts';
import type { JsonObject } from '#machines/kubernetes/objects.ts';
import type { Found } from '../situation.ts';
import type { Rule } from '../rule.ts';
import { annotationOf, cliquesPath, type SetSubject, type SetView } from '../view.ts';
import { quoted } from '../words.ts';
import { backendRule, isFor, noConstraintsRule } from './backend.ts';

const volcano = 'volcano';
const key = 'scheduling.grove.io/volcano-queue';
const fallback = 'default';

const onSet = `metadata.annotations['${key}']`;
const onClique = (index: number): string => `${cliquesPath}[${index}].annotations['${key}']`;
const there = (name: string, state = 'Open'): Found => ({
  queues: { [name]: { is: 'there', state } },
});
const queueOf = (metadata: JsonObject): string => (annotationOf(metadata, key) ?? '').trim();
const ofCliques = ({ cliques }: SetView): readonly string[] =>
  cliques.map(({ raw }) => queueOf(raw));

/** The queue of each clique: its own, or that of the set, or `default`. */
const resolved = (set: SetView): ReadonlySet<string> =>
  new Set(ofCliques(set).map((own) => own || queueOf(set.metadata) || fallback));

/** The queue that has to be looked up, where the backend of the set is Volcano. */
export function volcanoQueueOf(subject: Pick<SetSubject, 'set' | 'settings'>): string | undefined {
  if (!isFor(subject, volcano)) return undefined;
  const [queue, another] = resolved(subject.set);
  return another === undefined ? queue : undefined;
}

function wrongName({ set }: SetSubject): string | undefined {
  const names = [queueOf(set.metadata), ...ofCliques(set)].filter((queue) => queue !== '');
  const wrong = names.find((queue) => checkSubdomain(queue).length > 0);
  return wrong === undefined
    ? undefined
    : `${key} is "${wrong}": ${checkSubdomain(wrong).join(', ')}`;
}

function contradiction({ set }: SetSubject): string | undefined {
  const own = queueOf(set.metadata);
  const other = ofCliques(set).find((queue) => queue !== '' && queue !== own);
  return own === '' || other === undefined
    ? undefined
    : `the set and its cliques must name one queue in ${key}, and they name "${own}", "${other}"`;
}

function difference({ set }: SetSubject): string | undefined {
  const queues = resolved(set);
  return queues.size < 2
    ? undefined
    : `all cliques must go to one queue by ${key}, and they go to ${quoted(queues)}`;
}

function closedQueue(subject: SetSubject): string | undefined {
  const name = volcanoQueueOf(subject);
  if (name === undefined) return undefined;
  const queue = subject.found.queues?.[name] ?? { is: 'missing' };
  if (queue.is === 'missing') return `there is no Volcano queue "${name}"; create it first`;
  if (queue.is === 'unknown') return `the Volcano queue "${name}" cannot be read: ${queue.why}`;
  const { state } = queue;
  if (state === 'Open') return undefined;
  return `the Volcano queue "${name}" is ${state || 'not open yet'}; it must be Open`;
}

export const volcanoRules: readonly Rule<SetSubject>[] = [
  noConstraintsRule(volcano, 'B4', there(fallback)),
  backendRule(
    volcano,
    'B5',
    `have DNS-1123 subdomains in \`${key}\``,
    wrongName,
    { given: { [onSet]: ' team ' }, found: there('team') },
    { given: { [onSet]: '-' }, says: `${key} is "-": ${checkSubdomain('-').join(', ')}` },
  ),
  backendRule(
    volcano,
    'B6',
    `have no clique that contradicts the set's \`${key}\``,
    contradiction,
    { given: { [onSet]: 'team', [onClique(0)]: 'team' }, found: there('team') },
    {
      given: { [onSet]: 'team', [onClique(2)]: 'other' },
      says: `the set and its cliques must name one queue in ${key}, and they name "team", "other"`,
    },
  ),
  backendRule(
    volcano,
    'B7',
    'have all its cliques in one queue',
    difference,
    {
      given: { [onClique(0)]: 'team', [onClique(1)]: 'team', [onClique(2)]: 'team' },
      found: there('team'),
    },
    {
      given: { [onClique(0)]: 'team' },
      says: `all cliques must go to one queue by ${key}, and they go to "team", "default"`,
    },
  ),
  backendRule(
    volcano,
    'B8',
    'have a queue that is there and open',
    closedQueue,
    { given: { [onSet]: 'team' }, found: there('team') },
    { says: 'there is no Volcano queue "default"; create it first' },
    {
      found: there(fallback, 'Closed'),
      says: 'the Volcano queue "default" is Closed; it must be Open',
    },
  ),
];

export const lpxRules: readonly Rule<SetSubject>[] = [noConstraintsRule('lpx-scheduler', 'B9', {})];
