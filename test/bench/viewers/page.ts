// The page by itself: how large it is, when its first rows are there, how it scrolls, how long a
// change takes to be seen, how quickly a trace is drawn; and the bare page in turns with it. The
// rows are made up, so that there are exactly as many as are wanted.
import type { Page } from 'playwright-core';
import { readManifest } from '#src/inspector/page/manifest.ts';
import { Browsing } from '#test/inspector/page/browser.ts';
import { FakeInspector } from '#test/inspector/page/fake.ts';
import { type FakeRow, setOf } from '#test/inspector/page/rows.ts';
import { rolloutFacts } from '#test/inspector/page/scene-facts.ts';
import { trace } from '#test/inspector/page/scene-ids.ts';
import { median, percentile, type Result } from '../statistics.ts';
import { barePage, barePath } from './bare.ts';
import type { ViewersCommand } from './settings.ts';

/** Evaluated in the browser, so texts: when the first row was painted, since the navigation. */
const whenFirstRow = `window.firstRow = new Promise((resolve) => {
  const look = () => requestAnimationFrame(() => {
    if (document.querySelector('[role=gridcell], tbody td') === null) look();
    else setTimeout(() => resolve(performance.now()));
  });
  look();
})`;

/** Milliseconds from frame to frame, while the list is scrolled by 10 rows a frame. */
const scrolled = (count: number): string => `new Promise((resolve) => {
  const box = document.querySelector('[role=treegrid]') ?? document.scrollingElement;
  const frames = [];
  let last;
  const step = (now) => {
    if (last !== undefined) frames.push(now - last);
    last = now;
    box.scrollTop += 240;
    if (frames.length < ${count}) requestAnimationFrame(step);
    else resolve(frames);
  };
  requestAnimationFrame(step);
})`;

/** Notes when each number of restarts of the first set was painted. */
const notePaints = `(() => {
  window.painted = {};
  const look = () => {
    const text = document.querySelectorAll('#row-0 [role=gridcell]')[5]?.textContent;
    if (text === undefined || text in window.painted) return;
    window.painted[text] = undefined;
    requestAnimationFrame(() => setTimeout(() => { window.painted[text] = Date.now(); }));
  };
  new MutationObserver(look).observe(document.body, {
    subtree: true, childList: true, characterData: true, attributes: true,
  });
})()`;

/** From the click on a link to the trace until its facts are painted. */
const traceOpened = `new Promise((resolve) => {
  const from = performance.now();
  const link = document.createElement('a');
  link.href = '/ui/traces/${trace}';
  document.body.append(link);
  link.click();
  link.remove();
  const look = () => requestAnimationFrame(() => {
    if (document.querySelector('#fact-0') === null) look();
    else setTimeout(() => resolve(performance.now() - from));
  });
  look();
})`;

/** Not a multiple of a batch: changes fall anywhere between two. */
const betweenChangesMs = 137;

export async function measurePage(
  { rows, repeat, frames, changes }: ViewersCommand,
  say: (line: string) => void,
): Promise<readonly Result[]> {
  const browsing = await Browsing.open();
  const { folder } = browsing;
  const fake = await FakeInspector.start({ folder });
  try {
    const all = rowsOf(rows);
    fake.change(...all);
    fake.note(...rolloutFacts(Date.now()));
    fake.pages.set(barePath, barePage);
    const results: Result[] = [];
    // The first compiles and fills caches of the browser for both.
    for (let turn = 0; turn <= repeat; turn++) {
      const bare = await lookAt(browsing, fake.url + barePath, frames);
      const own = await lookAt(browsing, `${fake.url}/ui/actors`, frames);
      if (turn === 0) continue;
      say(
        `page ${turn} of ${repeat}: first rows ${own.first_rows_ms} ms, bare ${bare.first_rows_ms} ms`,
      );
      results.push({
        rows: all.length,
        page_gzip_kb: sizeOf(folder),
        ...own,
        bare_first_rows_ms: bare.first_rows_ms,
        bare_frame_p95_ms: bare.frame_p95_ms,
        first_rows_ratio: round(own.first_rows_ms / bare.first_rows_ms),
        frame_p95_ratio: round(own.frame_p95_ms / bare.frame_p95_ms),
        ...(await measureNews(browsing, fake, all, changes)),
      });
    }
    return results;
  } finally {
    await fake.stop();
    await browsing.close();
  }
}

const round = (value: number): number => Math.round(value * 100) / 100;

/** All that a visit to every view loads. */
function sizeOf(folder: string): number {
  const files = Object.entries(readManifest(folder).files);
  const loaded = files.filter(([name]) => /\.(?:js|css)$/.test(name));
  return round(loaded.reduce((sum, [, { gzipBytes }]) => sum + gzipBytes, 0) / 1000);
}

function rowsOf(count: number): readonly FakeRow[] {
  const since = Date.now() - 3_600_000;
  const rows: FakeRow[] = [];
  for (let set = 0; rows.length < count; set++) {
    rows.push(...setOf(`team-${set % 20}`, `model-${set}`, 4, 4, since));
  }
  return rows.slice(0, count);
}

async function lookAt(browsing: Browsing, url: string, count: number) {
  const tab = await browsing.tab();
  await tab.addInitScript(whenFirstRow);
  await tab.goto(url);
  const firstRows = await numberIn(tab, 'window.firstRow');
  const frames: readonly number[] = await tab.evaluate(scrolled(count));
  await browsing.closeTabs();
  return {
    first_rows_ms: round(firstRows),
    frame_p50_ms: round(median(frames)),
    frame_p95_ms: round(percentile(frames, 95)),
  };
}

const numberIn = async (tab: Page, expression: string): Promise<number> =>
  Number(await tab.evaluate(expression));

async function measureNews(
  browsing: Browsing,
  fake: FakeInspector,
  rows: readonly FakeRow[],
  changes: number,
): Promise<Result> {
  const [first] = rows;
  if (first === undefined) return {};
  const tab = await browsing.tab();
  await tab.goto(`${fake.url}/ui/actors`);
  await tab.locator('#row-0').waitFor();
  await tab.evaluate(notePaints);
  const sent = new Map<string, number>();
  for (let change = 1; change <= changes; change++) {
    sent.set(String(change), Date.now());
    fake.change({ ...first, restarts: change });
    await new Promise((resolve) => setTimeout(resolve, betweenChangesMs));
  }
  const painted: Readonly<Record<string, number>> = await tab.evaluate('window.painted');
  const took = [...sent].flatMap(([text, at]) => (painted[text] ? [painted[text] - at] : []));
  const heap = await numberIn(tab, 'performance.memory.usedJSHeapSize');
  const drawn = await tab.getByRole('row').count();
  const traced = await numberIn(tab, traceOpened);
  fake.change(first);
  await browsing.closeTabs();
  return {
    paints_seen: took.length,
    fact_to_paint_p50_ms: percentile(took, 50),
    fact_to_paint_p95_ms: percentile(took, 95),
    trace_of_200_ms: round(traced),
    drawn_rows: drawn,
    page_heap_mb: round(heap / 1e6),
  };
}
