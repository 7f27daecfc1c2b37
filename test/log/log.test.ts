// What a log line looks like, what it must not hold and how many of them an object may write.
import { mkdtemp, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import type { JsonObject } from '#machines/kubernetes/objects.ts';
import { createLog, type LogOptions } from '#src/log/log.ts';
import { redact } from '#src/log/redact.ts';

function setUp(options: Partial<LogOptions> = {}) {
  let now = Date.UTC(2026, 10, 20, 8, 30);
  const lines: string[] = [];
  const log = createLog({
    level: 'info',
    format: 'json',
    now: () => now,
    destination: { write: (line) => void lines.push(line) },
    ...options,
  });
  return { log, lines, advance: (ms: number) => (now += ms) };
}

const demo = { name: 'demo', namespace: 'default', controller: 'podclique-controller', extra: 1 };

describe('A log line', () => {
  it('is one JSON object with level, time and stable keys first', () => {
    const { log, lines } = setUp();
    log.line('info', 'gang\nready', { zeta: 1, traceId: 't', reconcileId: 's', uid: 'u', ...demo });
    expect(lines).toEqual([
      '{"level":"info","time":"2026-11-20T08:30:00.000Z","controller":"podclique-controller",' +
        '"namespace":"default","name":"demo","uid":"u","reconcileId":"s","traceId":"t","zeta":1,' +
        '"extra":1,"msg":"gang\\nready"}\n',
    ]);
  });

  it('is left out below the level', () => {
    const { log, lines } = setUp({ level: 'warn' });
    log.line('info', 'nothing', {});
    log.line('error', 'something', {});
    expect(lines).toHaveLength(1);
  });

  it('is left out below the level that was set last', () => {
    const { log, lines } = setUp({ level: 'error' });
    log.line('info', 'nothing', {});
    log.setLevel('debug', 'ann');
    log.line('debug', 'something', {});
    expect(log.level()).toBe('debug');
    log.setLevel('warn', 'bob');
    log.line('info', 'nothing', {});
    const read = lines.map((line): object => JSON.parse(line));
    expect(read).toMatchObject([
      { level: 'info', msg: 'the log level was changed', by: 'ann', from: 'error', to: 'debug' },
      { level: 'debug', msg: 'something' },
      { level: 'info', msg: 'the log level was changed', by: 'bob', from: 'debug', to: 'warn' },
    ]);
  });

  it('of an object is written whatever its share once the level is debug', () => {
    const { log, lines } = setUp();
    log.setLevel('debug', 'ann');
    for (let index = 0; index < 10; index++) log.line('info', 'again', demo);
    expect(lines).toHaveLength(11);
  });

  it('reads like a sentence in the text format', () => {
    const { log, lines } = setUp({ format: 'text' });
    log.line('warn', 'write failed', { ...demo, kind: 'podclique', code: 'CONFLICT' });
    expect(lines).toEqual([
      '08:30:00.000 WARN  podclique-controller podclique/default/demo write failed extra=1 code=CONFLICT\n',
    ]);
  });

  it('reaches a file at the latest with close', async () => {
    const folder = await mkdtemp(join(tmpdir(), 'coppice-log-'));
    const file = join(folder, 'deep', 'controller.log');
    const { log } = setUp({ destination: file });
    log.line('info', 'started', {});
    log.close();
    expect(await readFile(file, 'utf8')).toContain('"msg":"started"');
    await rm(folder, { recursive: true });
  });
});

describe('An object', () => {
  it('writes five lines, then the count of those left out with the first of a new window', () => {
    const { log, lines, advance } = setUp();
    for (let line = 0; line < 9; line += 1) log.line('info', 'again', demo);
    expect(lines).toHaveLength(5);
    log.line('info', 'another object', { ...demo, name: 'other' });
    log.line('info', 'no object', {});
    expect(lines).toHaveLength(7);
    advance(600_000);
    log.line('info', 'again', demo);
    expect(lines.at(-1)).toContain('"suppressed":4');
  });

  it('may still warn when its share of quiet lines is used up', () => {
    const { log, lines } = setUp();
    for (let line = 0; line < 9; line += 1) log.line('info', 'again', demo);
    for (let line = 0; line < 30; line += 1) log.line('warn', 'trouble', demo);
    expect(lines.filter((line) => line.includes('trouble'))).toHaveLength(20);
  });

  it('writes everything at debug level', () => {
    const { log, lines } = setUp({ level: 'debug' });
    for (let line = 0; line < 9; line += 1) log.line('info', 'again', demo);
    expect(lines).toHaveLength(9);
  });
});

describe('Secrets', () => {
  const jwt = 'eyJhbGciOiJSUzI1NiJ9.eyJzdWIiOiJ4In0.c2lnbmF0dXJl';

  it.each<JsonObject>([
    { token: 'abc-SECRET' },
    { headers: { Authorization: 'Basic SECRET' } },
    { user: { 'client-key-data': 'SECRET' } },
    { object: { kind: 'Secret', data: { x: 'SECRET' }, stringData: { y: 'SECRET' } } },
    { bearerToken: ['SECRET'] },
  ])('are masked by the name of their field: %j', (fields) => {
    const { log, lines } = setUp();
    log.line('info', 'x', fields);
    expect(lines[0]).toContain('[redacted]');
    expect(lines[0]).not.toContain('SECRET');
  });

  it('are masked inside texts', () => {
    expect(redact(`GET failed with Bearer ${jwt} (401)`, 'error')).toBe(
      'GET failed with Bearer [redacted] (401)',
    );
    expect(redact(`token was ${jwt}`, 'error')).toBe('token was [redacted]');
    expect(redact('nats://user:hunter2@host:4222 is away', 'error')).toBe(
      'nats://user:[redacted]@host:4222 is away',
    );
    expect(redact('-----BEGIN RSA PRIVATE KEY-----\nabc', 'error')).toBe('[redacted]');
  });

  /** `CANARY` stands where the secret is. */
  const quotes: readonly (readonly [shape: string, secret: string])[] = [
    ['GET https://10.0.0.1 answered 401 to "Authorization: Bearer CANARY"', 'k8s-aws-v1.aHR0c'],
    ['proxy wants Basic CANARY', 'dXNlcjpodW50ZXIy'],
    ['cannot parse {"status":{"token":"CANARY"}}', 'abcdef.0123456789abcdef'],
    ['cannot parse "{\\"token\\":\\"CANARY\\"}"', 'abcdef.0123456789abcdef'],
    ['exec: the plugin "aws" gave no credentials: AWS_SECRET_ACCESS_KEY=CANARY', 'wJalrXUtnFEMI'],
    ['users[0].user.password: CANARY is too short', 'hunter2'],
    ['nats://coppice:CANARY@nats:4222 is away', 'hunter2'],
    ['seed CANARY cannot be read', `SUA${'K'.repeat(55)}`],
    ['access by CANARY was refused', 'AKIAIOSFODNN7EXAMPLE'],
    ['wrote -----BEGIN EC PRIVATE KEY-----\nCANARY\n-----END EC PRIVATE KEY-----', 'MHcCAQEEI'],
    ['the answer CANARY has expired', jwt],
    ['client-key-data: CANARY is no PEM', 'LS0tLS1CRUdJTi'],
  ];

  it.each(quotes)('planted in an error appear in no log line: %s', (shape, secret) => {
    const error = new Error(shape.replace('CANARY', () => secret));
    for (const format of ['json', 'text'] as const) {
      const { log, lines } = setUp({ format });
      log.line('error', error.message, {});
      log.line('error', `it failed: ${String(error)}`, { ...demo, error: String(error) });
      log.line('error', 'it failed', {
        cause: [{ stack: error.stack ?? '' }],
        name: error.message,
      });
      expect(lines).toHaveLength(3);
      expect(lines.filter((line) => line.includes(secret))).toEqual([]);
      expect(lines.every((line) => line.includes('[redacted]'))).toBe(true);
    }
  });

  it('leave the rest of the text as it was', () => {
    const said = [
      'waits for the token Secret default/demo-token, which is not there',
      'bus.passwordFile is missing, it must be given with user',
      'basic scheduling of 3 tokens took 4 ms',
      'a message was dropped',
    ];
    const { log, lines } = setUp();
    for (const message of said) log.line('info', message, {});
    expect(lines.map((line) => (JSON.parse(line) as { msg: string }).msg)).toEqual(said);
  });

  it('are looked for in bounded time, whatever the text', () => {
    for (const part of ['a.', 'eyJaaaaa-', 'Bearer ', 'a-token', '-----BEGIN A PRIVATE KEY-----']) {
      const { log, lines } = setUp();
      log.line('error', part.repeat(200_000), { error: part.repeat(200_000) });
      expect(lines[0]?.length).toBeLessThan(30_000);
    }
  });

  it('are not seen in names and counts', () => {
    const fields = { secretName: 'demo-token', tokens: 3, kind: 'Secret', namespace: 'a' };
    expect(redact(fields, 'object')).toEqual(fields);
  });

  it('never show in any place of a value', () => {
    fc.assert(
      fc.property(fc.array(fc.constantFrom('a', 'list', 'spec')), (path) => {
        const value = path.reduceRight<JsonObject>((inner, key) => ({ [key]: [inner] }), {
          password: 'SECRET',
        });
        expect(JSON.stringify(redact(value, 'x'))).not.toContain('SECRET');
      }),
    );
  });
});
