// What the KAI scheduler demands of a set (spec api 3.7, controllers 8.4): a queue, by label or
// annotation, on the set or on its cliques. Whether the queue exists is KAI's own affair.
import type { JsonObject } from '#machines/kubernetes/objects.ts';
import type { Example, Refusal, Rule } from '../rule.ts';
import { annotationOf, cliquesPath, labelOf, type SetSubject } from '../view.ts';
import { quoted } from '../words.ts';
import { forBackend, isFor, refusal } from './backend.ts';

const name = 'kai-scheduler';
const key = 'kai.scheduler/queue';

const queueOf = (metadata: JsonObject): string =>
  labelOf(metadata, key) || (annotationOf(metadata, key) ?? '');

const onSet = `metadata.labels['${key}']`;
const onClique = (index: number): string => `${cliquesPath}[${index}].annotations['${key}']`;
const kai = <E extends Example>(example: E): E => forBackend(name, example);

export const kaiRules: readonly Rule<SetSubject>[] = [
  {
    id: 'B2',
    field: 'spec',
    demands: `name a queue in \`${key}\` of the set or of a clique, for ${name}`,
    check: (subject) => refusal(name, isFor(subject, name) ? missing(subject) : undefined),
    accepts: kai({ given: { [onClique(1)]: 'team' } }),
    refuses: kai<Refusal>({
      says:
        `spec: Invalid value: "${name}": a queue is needed: set the label or annotation` +
        ` ${key} on the set or on a clique`,
    }),
  },
  {
    id: 'B3',
    field: 'spec',
    demands: `name the same queue in \`${key}\` wherever it is set, for ${name}`,
    check: (subject) => refusal(name, isFor(subject, name) ? disagreement(subject) : undefined),
    accepts: kai({ given: { [onSet]: 'team', [onClique(0)]: 'team' } }),
    refuses: kai({
      given: { [onSet]: 'team', [onClique(0)]: 'other' },
      says:
        `spec: Invalid value: "${name}": the set and its cliques must name one queue in` +
        ` ${key}, and they name "team", "other"`,
    }),
  },
];

/** Those that are named, the set's first. */
const queuesOf = ({ set }: SetSubject): ReadonlySet<string> =>
  new Set(
    [set.metadata, ...set.cliques.map(({ raw }) => raw)]
      .map(queueOf)
      .filter((queue) => queue !== ''),
  );

const missing = (subject: SetSubject): string | undefined =>
  queuesOf(subject).size > 0
    ? undefined
    : `a queue is needed: set the label or annotation ${key} on the set or on a clique`;

function disagreement(subject: SetSubject): string | undefined {
  const queues = queuesOf(subject);
  return queues.size < 2
    ? undefined
    : `the set and its cliques must name one queue in ${key}, and they name ${quoted(queues)}`;
}
