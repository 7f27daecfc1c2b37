// `/actors`: filters, pages, and pages that stay whole while actors come and go.
import fc from 'fast-check';
import { describe, expect, it, vi } from 'vitest';
import type { ActorRow } from '#actors/history/history.ts';
import type { ActorKind } from '#machines/kinds.ts';
import { actorsHandler, type ActorTree } from '#src/http/actors.ts';

const row = (kind: ActorKind, name: string): ActorRow => ({
  key: { kind, namespace: 'default', name },
  machine: kind,
  state: 'running',
  parent: undefined,
  since: 0,
  restarts: 0,
  parked: false,
  mailbox: 0,
});

const tree = (name: string, cliques: readonly string[]): ActorTree => ({
  root: { kind: 'podcliqueset', namespace: 'default', name },
  shard: 1,
  actors: [...cliques.map((clique) => row('podclique', clique)), row('podcliqueset', name)],
});

interface Page {
  readonly trees: readonly { root: string; shard: number; actors: readonly { key: string }[] }[];
  readonly total: number;
  readonly continue?: string;
}

async function ask(trees: readonly ActorTree[], query: string) {
  const reply = await actorsHandler(() => trees)(new URLSearchParams(query), '/actors');
  return { ...reply, page: (): Page => JSON.parse(String(reply.body)) };
}

const keys = (page: Page) => page.trees.flatMap((shown) => shown.actors.map(({ key }) => key));

describe('/actors', () => {
  it('shows trees with the root first', async () => {
    const { page } = await ask([tree('b', ['b-0-x']), tree('a', [])], '');
    expect(page()).toEqual({
      total: 3,
      trees: [
        expect.objectContaining({ root: 'podcliqueset/default/a', shard: 1 }),
        {
          root: 'podcliqueset/default/b',
          shard: 1,
          actors: [
            {
              key: 'podcliqueset/default/b',
              machine: 'podcliqueset',
              state: 'running',
              since: 0,
              restarts: 0,
              parked: false,
              mailbox: 0,
            },
            expect.objectContaining({ key: 'podclique/default/b-0-x' }),
          ],
        },
      ],
    });
  });

  it('filters by kind, namespace and name', async () => {
    const trees = [tree('a', ['a-0-x', 'a-0-y'])];
    expect(keys((await ask(trees, 'kind=podclique&name=a-0-y')).page())).toEqual([
      'podclique/default/a-0-y',
    ]);
    expect((await ask(trees, 'namespace=other')).page()).toEqual({ trees: [], total: 0 });
  });

  it.each(['limit=0', 'limit=x', 'limit=1001', 'continue=%21', 'continue=YQ', 'knd=podclique'])(
    'refuses %s',
    async (query) => {
      expect((await ask([], query)).status).toBe(400);
    },
  );

  it('gives every actor exactly once over all pages', async () => {
    const names = fc.uniqueArray(fc.stringMatching(/^[a-z][a-z0-9-]{0,4}$/), { maxLength: 6 });
    const limits = fc.integer({ min: 1, max: 7 });
    await fc.assert(
      fc.asyncProperty(names, names, limits, async (roots, cliques, limit) => {
        const trees = roots.map((root) =>
          tree(
            root,
            cliques.map((clique) => `${root}-0-${clique}`),
          ),
        );
        const seen: string[] = [];
        let token: string | undefined = '';
        while (token !== undefined) {
          const query = `limit=${limit}${token === '' ? '' : `&continue=${token}`}`;
          const page: Page = (await ask(trees, query)).page();
          expect(keys(page).length).toBeLessThanOrEqual(limit);
          seen.push(...keys(page));
          token = page.continue;
        }
        expect(seen).toHaveLength(roots.length * (cliques.length + 1));
        expect(new Set(seen).size).toBe(seen.length);
      }),
    );
  });

  it('leaves the event loop to others every five milliseconds, and sorts a page at a time', async () => {
    const clock = { now: 0, longest: 0, slice: 0, turns: 0 };
    const turns = {
      now: () => clock.now,
      turn: () => {
        clock.longest = Math.max(clock.longest, clock.now - clock.slice);
        clock.slice = clock.now;
        clock.turns++;
        return Promise.resolve();
      },
    };
    const count = 50_000;
    const root = { kind: 'podcliqueset', namespace: 'default', name: 'a' } as const;
    function* slow() {
      for (let n = count; n > 0; n--) {
        clock.now += 0.02;
        yield row('podclique', `a-${String(n).padStart(6, '0')}`);
      }
    }
    const sorted = vi.spyOn(Array.prototype, 'toSorted');
    const handler = actorsHandler(() => [{ root, shard: 1, actors: slow() }], turns);
    const { body } = await handler(new URLSearchParams('limit=3'), '/actors');
    const longestSort = Math.max(...sorted.mock.contexts.map((list) => (list as []).length));
    sorted.mockRestore();
    expect(keys(JSON.parse(String(body)) as Page)).toEqual(
      [1, 2, 3].map((n) => `podclique/default/a-00000${n}`),
    );
    expect(clock.turns).toBeGreaterThan(100);
    expect(clock.longest).toBeLessThan(7);
    expect(longestSort).toBeLessThanOrEqual(8);
  });

  it('goes on behind the last actor although that one is gone', async () => {
    const first = (await ask([tree('a', ['a-0-x', 'a-0-y', 'a-0-z'])], 'limit=2')).page();
    expect(keys(first)).toEqual(['podcliqueset/default/a', 'podclique/default/a-0-x']);
    const next = await ask([tree('a', ['a-0-y', 'a-0-z'])], `continue=${first.continue}`);
    expect(keys(next.page())).toEqual(['podclique/default/a-0-y', 'podclique/default/a-0-z']);
  });
});
