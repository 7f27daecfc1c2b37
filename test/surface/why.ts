// docs/why.md: the situations in which somebody is stuck, each with what `why` answers there.
import { objectKind } from '#machines/kinds.ts';
import type { Situation } from '#test/machines/stuck/situation.ts';
import { situations } from '#test/machines/stuck/table.ts';
import { generatedBy, page, table } from './page.ts';

const opening = [
  '# Why is it stuck?',
  '',
  generatedBy('test/machines/stuck'),
  '',
  'Each actor answers the question `why` with sentences, the most important first: what it waits for, and when something happens next.',
  'Ask over [the bus](bus.md#questions) or [HTTPS](questions.md); begin with the PodCliqueSet, and go on with the object that its answer',
  'names. The sentences are `because` in the answer; `wakesAt` is when the actor looks again, and `blocked` lists writes that failed.',
  '',
  '```sh',
  "nats req coppice.ask.podcliqueset.<namespace>.<name>.why ''",
  '```',
  '',
  'The answers below come from the machines themselves: a set `demo` of two pods in namespace `demo`, on a day that begins at',
  '2026-01-01T00:00:00Z. An answer without a time has no deadline: somebody or something else must act first.',
  '`test/e2e/stuck/` brings these and more about on the embedded cluster, of ComputeDomains and sandboxes too, and asks on the page, with',
  '`kubectl coppice why` and over NATS: all three say the same.',
];

const code = (sentence: string): string => `\`${sentence}\``;

/** The runtime says these; test/actors/questions/reasons.test.ts compares. */
const ofRuntime = [
  '## Stopped actors, failed writes and the process itself',
  '',
  'Any actor may answer with these in addition, or instead while its machine does not run:',
  '',
  ...table(
    ['what is the matter', 'answer'],
    [
      [
        'its machine crashed time and again',
        'parked after <n> restarts: <error>; a new spec, unpark or the end of its object ends that',
      ],
      [
        'somebody stopped it',
        'parked: <reason>; a new spec, unpark or the end of its object ends that',
      ],
      ['its machine crashed', 'waiting: it crashed and is started again in <time>, at <time>'],
      [
        'a write failed, e.g. by a webhook or a quota',
        '<object> (and <n> more) is written again in <time>, at <time>',
      ],
      ['a write was refused for good', '<object> is not written again before the spec changes'],
      [
        'its kind, or another one, is not served any more, e.g. as its CRD is of another release',
        'no change of a <kind> is seen since <time>: <error>',
      ],
      [
        'the API server does not take the renewal of the Lease',
        'the Lease of shard <n> is not renewed in time: nothing is written until it is',
      ],
      [
        'NATS is cut off',
        'NATS is not connected (<error>): facts stay in this process, and nothing else waits for it',
      ],
    ].map(([matter = '', answer = '']) => [matter, code(answer)]),
  ),
];

function answerOf({ asked, world: make, says }: Situation): string {
  const said = make().why(asked);
  return code(said.find((one) => says.every((words) => one.includes(words))) ?? 'NO ANSWER');
}

const sectionOf = ([title, rows]: readonly [string, readonly Situation[]]): readonly string[] => [
  `## ${title}`,
  '',
  ...table(
    ['what is the matter', 'asked', 'answer'],
    rows.map((row) => [
      row.matter,
      `${objectKind(row.asked.kind)} ${row.asked.name}`,
      answerOf(row),
    ]),
  ),
  '',
];

export const whyPage = (): string =>
  page(...opening, '', ...Object.entries(situations).flatMap(sectionOf), ...ofRuntime);
