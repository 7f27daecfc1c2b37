// Two processes that both think that they lead one clique, as while a lease changes hands: each
// decides on what its own watches have shown so far, and their writes cross.
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import type { Intent } from '#machines/contract/intents.ts';
import type { KubeObject } from '#machines/kubernetes/objects.ts';
import { mergePatch } from '#test/support/merge-patch.ts';
import type { Row } from './invariants.ts';
import { CliqueKit, pod } from './kit.ts';
import { rowsOf } from './server-model.ts';

type Write = Extract<Intent, { type: 'createObject' | 'patchObject' }>;

const isWrite = (intent: Intent): intent is Write =>
  intent.type === 'createObject' || intent.type === 'patchObject';

const nodes = ['a', 'b', 'c', 'd', 'e'];

type Move =
  /** Its watch shows the daemon of a node. */
  | { readonly what: 'daemon'; readonly leader: 0 | 1; readonly node: string }
  /** Its watch shows the clique as it is now. */
  | { readonly what: 'clique'; readonly leader: 0 | 1 }
  | { readonly what: 'decide' | 'send'; readonly leader: 0 | 1 };

const aLeader = fc.constantFrom(0 as const, 1 as const);
const aMove: fc.Arbitrary<Move> = fc.oneof(
  fc.record({
    what: fc.constant('daemon' as const),
    leader: aLeader,
    node: fc.constantFrom(...nodes),
  }),
  fc.record({ what: fc.constantFrom('clique' as const, 'decide', 'send'), leader: aLeader }),
);

/** The leaders, and a server that compares versions where it is asked to. */
class Leaders {
  readonly #kits = [new CliqueKit(), new CliqueKit()] as const;
  /** The write that each has decided on and not sent. */
  readonly #writes: [Write | undefined, Write | undefined] = [undefined, undefined];
  #clique: KubeObject | undefined;
  #version = 100;
  /** Of each version that was persisted. */
  readonly history: (readonly Row[])[] = [];

  make(move: Move): void {
    const kit = this.#kits[move.leader];
    if (move.what === 'daemon') kit.given(pod(move.node));
    else if (move.what === 'clique') this.#show(move.leader);
    else if (move.what === 'decide') this.#writes[move.leader] ??= kit.reconcile().find(isWrite);
    else this.#send(move.leader);
  }

  /** Until neither has anything left to write. */
  comeToRest(): void {
    for (let round = 0; round < 20; round++) {
      const before = this.#version;
      for (const leader of [0, 1] as const) {
        for (const node of nodes) this.make({ what: 'daemon', leader, node });
        for (const what of ['send', 'clique', 'decide', 'send'] as const)
          this.make({ what, leader });
      }
      if (this.#version === before && round > 0) return;
    }
    throw new Error('they do not come to rest');
  }

  #show(leader: 0 | 1): void {
    if (this.#clique !== undefined) this.#kits[leader].given(this.#clique);
  }

  #send(leader: 0 | 1): void {
    const write = this.#writes[leader];
    this.#writes[leader] = undefined;
    if (write === undefined) return;
    const { uid, resourceVersion: version } = this.#clique?.metadata ?? {};
    const isRefused =
      write.type === 'createObject'
        ? uid !== undefined
        : write.uid !== uid ||
          (write.resourceVersion !== undefined && write.resourceVersion !== version);
    if (isRefused) {
      this.#kits[leader].refused('CONFLICT', 'another one was first');
      return;
    }
    const next =
      write.type === 'createObject'
        ? { ...write.body, metadata: { ...write.body.metadata, uid: 'uid-of-clique' } }
        : mergePatch(this.#clique as KubeObject, write.patch);
    const resourceVersion = String(++this.#version);
    this.#clique = { ...next, metadata: { ...next.metadata, resourceVersion } };
    this.history.push(rowsOf(this.#clique));
    this.#show(leader);
  }
}

/** Nobody leaves here, so a row never goes. */
function expectKept(history: Leaders['history']): void {
  const known = new Map<string, number>();
  for (const rows of history) {
    const indices = new Map(rows.map(({ nodeName, index }) => [nodeName, index]));
    expect(new Set(indices.values()).size).toBe(rows.length);
    for (const [node, index] of known) expect([node, indices.get(node)]).toEqual([node, index]);
    for (const [node, index] of indices) known.set(node, index);
  }
}

/** Both know the first row, each one more daemon. */
const crossing: Move[] = [
  { what: 'daemon', leader: 0, node: 'a' },
  { what: 'decide', leader: 0 },
  { what: 'send', leader: 0 },
  { what: 'clique', leader: 1 },
  { what: 'daemon', leader: 1, node: 'a' },
  { what: 'daemon', leader: 0, node: 'b' },
  { what: 'daemon', leader: 1, node: 'c' },
  { what: 'decide', leader: 0 },
  { what: 'decide', leader: 1 },
  { what: 'send', leader: 0 },
  { what: 'send', leader: 1 },
];

describe('Two leaders of one clique', () => {
  it('give no index twice and move no node, however their writes cross (A-40)', () => {
    fc.assert(
      fc.property(fc.array(aMove, { maxLength: 40, size: 'max' }), (moves) => {
        const leaders = new Leaders();
        for (const move of moves) leaders.make(move);
        leaders.comeToRest();
        expectKept(leaders.history);
        const indices = leaders.history.at(-1)?.map(({ index }) => index);
        expect(indices?.toSorted()).toEqual([0, 1, 2, 3, 4]);
      }),
      { examples: [[crossing]] },
    );
  });
});
