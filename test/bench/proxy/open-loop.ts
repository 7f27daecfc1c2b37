// Requests at a constant rate, whatever becomes of them:
// `node open-loop.ts RATE SECONDS PORT,PORT…` prints one JSON line. Latency counts from when a
// request was due, not from when it was sent, so that a stall hides in no figure (coordinated
// omission). The first second opens connections and compiles: it is left out of the figures.
import { Pool } from 'undici';
import { percentile } from '../statistics.ts';
import { requestHeaders } from './contenders/names.ts';

export interface OpenFigures {
  readonly sent: number;
  readonly failed: number;
  readonly p50_ms: number;
  readonly p90_ms: number;
  readonly p99_ms: number;
  readonly p999_ms: number;
  readonly max_ms: number;
}

const [rate = 1000, seconds = 5] = process.argv.slice(2, 4).map(Number);
const ports = (process.argv[4] ?? '').split(',');
const pools = ports.map((port) => new Pool(`http://127.0.0.1:${port}`, { pipelining: 1 }));
const leadIn = rate;
const total = leadIn + Math.round(rate * seconds);
const latencies: number[] = [];
let sent = 0;
let failed = 0;

function send(due: number, pool: Pool, isMeasured: boolean, over: () => void): void {
  let status = 0;
  pool.dispatch(
    { path: '/', method: 'GET', headers: requestHeaders },
    {
      onRequestStart: () => {},
      onResponseStart: (_controller, code) => {
        status = code;
      },
      onResponseData: () => {},
      onResponseEnd: () => {
        if (status !== 200) failed += 1;
        if (isMeasured) latencies.push(performance.now() - due);
        over();
      },
      onResponseError: () => {
        failed += 1;
        over();
      },
    },
  );
}

await new Promise<void>((resolve) => {
  const begun = performance.now();
  let open = 0;
  const over = (): void => {
    open -= 1;
    if (open === 0 && sent === total) resolve();
  };
  const tick = (): void => {
    const owed = Math.min(total, Math.floor(((performance.now() - begun) / 1000) * rate) + 1);
    for (; sent < owed; sent += 1) {
      const pool = pools[sent % pools.length];
      if (pool === undefined) return resolve();
      open += 1;
      send(begun + (sent / rate) * 1000, pool, sent >= leadIn, over);
    }
    if (sent < total) setTimeout(tick, 1);
  };
  tick();
});
const at = (percent: number): number => Math.round(percentile(latencies, percent) * 100) / 100;
const figures: OpenFigures = {
  sent,
  failed,
  p50_ms: at(50),
  p90_ms: at(90),
  p99_ms: at(99),
  p999_ms: at(99.9),
  max_ms: at(100),
};
process.stdout.write(`${JSON.stringify(figures)}\n`);
process.exit();
