// Small recordings, written by hand, of which the oracles must say what is wrong.
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, describe, expect, it } from 'vitest';
import { shardOf } from '#actors/shards/shard.ts';
import type { Stored } from '#src/devcluster/contract.ts';
import type { Answered, Committed, Note, ProcessRecord } from '../recording/records.ts';
import { cliqueLabel, collections, domainLabel, driver, paths } from '#test/sim/cliques/objects.ts';
import { judge, type Verdict } from './judge.ts';

const folder = mkdtempSync(join(tmpdir(), 'coppice-judge-'));
afterAll(() => rmSync(folder, { recursive: true, force: true }));

const set = { kind: 'podcliqueset', namespace: 'default', name: 'alpha' } as const;
const shard = `coppice-shard-${shardOf(set, 16)}`;
const cliques = '/apis/grove.io/v1alpha1/namespaces/default/podcliques';
const labels = { 'app.kubernetes.io/part-of': 'alpha' };

/** Of a table. */
type TableRow = readonly [node: string, index: number];

/** Records one moment after the other, a millisecond apart. */
class Scribe {
  readonly #tapes = new Map<number, string[]>();
  readonly #answers: Answered[] = [];
  readonly #changes: Committed[] = [];
  readonly #notes: Note[] = [];
  #t = 1_000;
  #version = 0;
  #asked = 0;

  begins(life: number): void {
    this.#tapes.set(life, []);
    this.#notes.push({ t: ++this.#t, text: 'begins', life, turn: 'begins' });
  }

  passes(ms: number): void {
    this.#t += ms;
  }

  /** Something is so from now on, by whosever hand; its version. */
  is(collection: string, object: Record<string, unknown>, isDeleted = false): Stored {
    const version = ++this.#version;
    const { metadata, ...rest } = object;
    const stored = {
      ...rest,
      metadata: { namespace: 'default', ...(metadata as object), resourceVersion: String(version) },
    } as Stored;
    this.#changes.push({ t: ++this.#t, version, isDeleted, collection, object: stored });
    return stored;
  }

  lease(life: number, epoch: number): Stored {
    const spec = { holderIdentity: `controller-${life}-aa`, leaseTransitions: epoch };
    const metadata = { name: shard, uid: 'lease' };
    return this.is('coordination.k8s.io/leases', { kind: 'Lease', metadata, spec });
  }

  member(life: number): Stored {
    const metadata = { name: `coppice-member-controller-${life}-aa`, uid: `member ${life}` };
    return this.is('coordination.k8s.io/leases', { kind: 'Lease', metadata });
  }

  shows(life: number, path: string, { metadata }: Stored): void {
    const [namespace, name, uid, version] = ['namespace', 'name', 'uid', 'resourceVersion'].map(
      (field) => String(metadata[field]),
    );
    const object = [namespace ?? '', name ?? '', uid ?? '', version ?? ''] as const;
    this.#write(life, { is: 'event', t: ++this.#t, path, type: 'MODIFIED', object });
  }

  /** A status of the PodClique `alpha-0-w`, which takes effect. */
  writes(life: number): void {
    const path = `${cliques}/alpha-0-w/status`;
    const body = { metadata: { uid: 'clique' }, status: { replicas: this.#version } };
    const id = ++this.#asked;
    const askedAt = ++this.#t;
    this.#write(life, { is: 'asks', t: askedAt, id, method: 'PUT', path, body });
    this.#write(life, { is: 'sends', t: ++this.#t, id });
    const answer = this.clique(body.status);
    const answered = { t: ++this.#t, life, method: 'PUT', path, body } as const;
    this.#answers.push({ ...answered, status: 200, answer, askedAt: askedAt + 0.5 });
    this.#write(life, { is: 'hears', t: ++this.#t, id, status: 200, body: answer });
  }

  /** Writes the table, under a version that it knows. */
  joins(life: number, version: string, ...rows: readonly TableRow[]): Stored {
    const path = `${paths.cliques}/mesh.fab0.1`;
    const id = ++this.#asked;
    const body = { metadata: { uid: 'table', resourceVersion: version } };
    this.#write(life, { is: 'asks', t: ++this.#t, id, method: 'PATCH', path, body });
    this.#write(life, { is: 'sends', t: ++this.#t, id });
    const answer = this.table(...rows);
    this.#write(life, { is: 'hears', t: ++this.#t, id, status: 200, body: answer });
    return answer;
  }

  clique(status: object = {}): Stored {
    const metadata = { name: 'alpha-0-w', uid: 'clique', labels };
    return this.is('grove.io/podcliques', { kind: 'PodClique', metadata, status });
  }

  pod(name: string, index: string): Stored {
    const pod = { ...labels, 'grove.io/podclique': 'w', 'grove.io/podclique-pod-index': index };
    const ownerReferences = [{ kind: 'PodClique', uid: 'clique', controller: true }];
    const metadata = { name, uid: `uid of ${name}`, labels: pod, ownerReferences };
    return this.is('/pods', { kind: 'Pod', metadata, status: { phase: 'Running' } });
  }

  /** A table of NVIDIA's, its nodes by their index. */
  table(...rows: readonly TableRow[]): Stored {
    const daemons = rows.map(([nodeName, index]) => ({ nodeName, index, cliqueID: 'fab0.1' }));
    const ofDomain = { [domainLabel]: 'mesh', [cliqueLabel]: 'fab0.1' };
    const metadata = { name: 'mesh.fab0.1', namespace: driver, uid: 'table', labels: ofDomain };
    const kind = 'ComputeDomainClique';
    return this.is(collections.cliques, { kind, metadata, daemons });
  }

  verdict(): Promise<Verdict> {
    const tapes = new Map(
      [...this.#tapes].map(([life, lines]) => {
        const file = join(folder, `${life}`);
        writeFileSync(file, lines.join(''));
        return [life, file] as const;
      }),
    );
    const [answers, changes, notes] = [this.#answers, this.#changes, this.#notes];
    const times = {
      begunAt: 1_000,
      timeOfDay: 0,
      from: 0,
      until: Infinity,
      graceMs: 0,
      maxNodes: 3,
    };
    return judge({ ...times, tapes, answers, changes, notes }, false);
  }

  #write(life: number, line: ProcessRecord): void {
    this.#tapes.get(life)?.push(`${JSON.stringify(line)}\n`);
  }
}

const watch = '/apis/coordination.k8s.io/v1/namespaces/default/leases?watch=true';

/** Two processes; the first has the shard, and has written. */
function begun(): Scribe {
  const scribe = new Scribe();
  scribe.begins(1);
  scribe.begins(2);
  scribe.is('grove.io/podcliquesets', {
    kind: 'PodCliqueSet',
    metadata: { name: 'alpha', uid: 'set' },
  });
  scribe.clique();
  for (const life of [1, 2]) scribe.shows(life, watch, scribe.member(life));
  scribe.shows(1, watch, scribe.lease(1, 1));
  scribe.writes(1);
  return scribe;
}

describe('The judge of a recording', () => {
  it('finds nothing wrong with an owner that writes, and with the next one', async () => {
    const scribe = begun();
    const lease = scribe.lease(2, 2);
    for (const life of [1, 2]) scribe.shows(life, watch, lease);
    scribe.writes(2);
    const { violations, tally, played } = await scribe.verdict();
    expect(violations).toEqual([]);
    expect(tally.counts['write after the next owner']?.judged).toBe(2);
    expect(tally.counts['write under a lease']?.judged).toBe(2);
    expect(played.writes).toBe(2);
  });

  it('finds a write of an owner of before that takes effect after one of the next', async () => {
    const scribe = begun();
    scribe.shows(2, watch, scribe.lease(2, 2));
    scribe.writes(2);
    scribe.writes(1);
    const { violations, around } = await scribe.verdict();
    expect(violations).toHaveLength(1);
    expect(violations[0]).toMatch(
      /takes effect after the first write of the next owner, controller 2/,
    );
    expect(around.at(-1)).toBe(`>>> ${violations[0]}`);
    expect(around.join('\n')).toContain(
      `coordination.k8s.io/leases ${shard}, controller-2-aa in 2`,
    );
  });

  it('finds a write for a shard of which the process was shown that it is not its', async () => {
    const scribe = begun();
    scribe.shows(1, watch, scribe.lease(2, 2));
    // By then it has taken that in.
    scribe.passes(3_000);
    scribe.writes(1);
    const { violations } = await scribe.verdict();
    expect(violations.join()).toMatch(/controller 1 was shown that controller-2-aa has shard/);
  });

  it('finds two live pods of one index', async () => {
    const scribe = begun();
    scribe.pod('one', '0');
    scribe.pod('other', '0');
    const { violations } = await scribe.verdict();
    expect(violations.join()).toMatch(/pods of w share an index: other#0, one#0/);
  });

  it('finds two nodes of a clique with one index', async () => {
    const scribe = begun();
    scribe.table(['a', 0], ['b', 1]);
    scribe.table(['a', 0], ['b', 1], ['c', 1]);
    const { violations } = await scribe.verdict();
    expect(violations.join()).toMatch(/mesh\.fab0\.1 at \d+ has bad indices: a=0 b=1 c=1/);
  });

  it('finds a write of a table under a version that was the last but one of its writer', async () => {
    const scribe = begun();
    const read = scribe.table().metadata['resourceVersion'] as string;
    const own = scribe.joins(1, read, ['a', 0]).metadata['resourceVersion'] as string;
    scribe.joins(1, own, ['a', 0], ['b', 1]);
    scribe.joins(1, own, ['a', 0], ['b', 1], ['c', 2]);
    const { violations, tally } = await scribe.verdict();
    expect(violations).toHaveLength(1);
    expect(violations[0]).toMatch(/under version \d+, and was told that its own write made \d+/);
    expect(tally.counts['version of a clique']?.judged).toBe(2);
  });

  it('finds an index beyond those that a clique may have', async () => {
    const scribe = begun();
    scribe.table(['a', 3]);
    const { violations } = await scribe.verdict();
    expect(violations.join()).toMatch(/mesh\.fab0\.1 at \d+ has bad indices: a=3/);
  });

  it('finds a node that moves to another index while it is there', async () => {
    const scribe = begun();
    scribe.table(['a', 0], ['b', 1]);
    scribe.table(['a', 0], ['b', 2]);
    const { violations, tally } = await scribe.verdict();
    expect(violations.join()).toMatch(/b moves from 1 to 2/);
    expect(tally.counts['index of a node']?.judged).toBe(2);
  });
});
