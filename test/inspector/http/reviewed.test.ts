// A stream is reviewed every minute: it ends where the token or the rights have, goes on where the
// API server does not say, and its viewer lists anew where the rights are others.
import { describe, expect, it, vi } from 'vitest';
import { at } from '#machines/kubernetes/json.ts';
import { batchMs } from '#src/inspector/server/limits.ts';
import type { KubeRequest, KubeTransport } from '#src/kube/transport/transport.ts';
import { patient } from '#test/support/eventually.ts';
import { reviews } from '#test/questions/served.ts';
import { clique } from '../served.ts';
import { inspectorStage } from './stage.ts';

const { start, open } = inspectorStage();

interface State {
  /** Whether tokens are valid. */
  isValid: boolean;
  /** Reviews of this kind are answered with 500. */
  silent: 'none' | 'TokenReview' | 'SubjectAccessReview';
  may: (namespace: string) => boolean;
  /** Waited for before a review is answered. */
  before: (review: KubeRequest) => Promise<void>;
}

const usual = (): State => ({
  isValid: true,
  silent: 'none',
  may: () => true,
  before: () => Promise.resolve(),
});

const body = (status: number, value: object) => ({ status, headers: {}, body: value });

/** Reviews say what `state` says. */
async function startWith(state: State) {
  const seen = reviews((_user, _verb, namespace) => state.may(namespace));
  const transport: KubeTransport = {
    ...seen.transport,
    request: async (request) => {
      await state.before(request);
      const kind = at(request.body, 'kind');
      if (kind === state.silent) return body(500, {});
      if (kind === 'TokenReview' && !state.isValid) {
        return body(201, { status: { authenticated: false } });
      }
      return seen.transport.request(request);
    },
  };
  const served = await start({ transport });
  return { ...served, seen };
}

describe('A stream whose token ends', () => {
  it('is refused within a minute', async () => {
    const state = usual();
    const served = await startWith(state);
    const { events } = await open(served);
    await served.clock.advance(59_000);
    state.isValid = false;
    await served.clock.advance(6_000);
    expect(await events.next()).toMatchObject({ type: 'refused', code: 'UNAUTHORIZED' });
    expect(await events.next()).toBeUndefined();
    await vi.waitFor(() => expect(served.actors.followers).toBe(0), patient);
  });
});

describe('A stream whose rights are others than before', () => {
  it('is refused where the user may list nothing any more', async () => {
    const state = usual();
    const served = await startWith(state);
    const { events } = await open(served);
    served.actors.set(clique('a'));
    await served.clock.advance(batchMs);
    expect(await events.next()).toMatchObject({ type: 'delta' });
    state.may = () => false;
    await served.clock.advance(65_000);
    expect(await events.next()).toMatchObject({ type: 'refused', code: 'FORBIDDEN' });
  });

  it.each([
    { change: 'less', before: ['red', 'blue'], after: ['red'] },
    { change: 'more', before: ['red'], after: ['red', 'blue'] },
  ])('has its viewer list anew: they may list $change', async ({ before, after }) => {
    const state = usual();
    state.may = (namespace) => before.includes(namespace);
    const served = await startWith(state);
    const { events } = await open(served);
    for (const namespace of ['red', 'blue']) served.actors.set(clique('a', namespace));
    await served.clock.advance(batchMs);
    const names = before.map(() => 'a');
    expect(await events.next()).toMatchObject({ type: 'delta', rows: { name: names } });
    state.may = (namespace) => after.includes(namespace);
    await served.clock.advance(65_000);
    expect(await events.next()).toMatchObject({
      type: 'resync',
      why: 'what you may list has changed',
    });
  });

  it('is told the rows of a place that was asked about as its rights were renewed', async () => {
    const state = usual();
    state.may = (namespace) => namespace !== '';
    const served = await startWith(state);
    const { events } = await open(served);
    served.actors.set(clique('a', 'red'));
    await served.clock.advance(59_900);
    expect(await events.next()).toMatchObject({ type: 'delta' });
    const held = Promise.withResolvers<void>();
    state.before = ({ body: review }) =>
      at(review, 'spec', 'resourceAttributes', 'namespace') === 'blue'
        ? held.promise
        : Promise.resolve();
    served.actors.set(clique('b', 'blue'));
    await served.clock.advance(200);
    expect(served.seen.tokens).toHaveLength(2);
    held.resolve();
    expect(await events.next()).toMatchObject({ type: 'delta', rows: { name: ['b'] } });
  });
});

describe('A stream of whose viewer the API server says nothing', () => {
  it.each(['TokenReview', 'SubjectAccessReview'] as const)(
    'goes on for five minutes without a %s',
    async (silent) => {
      const state = usual();
      const served = await startWith(state);
      const { events } = await open(served);
      const told = async (name: string): Promise<void> => {
        served.actors.set(clique(name));
        await served.clock.advance(batchMs);
        expect(await events.next()).toMatchObject({ type: 'delta', rows: { name: [name] } });
      };
      await told('a');
      state.silent = silent;
      await served.clock.advance(200_000);
      await told('b');
      state.silent = 'none';
      await served.clock.advance(10_000);
      await told('c');
      state.silent = silent;
      await served.clock.advance(350_000);
      expect(await events.next()).toMatchObject({ type: 'refused', code: 'SERVER_ERROR' });
    },
  );

  it('has one review under way', async () => {
    const state = usual();
    const served = await startWith(state);
    const { events } = await open(served);
    served.actors.set(clique('a'));
    await served.clock.advance(batchMs);
    expect(await events.next()).toMatchObject({ type: 'delta' });
    state.before = ({ body: review }) =>
      at(review, 'kind') === 'TokenReview' ? Promise.resolve() : new Promise(() => {});
    await served.clock.advance(100_000);
    expect(served.seen.tokens).toHaveLength(2);
  });
});

describe('A viewer who leaves while it is asked who that is', () => {
  it('is not followed up', async () => {
    const state = usual();
    const served = await startWith(state);
    const held = Promise.withResolvers<void>();
    const asked = Promise.withResolvers<void>();
    state.before = () => {
      asked.resolve();
      return held.promise;
    };
    const abort = new AbortController();
    const headers = { authorization: 'Bearer token-of-alice' };
    const left = fetch(`${served.inspector.url}/api/v1/stream`, { headers, signal: abort.signal });
    await asked.promise;
    abort.abort();
    await expect(left).rejects.toThrow('aborted');
    // The server has heard of it once it has answered another one that came later.
    state.before = () => Promise.resolve();
    expect(await served.get('/api/v1/session', { user: 'bob' })).toMatchObject({ status: 200 });
    held.resolve();
    expect(await served.get('/api/v1/session')).toMatchObject({ status: 200 });
    expect(served.actors.followers).toBe(0);
  });
});
