// The examples of docs/activator.md, from the code that they are about: when the high-water mark of
// a table of pods falls, and what tables take in memory. The rest of the page is written by hand.
import { memoryExamples, trimExamples } from '#test/activator/table/examples.ts';
import { removeAt, tableOf } from '#test/activator/table/support.ts';
import { pageWith, table } from './page.ts';

export const activatorPath = 'docs/activator.md';

/** Each row is what a table does. */
const trimRows = (): readonly (readonly string[])[] =>
  trimExamples.flatMap(({ start, pods, release, releases }) => {
    const table_ = tableOf(pods);
    return releases.map(({ places, because }, at) => {
      removeAt(table_, ...places);
      const { highWater, live } = table_.figures;
      const [first, then] = at === 0 ? [start, release] : ['', ''];
      const empty = `${highWater - live} of ${highWater}`;
      return [first, then, String(highWater), empty, because];
    });
  });

/** Of a revision with a maximal scale of 1,000. */
const memoryRows = memoryExamples.map(({ what, most, pods, kilobytes }) => [
  what,
  `${most - pods} (${(((most - pods) / most) * 100).toFixed(1)} %)`,
  `${kilobytes} kB`,
]);

const sections = (): readonly string[] => [
  'When the mark falls:',
  '',
  ...table(
    ['start', 'release the pods at', 'mark', 'of those below it empty', 'because'],
    trimRows(),
  ),
  '',
  'What it costs: a revision with a maximal scale of 1,000 plans for 2,000 slots, as 1,000 pods may start while 1,000 drain.',
  '',
  ...table(['a table with', 'empty slots below the mark', 'memory'], memoryRows),
];

/** The page as it is, with these tables anew. */
export const activatorPage = (): string =>
  pageWith(activatorPath, 'test/activator/table/examples.ts', sections());
