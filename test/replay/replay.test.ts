// What the controller was told on a real control plane while it deployed, scaled and deleted 50
// replicas, the embedded cluster tells it too. The log is recorded anew by `node
// test/replay/main.ts`.
import { beforeAll, describe, expect, test } from 'vitest';
import { readLog } from './log.ts';
import { type Compared, play } from './player.ts';

const log = readLog();

describe('The log of a real run of 50 replicas, replayed on the embedded cluster', () => {
  let compared: readonly Compared[] = [];

  beforeAll(async () => {
    compared = await play(log);
  });

  test('holds a run that is worth the comparison', () => {
    const made = compared.filter(({ request, statuses: [there] }) => {
      return request === 'POST /api/v1/namespaces/default/pods' && there === 201;
    });
    expect(made.length).toBeGreaterThanOrEqual(100);
    expect(compared.length).toBeGreaterThan(500);
  });

  test('gets the same status code for every request', () => {
    expect(compared.filter(({ statuses: [there, here] }) => there !== here)).toEqual([]);
  });

  test('gets every answer equal but for identities, times and versions', () => {
    expect(compared.filter((each) => each.differences.length > 0)).toEqual([]);
  });

  test('holds no token', () => {
    // Tokens are JSON that begins with {"alg", in base64; data of Secrets is that in base64 again.
    expect(JSON.stringify(log)).not.toMatch(/eyJhbGci|ZXlKaGJHY2lP/);
  });
});
