// `/actors`: filters, pages, and pages that stay whole while actors come and go.
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import type { ActorKind } from '#machines/kinds.ts';
import { type ActorRow, actorsHandler, type ActorTree } from '#src/http/actors.ts';

const row = (kind: ActorKind, name: string): ActorRow => ({
  key: { kind, namespace: 'default', name },
  machine: kind,
  state: 'running',
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
  return { ...reply, page: (): Page => JSON.parse(reply.body) };
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

  it.each(['limit=0', 'limit=x', 'limit=5001', 'continue=%21', 'continue=YQ', 'knd=podclique'])(
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

  it('goes on behind the last actor although that one is gone', async () => {
    const first = (await ask([tree('a', ['a-0-x', 'a-0-y', 'a-0-z'])], 'limit=2')).page();
    expect(keys(first)).toEqual(['podcliqueset/default/a', 'podclique/default/a-0-x']);
    const next = await ask([tree('a', ['a-0-y', 'a-0-z'])], `continue=${first.continue}`);
    expect(keys(next.page())).toEqual(['podclique/default/a-0-y', 'podclique/default/a-0-z']);
  });
});
