// Preloaded into a controller (`node --import`): on SIGUSR2 it prints for how long its event loop
// was held at most since the last time, in CPU time of the main thread outside the kernel, so that
// neither a busy machine nor one that is short of memory counts: `loop held for 12.3 ms`.
import { threadCpuUsage } from 'node:process';

/** A timer this far ahead fires in the first turn of the loop after that, so between two firings
 *  lie this time and one turn at most. */
const everyMs = 2;

let longestMs = 0;
let last = threadCpuUsage();

setInterval(() => {
  const { user } = threadCpuUsage(last);
  last = threadCpuUsage();
  longestMs = Math.max(longestMs, user / 1000 - everyMs);
}, everyMs).unref();

process.on('SIGUSR2', () => {
  process.stderr.write(`loop held for ${longestMs.toFixed(1)} ms\n`);
  longestMs = 0;
});
