// `coppice controller` as an operator meets it: what it says of wrong files, how it waits, ends and
// answers, what it counts and what it logs.
import { readFileSync, writeFileSync } from 'node:fs';
import { connect, createServer, type Server, type Socket } from 'node:net';
import { join } from 'node:path';
import { afterAll, afterEach, beforeAll, describe, expect, test } from 'vitest';
import { at, list, text } from '#machines/kubernetes/json.ts';
import { counters, gauges, histograms } from '#src/metrics/families.ts';
import { eventually } from '#test/support/eventually.ts';
import { scrape } from '#test/support/exposition.ts';
import { allFamilies } from '#test/surface/families.ts';
import { seriesOf } from '#test/surface/series.ts';
import { atMost } from '#test/support/optional.mjs';
import { freePort } from '#test/support/ports.ts';
import { Place } from '#test/support/place.ts';
import type { Program } from '#test/support/program.ts';
import { createNamespace, createSet, deleteSet } from '#test/support/workload.ts';

const patient = { timeout: 120_000 };
const place = new Place();
beforeAll(() => place.start(), 60_000);
afterAll(() => place.end());

const running: Program[] = [];
afterEach(async () => {
  await Promise.all(running.splice(0).map((program) => program.kill()));
});

async function start(): Promise<string> {
  const { program, url } = await place.controller();
  running.push(program);
  return url;
}

const file = (name: string, content: string): string => {
  const path = join(place.folder, name);
  writeFileSync(path, content);
  return path;
};

async function refused(...flags: readonly string[]): Promise<string> {
  const program = place.programs.coppice('controller', ...flags);
  expect(await program.ended).toEqual({ code: 2, signal: null });
  expect(program.stdout).toEqual([]);
  return program.stderr.join('\n');
}

describe('A controller with a wrong file', () => {
  test(
    'names the path, what is wrong and what would be right, and exits with 2',
    patient,
    async () => {
      const config = file(
        'wrong.yaml',
        `apiVersion: coppice.dev/v1alpha1
kind: CoppiceConfiguration
clientConnection: { qps: many }
sevrer: { healthPort: 1 }
bus: { delivery: carrier }`,
      );
      const said = await refused('--config', config);
      expect(said).toContain('wrong.yaml cannot be used');
      expect(said).toContain('sevrer is not a field of the configuration; did you mean "server"?');
      expect(said).toContain('clientConnection.qps "many" is wrong, it must be a number');
      expect(said).toContain('bus.delivery "carrier" is wrong, it must be one of direct, nats');
    },
  );

  test('says of a kubeconfig what is missing from it, and exits with 2', patient, async () => {
    const none = join(place.folder, 'none');
    expect(await refused('--kubeconfig', none)).toMatch(/none: cannot be read: ENOENT/);
    const said = await refused('--kubeconfig', place.kubeconfig, '--context', 'staging');
    expect(said).toContain('"staging" is not among the contexts');
    expect(said).toContain('would be right');
    const noYaml = file('kubeconfig-broken', 'clusters: [');
    expect(await refused('--kubeconfig', noYaml)).toContain('kubeconfig-broken: ');
  });
});

/** Passes connections on; before it listens the API server behind it seems away. */
class Proxy {
  readonly #sockets = new Set<Socket>();
  readonly #server: Server;

  constructor(port: number) {
    this.#server = createServer((near) => {
      const far = connect(port, '127.0.0.1');
      for (const [from, to] of [
        [near, far],
        [far, near],
      ] as const) {
        this.#sockets.add(from);
        from.on('error', () => to.destroy());
        from.on('close', () => to.destroy());
        from.pipe(to);
      }
    });
  }

  listen(port: number): Promise<void> {
    return new Promise((resolve) => {
      this.#server.listen(port, '127.0.0.1', resolve);
    });
  }

  close(): void {
    this.#server.close();
    for (const socket of this.#sockets) socket.destroy();
  }
}

describe('A controller', () => {
  test('waits for an API server that is away, says so, and comes up with it', patient, async () => {
    const server = place.connection.server;
    const port = await freePort();
    const proxy = new Proxy(Number(new URL(server).port));
    const kubeconfig = file(
      'kubeconfig-proxy',
      readFileSync(place.kubeconfig, 'utf8').replace(server, `https://127.0.0.1:${port}`),
    );
    try {
      const program = place.programs.coppice(
        'controller',
        '--config',
        place.writeConfiguration(),
        '--kubeconfig',
        kubeconfig,
      );
      running.push(program);
      const [, url = ''] = await program.line(/"health":"([^"]+)"/);
      await program.line(/ECONNREFUSED/);
      const ready = await fetch(`${url}/readyz`);
      expect(ready.status).toBe(500);
      expect(await ready.text()).toMatch(
        /waits for the first list of .*PodClique \(.*ECONNREFUSED/,
      );
      expect((await fetch(`${url}/livez`)).status).toBe(200);

      await proxy.listen(port);
      await program.line(/controller synced/);
      expect(await (await fetch(`${url}/readyz`)).text()).toBe('ok\n');
    } finally {
      proxy.close();
    }
  });

  test(
    'ends within six seconds of SIGTERM, in the middle of a deploy, with its writes answered',
    patient,
    async () => {
      await createNamespace(place.client, 'ended');
      await start();
      await createSet(place.client, 'ended', { name: 'ended', replicas: 100 });
      const { onlooker } = place;
      await onlooker.until(
        'begun',
        () => onlooker.all('pods', 'ended').size > 20,
        () => 0,
      );
      const [program] = running;
      const begun = performance.now();
      program?.signal('SIGTERM');
      expect(await program?.ended).toEqual({ code: 0, signal: null });
      expect(performance.now() - begun).toBeLessThan(atMost(6000));
      expect(program?.stderr.join('\n')).not.toContain('write failed');

      // Whoever comes next finds no half-done work.
      await start();
      await onlooker.until(
        'ready',
        () => onlooker.readyPods('ended') === 200,
        () => onlooker.readyPods('ended'),
      );
      expect(onlooker.podsEver('ended')).toBe(200);
      await deleteSet(place.client, 'ended', 'ended');
      await onlooker.until(
        'gone',
        () => onlooker.all('pods', 'ended').size === 0,
        () => 0,
      );
    },
  );
});

describe('What a controller shows', () => {
  const controllers = ['podcliqueset-controller', 'podclique-controller', 'podgang'];
  const grove = [
    'grove_operator_status_update_conflict_total',
    'grove_operator_reconcile_errors_total',
  ] as const;
  const namespace = 'zebra';
  const sets = ['giraffe', 'okapi'];

  test('has every metric family from the start, at zero', patient, async () => {
    const url = await start();
    const metrics = await scrape(url);
    const names = Object.keys({ ...counters, ...gauges, ...histograms });
    expect(names.filter((name) => !metrics.families.has(name))).toEqual([]);
    for (const controller of controllers) {
      const series = metrics.of('controller_runtime_reconcile_total', { controller });
      expect(series.length).toBeGreaterThan(0);
      expect(metrics.of('workqueue_depth', { controller })).toHaveLength(1);
    }
    const series = grove.flatMap((name) => metrics.of(name));
    expect(series).toHaveLength(33);
    expect(series.every(({ value }) => value === 0)).toBe(true);
  });

  test(
    'counts a deploy with the meaning that dashboards expect, and names no object',
    patient,
    async () => {
      const url = await start();
      const [program] = running;
      await createNamespace(place.client, namespace);
      for (const name of sets) await createSet(place.client, namespace, { name, replicas: 5 });
      const { onlooker } = place;
      const available = (): number[] =>
        sets.map((name) =>
          Number(at(onlooker.one('podcliquesets', namespace, name), 'status', 'availableReplicas')),
        );
      await onlooker.until('available', () => available().every((count) => count === 5), available);

      const metrics = await eventually(
        'at rest',
        () => scrape(url),
        (now) => now.sum('workqueue_depth') === 0 && now.sum('coppice_mailbox_depth') === 0,
      );
      for (const controller of controllers) {
        const by = { controller };
        const reconciles = metrics.sum('controller_runtime_reconcile_total', by);
        expect(reconciles).toBeGreaterThan(0);
        expect(metrics.sum('controller_runtime_reconcile_total', { ...by, result: 'error' })).toBe(
          0,
        );
        expect(metrics.sum('controller_runtime_reconcile_time_seconds_count', by)).toBe(reconciles);
        expect(metrics.sum('workqueue_work_duration_seconds_count', by)).toBe(reconciles);
        expect(metrics.sum('workqueue_adds_total', by)).toBeGreaterThanOrEqual(reconciles);
        expect(metrics.sum('controller_runtime_max_concurrent_reconciles', by)).toBe(1);
      }
      expect(
        metrics.sum('coppice_writes_total', { kind: 'Pod', op: 'create', outcome: 'ok' }),
      ).toBe(20);
      const posts = { method: 'POST', code: '201' };
      expect(metrics.sum('rest_client_requests_total', posts)).toBeGreaterThanOrEqual(20);
      expect(metrics.sum('coppice_actors')).toBe(2 + 10 + 10);
      expect(metrics.sum('coppice_actors_parked')).toBe(0);
      const ready = { controller: 'podclique-controller', state: 'active.readiness.ready' };
      expect(metrics.sum('coppice_actor_states', ready)).toBe(10);
      const isOver = ({ name, labels, why }: (typeof allFamilies)[number]): boolean =>
        'nearest' in why && metrics.of(name).length > seriesOf(name, labels).count;
      expect(allFamilies.filter(isOver).map(({ name }) => name)).toEqual([]);

      const series = grove.flatMap((name) => metrics.of(name));
      expect(series).toHaveLength(33);
      expect(series.filter(({ value }) => value !== 0)).toEqual([]);
      const named = metrics.samples.filter(({ labels }) =>
        Object.values(labels).some((value) => /zebra|giraffe|okapi/.test(value)),
      );
      expect(named).toEqual([]);

      const lines = new Map<string, number>();
      for (const line of program?.stderr ?? []) {
        const entry: unknown = JSON.parse(line);
        const key = `${text(at(entry, 'namespace'))}/${text(at(entry, 'name'))}`;
        if (key !== '/') lines.set(key, (lines.get(key) ?? 0) + 1);
      }
      expect([...lines].filter(([, count]) => count > 5)).toEqual([]);

      const tree: unknown = await (await fetch(`${url}/actors`)).json();
      expect(list(at(tree, 'trees'))).toHaveLength(2);
      expect(at(tree, 'total')).toBe(22);
      const one: unknown = await (await fetch(`${url}/actors?name=giraffe`)).json();
      const [row] = list(at(list(at(one, 'trees'))[0], 'actors'));
      expect(row).toMatchObject({
        key: 'podcliqueset/zebra/giraffe',
        machine: 'podcliqueset',
        restarts: 0,
        parked: false,
        mailbox: 0,
      });
    },
  );
});
