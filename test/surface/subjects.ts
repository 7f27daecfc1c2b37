// What is on the bus: the grammar of subjects, shown by example, and the kinds of fact.
import { factKinds } from '#actors/ports.ts';
import { formatSubject, type Subject } from '#bus/subjects.ts';
import { questions } from '#machines/contract/question.ts';
import { allActorKinds } from '#machines/kinds.ts';
import { page } from './page.ts';

const key = { kind: 'podclique', namespace: 'team-a', name: 'demo-0-worker' } as const;

/** One subject of each type, and one whose name has a dot. */
const examples: readonly Subject[] = [
  { type: 'fact', about: key, what: 'transition' },
  { type: 'fact', about: { ...key, name: 'demo.v2-0-worker' }, what: 'wrote' },
  { type: 'tell', shard: 3, to: key },
  { type: 'ask', about: key, question: 'why' },
  { type: 'owner', shard: 3, about: key, question: 'why' },
];

export const renderSubjects = (): string =>
  page(
    'coppice.fact.<kind>.<namespace>.<name>.<what>',
    'coppice.tell.<shard>.<kind>.<namespace>.<name>',
    'coppice.ask.<kind>.<namespace>.<name>.<question>',
    'coppice.owner.<shard>.<kind>.<namespace>.<name>.<question>',
    '',
    `kind: ${allActorKinds().join(' ')}`,
    `question: ${questions.join(' ')}`,
    '',
    ...examples.map((subject) => {
      const result = formatSubject(subject);
      return `example: ${result.ok ? result.value : 'none'}`;
    }),
  );

export const renderFacts = (): string => page(...factKinds);
