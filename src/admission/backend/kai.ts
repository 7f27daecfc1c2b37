// What the KAI scheduler demands of a set (spec api 3.7, controllers 8.4): a queue, by label or
// annotation, on the set or on its cliques. Whether the queue exists is KAI's own affair.
import { at, text } from '#machines/kubernetes/json.ts';
import type { JsonObject } from '#machines/kubernetes/objects.ts';
import type { Rule } from '../rule.ts';
import { annotationOf, cliquesPath, type SetSubject } from '../view.ts';
import { quoted } from '../words.ts';
import { backendRule } from './backend.ts';

const name = 'kai-scheduler';
const key = 'kai.scheduler/queue';

const queueOf = (metadata: JsonObject): string =>
  text(at(metadata, 'labels', key)) || (annotationOf(metadata, key) ?? '');

const onSet = `metadata.labels['${key}']`;
const onClique = (index: number): string => `${cliquesPath}[${index}].annotations['${key}']`;
const noQueue = `a queue is needed: set the label or annotation ${key} on the set or on a clique`;

/** Those that are named, the set's first. */
const queuesOf = ({ set }: SetSubject): ReadonlySet<string> =>
  new Set(
    [set.metadata, ...set.cliques.map(({ raw }) => raw)]
      .map(queueOf)
      .filter((queue) => queue !== ''),
  );

function disagreement(subject: SetSubject): string | undefined {
  const queues = queuesOf(subject);
  return queues.size < 2
    ? undefined
    : `the set and its cliques must name one queue in ${key}, and they name ${quoted(queues)}`;
}

export const kaiRules: readonly Rule<SetSubject>[] = [
  backendRule(
    name,
    'B2',
    `name a queue in \`${key}\` of the set or of a clique`,
    (subject) => (queuesOf(subject).size > 0 ? undefined : noQueue),
    { given: { [onClique(1)]: 'team' } },
    { says: noQueue },
  ),
  backendRule(
    name,
    'B3',
    `name the same queue in \`${key}\` wherever it is set`,
    disagreement,
    { given: { [onSet]: 'team', [onClique(0)]: 'team' } },
    {
      given: { [onSet]: 'team', [onClique(0)]: 'other' },
      says: `the set and its cliques must name one queue in ${key}, and they name "team", "other"`,
    },
  ),
];
