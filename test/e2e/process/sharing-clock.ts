// Preloaded into a controller (`node --import`): its clocks run at another rate from its start,
// timers included (`?rate=2`), and SIGUSR2 blocks its event loop for twenty seconds. A process
// cannot tell this from a machine whose oscillator is off, or from a long computation.
import { syncBuiltinESMExports } from 'node:module';
import timers from 'node:timers';

const rate = Number(new URL(import.meta.url).searchParams.get('rate') ?? 1);
const blockMs = 20_000;

const wall = Date.now;
const steady = performance.now.bind(performance);
const startedAt = { wall: wall(), steady: steady() };

Date.now = () => Math.floor(startedAt.wall + (wall() - startedAt.wall) * rate);
Object.defineProperty(performance, 'now', {
  value: () => startedAt.steady + (steady() - startedAt.steady) * rate,
});

for (const name of ['setTimeout', 'setInterval'] as const) {
  const real = timers[name];
  const scaled = (run: (...args: unknown[]) => void, ms = 0, ...args: unknown[]): unknown =>
    real(run, ms / rate, ...args);
  // `promisify` finds the promised form on the function.
  Object.defineProperties(scaled, Object.getOwnPropertyDescriptors(real));
  Object.assign(timers, { [name]: scaled });
  Object.assign(globalThis, { [name]: scaled });
}
syncBuiltinESMExports();

process.on('SIGUSR2', () => {
  const nobody = new Int32Array(new SharedArrayBuffer(4));
  Atomics.wait(nobody, 0, 0, blockMs);
});
