// Reports to Knative's autoscaler: what is on the wire, and what becomes of them while nobody
// listens.
import { describe, expect, it, onTestFinished } from 'vitest';
import { startKnativeReports, type ReportLimits } from '#src/activator/scaling/knative.ts';
import type { Report } from '#src/activator/scaling/ledger.ts';
import { encodeReports } from '#src/activator/scaling/stat.ts';
import { systemClock, systemRandom } from '#src/time/clock.ts';
import { webSocketServer } from './websocket-server.ts';

const report = (revision: string, concurrency: number, count: number): Report => ({
  revision,
  concurrency,
  count,
});

const quick: Partial<ReportLimits> = { backoffMs: 5, slowestMs: 20, pingMs: 5, silenceMs: 1_000 };

function reporting(url: string, limits: Partial<ReportLimits> = {}) {
  const lines: string[] = [];
  const reports = startKnativeReports({
    url,
    pod: 'activator-1',
    clock: systemClock,
    random: systemRandom,
    log: (level, message) => void lines.push(`${level} ${message}`),
    limits: { ...quick, ...limits },
  });
  onTestFinished(() => reports.stop());
  return { reports, lines };
}

/** Fields of a message by number: texts, doubles and messages below. */
function fields(message: Buffer): ReadonlyMap<number, readonly (Buffer | number)[]> {
  const found = new Map<number, (Buffer | number)[]>();
  for (let at = 0; at < message.length;) {
    const tag = message.readUInt8(at);
    let value: Buffer | number;
    if ((tag & 7) === 1) {
      value = message.readDoubleLE(at + 1);
      at += 9;
    } else {
      let length = 0;
      let shift = 0;
      let byte = 0x80;
      for (at += 1; byte >= 0x80; at += 1, shift += 7) {
        byte = message.readUInt8(at);
        length |= (byte & 0x7f) << shift;
      }
      value = message.subarray(at, at + length);
      at += length;
    }
    found.set(tag >> 3, [...(found.get(tag >> 3) ?? []), value]);
  }
  return found;
}

const bufferOf = (value: Buffer | number | undefined): Buffer =>
  value instanceof Buffer ? value : Buffer.alloc(0);

const linesOf = (message: Buffer) =>
  (fields(message).get(1) ?? []).map((wire) => {
    const line = fields(bufferOf(wire));
    return { line, stat: fields(bufferOf(line.get(3)?.[0])) };
  });

/** `namespace/name concurrency count` of each line of a batch. */
function decoded(message: Buffer): readonly string[] {
  return linesOf(message).map(({ line, stat }) => {
    const [namespace, name] = [1, 2].map((number) => bufferOf(line.get(number)?.[0]).toString());
    const [concurrency = 0, count = 0] = [2, 4].map((number) => stat.get(number)?.[0] ?? 0);
    return `${namespace}/${name} ${String(concurrency)} ${String(count)}`;
  });
}

describe('A batch of reports', () => {
  it('is what Knative decodes, byte for byte: fractions of seconds, and no time of its own (H-122, H-124)', () => {
    const batch = [report('ns', 0, 0), report('ns/rev', 1.5, 2)].slice(1);
    const hex = encodeReports(batch, { pod: 'a', uptime: 0.25 }).toString('hex');
    const stat = ['0a0161', '11000000000000f83f', '210000000000000040', '31000000000000d03f'].join(
      '',
    );
    expect(hex).toBe(`0a290a026e7312037265761a1e${stat}`);
  });

  it('has names of any length, that of the reporter in each line (H-136)', () => {
    const long = 'x'.repeat(300);
    const batch = [report(`demo/${long}`, 1, 1), report('demo/b', 2, 0)];
    const message = encodeReports(batch, { pod: long, uptime: 1 });
    expect(decoded(message)).toEqual([`demo/${long} 1 1`, 'demo/b 2 0']);
    const reporters = linesOf(message).map(({ stat }) => bufferOf(stat.get(1)?.[0]).toString());
    expect(reporters).toEqual([long, long]);
  });
});

describe('Reports to the autoscaler of Knative', () => {
  it('are one message for each batch, and readiness says when there is a connection (H-95)', async () => {
    const server = await webSocketServer();
    const { reports } = reporting(server.url);
    expect(reports.ready.run()).toBe('connection has not yet been established');
    await expect.poll(() => reports.ready.run()).toBeUndefined();
    reports.report([report('demo/a', 1, 1), report('demo/b', 2.5, 0)]);
    await expect.poll(() => server.messages.map(decoded)).toEqual([['demo/a 1 1', 'demo/b 2.5 0']]);
  });

  it('are kept while there is no connection, the newest of each revision, and no request is forgotten', async () => {
    const first = await webSocketServer();
    const { port, url } = first;
    await first.close();
    const { reports, lines } = reporting(url);
    reports.report([{ ...report('demo/a', 1, 1), isFirst: true }]);
    reports.report([report('demo/a', 0, 0), report('demo/b', 3, 1)]);
    reports.report([report('demo/b', 4, 2)]);
    await expect.poll(() => lines.includes('warn no connection to the autoscaler')).toBe(true);
    const server = await webSocketServer(port);
    await expect.poll(() => server.messages.map(decoded)).toEqual([['demo/a 1 1', 'demo/b 4 3']]);
  });

  it('go on after the server has hung up, and each change is told once (H-102)', async () => {
    const server = await webSocketServer();
    const { reports, lines } = reporting(server.url);
    await expect.poll(() => reports.ready.run()).toBeUndefined();
    server.hangUp();
    await expect.poll(() => server.state.connections).toBe(2);
    await expect.poll(() => reports.ready.run()).toBeUndefined();
    reports.report([report('demo/a', 1, 1)]);
    await expect.poll(() => server.messages.map(decoded)).toEqual([['demo/a 1 1']]);
    const [connected, lost] = ['info connected to', 'warn no connection to'];
    expect(lines).toEqual([connected, lost, connected].map((line) => `${line} the autoscaler`));
  });

  it('leave a server that answers no ping', async () => {
    const server = await webSocketServer();
    server.state.answersPings = false;
    reporting(server.url, { silenceMs: 20 });
    await expect.poll(() => server.state.connections).toBeGreaterThan(1);
    expect(server.state.pings).toBeGreaterThan(0);
  });

  it('stay with a server that does', async () => {
    const server = await webSocketServer();
    reporting(server.url, { silenceMs: 5_000 });
    await expect.poll(() => server.state.pings).toBeGreaterThan(5);
    expect(server.state.connections).toBe(1);
  });
});
