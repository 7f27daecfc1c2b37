// Preloaded into a controller (`node --import`): on SIGUSR2 it prints for how long its event loop
// was held at most since the last time, in CPU time of the main thread, so that a busy machine does
// not count, and without garbage collection, which any work may bring: `loop held for 12.3 ms`.
import { performance, PerformanceObserver } from 'node:perf_hooks';
import { threadCpuUsage } from 'node:process';

/** A timer this far ahead fires in the first turn of the loop after that, so between two firings
 *  lie this time and one turn at most. */
const everyMs = 2;

/** Shorter turns interest nobody. */
const shortMs = 1;

interface Turn {
  readonly from: number;
  readonly to: number;
  readonly cpuMs: number;
}

let turns: Turn[] = [];
let collections: { readonly from: number; readonly to: number }[] = [];
let from = performance.now();
let used = threadCpuUsage();

setInterval(() => {
  const { user, system } = threadCpuUsage(used);
  const cpuMs = (user + system) / 1000 - everyMs;
  const to = performance.now();
  if (cpuMs > shortMs) turns.push({ from, to, cpuMs });
  from = to;
  used = threadCpuUsage();
}, everyMs).unref();

new PerformanceObserver((entries) => {
  for (const { startTime, duration } of entries.getEntries()) {
    collections.push({ from: startTime, to: startTime + duration });
  }
}).observe({ entryTypes: ['gc'] });

const collectingMs = (turn: Turn): number =>
  collections
    .map((one) => Math.min(one.to, turn.to) - Math.max(one.from, turn.from))
    .reduce((sum, ms) => sum + Math.max(0, ms), 0);

process.on('SIGUSR2', () => {
  // The observer hears of a collection in a later turn.
  setTimeout(() => {
    const held = turns.map((turn) => turn.cpuMs - collectingMs(turn));
    process.stderr.write(`XX ${JSON.stringify(turns.filter(t=>t.cpuMs>15).map(t=>[t.cpuMs, collectingMs(t), t.to-t.from]))}\n`);
    process.stderr.write(`loop held for ${Math.max(0, ...held).toFixed(1)} ms\n`);
    turns = [];
    collections = [];
  }, 2 * everyMs);
});
