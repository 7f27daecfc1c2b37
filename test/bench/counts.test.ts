// What is counted of requests and of processes: from a controller's metrics, and from /proc.
import { describe, expect, test } from 'vitest';
import { Exposition } from '#test/support/exposition.ts';
import { ownCounts } from './own-counts.ts';
import { add, conflicts, events, isWrite, since, writes } from './requests.ts';
import { between, readUsage, usageKeys, usageOf } from './usage.ts';

const metrics = (...lines: readonly string[]): Exposition => new Exposition(lines.join('\n'));
const wrote = (kind: string, op: string, outcome: string, count: number): string =>
  `coppice_writes_total{kind="${kind}",op="${op}",outcome="${outcome}"} ${count}`;
const sent = (method: string, code: string, count: number): string =>
  `rest_client_requests_total{code="${code}",method="${method}",host="h"} ${count}`;

describe('The counts of a controller by its metrics', () => {
  test('are in the words of an audit log, what is left over being Events', () => {
    const counts = ownCounts(
      metrics(
        wrote('Pod', 'create', 'ok', 40),
        wrote('PodClique', 'status', 'ok', 20),
        sent('POST', '201', 43),
        sent('PUT', '200', 20),
        sent('GET', '200', 99),
      ),
    );
    expect(counts).toEqual({
      'create pods 2xx': 40,
      'update podcliques/status 2xx': 20,
      'create events 2xx': 3,
    });
    expect([writes(counts), events(counts), conflicts(counts)]).toEqual([60, 3, 0]);
  });

  test('have the conflicts of writes and of Events, and nothing that was never sent', () => {
    const counts = ownCounts(
      metrics(
        wrote('PodCliqueSet', 'status', 'CONFLICT', 2),
        wrote('Pod', 'create', 'NOT_OWNER', 5),
        sent('PUT', '409', 2),
        sent('POST', '409', 1),
        sent('POST', '201', 1),
      ),
    );
    expect(counts).toEqual({
      'update podcliquesets/status 409': 2,
      'create events 409': 1,
      'create events 2xx': 1,
    });
    expect([writes(counts), events(counts), conflicts(counts)]).toEqual([2, 2, 3]);
  });
});

describe('Request counts', () => {
  const counts = { 'create pods 201': 4, 'update leases 200': 9, 'create events 201': 2 };

  test('leave Events, leases and reads out of the writes', () => {
    expect(Object.keys(counts).filter(isWrite)).toEqual(['create pods 201']);
    expect(isWrite('watch pods 200')).toBe(false);
  });

  test('subtract and add up', () => {
    const later = { ...counts, 'create pods 201': 7, 'get pods 200': 1 };
    const difference = since(counts, later);
    expect(difference).toEqual({ 'create pods 201': 3, 'get pods 200': 1 });
    expect(add(counts, difference)).toEqual(later);
  });
});

describe('Usage of a process', () => {
  // The name of a program may hold spaces and parentheses.
  const stat = `7 (a (b) c) S ${Array.from({ length: 10 }, () => 0).join(' ')} 150 50 0 0`;

  test('is read from the texts of /proc', () => {
    expect(readUsage(stat, 'VmPeak:\t9 kB\nVmHWM:\t  204800 kB\n')).toEqual({
      pid: 7,
      cpuSeconds: 2,
      peakRssMb: 200,
    });
  });

  test('is unknown of a zombie and of a process that is not there', async () => {
    expect(readUsage(stat, 'State:\tZ (zombie)\n')).toBeUndefined();
    expect(await usageOf(2 ** 30)).toBeUndefined();
  });

  test('between two readings is the CPU time since the first and the peak of the second', () => {
    const first = {
      etcd: { pid: 1, cpuSeconds: 1, peakRssMb: 10 },
      old: { pid: 2, cpuSeconds: 1, peakRssMb: 1 },
      controller: { pid: 3, cpuSeconds: 5, peakRssMb: 9 },
    };
    const second = {
      etcd: { pid: 1, cpuSeconds: 3.5, peakRssMb: 12 },
      new: { pid: 4, cpuSeconds: 1, peakRssMb: 2 },
      controller: { pid: 5, cpuSeconds: 6, peakRssMb: 3 },
    };
    expect(usageKeys(between(first, second))).toEqual({
      etcd_cpu_s: 2.5,
      etcd_rss_mb: 12,
      new_cpu_s: 1,
      new_rss_mb: 2,
      // Another life.
      controller_cpu_s: 6,
      controller_rss_mb: 3,
    });
  });
});
