// The log level over HTTPS: asked for and changed by whoever may, as the API server says.
import { afterEach, describe, expect, it } from 'vitest';
import { testAuthority } from '#test/admission/served.ts';
import { askOver, replica, reviews } from './served.ts';

const ends: (() => unknown)[] = [];
afterEach(async () => {
  for (const end of ends.splice(0).toReversed()) await end();
});

/** Ann may change it, Bob may see it. */
async function start() {
  const authority = await testAuthority('questions');
  const seen = reviews(
    (user, verb, _, what) => what === '/log-level' && (user === 'ann' || verb === 'get'),
  );
  const one = await replica({ name: 'one', authority, transport: seen.transport });
  ends.push(() => one.server.close());
  const ask = (method: 'GET' | 'POST' | 'PUT', query: string, token?: string) =>
    askOver({
      origin: one.origin,
      ca: authority.cert,
      path: `/log-level${query}`,
      method,
      ...(token === undefined ? {} : { token }),
    });
  return { ask, changes: one.changes, seen };
}

describe('The log level over HTTPS', () => {
  it('is told to whoever may get its path', async () => {
    const { ask, seen } = await start();
    const { status, body } = await ask('GET', '', 'token-of-bob');
    expect([status, body]).toMatchObject([200, { ok: true, data: { level: 'info' } }]);
    expect(seen.accesses).toEqual(['bob get /log-level']);
  });

  it('is changed for whoever may put it, in their name', async () => {
    const { ask, changes, seen } = await start();
    const { status, body } = await ask('PUT', '?level=debug', 'token-of-ann');
    expect([status, body]).toMatchObject([
      200,
      { ok: true, data: { level: 'debug', was: 'info' } },
    ]);
    expect(changes).toEqual([{ level: 'debug', by: 'ann' }]);
    expect(seen.accesses).toEqual(['ann put /log-level']);
  });

  it.each([
    ['whoever may only see it', 'PUT', '?level=debug', 'token-of-bob', 403, 'bob may not put the'],
    ['whoever has no token', 'PUT', '?level=debug', undefined, 401, 'a bearer token is needed'],
    ['whoever has a wrong token', 'GET', '', 'nonsense', 401, 'the token is not valid'],
    [
      'a level that there is not',
      'PUT',
      '?level=verbose',
      'token-of-ann',
      400,
      'level "verbose" is wrong, it must be one of debug, info, warn, error',
    ],
    ['a level that is not named', 'PUT', '', 'token-of-ann', 400, 'level "" is wrong'],
    ['a question with a level', 'GET', '?level=debug', 'token-of-ann', 400, 'PUT changes'],
    ['another method', 'POST', '?level=debug', 'token-of-ann', 405, 'only GET and PUT'],
  ] as const)('is refused to %s', async (_, method, query, token, expected, message) => {
    const { ask, changes } = await start();
    const { status, body } = await ask(method, query, token);
    expect([status, body]).toMatchObject([
      expected,
      { ok: false, message: expect.stringContaining(message) },
    ]);
    expect(changes).toEqual([]);
  });
});
