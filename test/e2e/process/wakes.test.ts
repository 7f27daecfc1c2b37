// `coppice dev` with the sample of a server that has no pod while nobody asks for it: its pods are
// processes, and requests go over real sockets.
import { request } from 'node:http';
import { join } from 'node:path';
import { afterAll, expect, test } from 'vitest';
import { eventually } from '#test/support/eventually.ts';
import { processesNaming } from '#test/support/program.ts';
import { DevStage } from './dev-stage.ts';

const patient = { timeout: 180_000 };
const stage = new DevStage();
afterAll(() => stage.end());
const sample = join(import.meta.dirname, '../../../charts/coppice/samples/scale-to-zero.yaml');

interface Answer {
  readonly status: number | undefined;
  readonly body: string;
}

const ask = (url: string, host: string): Promise<Answer> =>
  new Promise((resolve, reject) => {
    const sent = request(url, { headers: { host }, agent: false }, (response) => {
      let body = '';
      response.setEncoding('utf8').on('data', (text: string) => (body += text));
      response.on('end', () => resolve({ status: response.statusCode, body }));
    });
    sent.once('error', reject).end();
  });

/** Pids of pods that are served in this test's own process tree. */
const pods = (): readonly string[] =>
  processesNaming('Hello from ${POD_NAME}').map((line) => line.split(' ')[0] ?? '');
const none = (found: readonly string[]): boolean => found.length === 0;

test(
  'A request wakes a pod from zero, which ends again when nobody asks (B-20)',
  patient,
  async () => {
    const program = stage.dev('wakes', {}, '--no-nats', '--apply', sample);
    const [, host = '', url = ''] = await program.line(/curl -H 'Host: (\S+)' (http:\S+)$/);
    expect(host).toBe('hello.default.svc.cluster.local');
    await eventually('at zero', pods, none, 60_000);
    for (let times = 0; times < 2; times++) {
      const burst = await Promise.all(Array.from({ length: 5 }, () => ask(url, host)));
      const [first] = burst;
      expect(first?.status).toBe(200);
      expect(first?.body).toMatch(/^Hello from scale-to-zero-0-hello-\w+, process \d+\n$/);
      for (const { status, body } of burst) {
        expect(status).toBe(200);
        expect(pods()).toContain(/process (\d+)/.exec(body)?.[1]);
      }
      await eventually('at zero again', pods, none, 60_000);
    }
    const unknown = await ask(url, 'nobody.default.svc.cluster.local');
    expect(unknown.status).toBe(404);
    program.signal('SIGINT');
    expect(await program.ended).toEqual({ code: 0, signal: null });
  },
);

test('Pods that are processes end when coppice dev is killed', patient, async () => {
  const program = stage.dev('killed', {}, '--no-nats', '--apply', sample);
  const [, host = '', url = ''] = await program.line(/curl -H 'Host: (\S+)' (http:\S+)$/);
  expect((await ask(url, host)).status).toBe(200);
  expect(pods()).toHaveLength(1);
  await program.kill();
  await eventually('over', pods, none);
});

test('An annotation of the activator that cannot be read stops the start', async () => {
  const file = stage.file(
    'wrong.yaml',
    `apiVersion: v1
kind: Service
metadata:
  name: wrong
  annotations: { dev.coppice/activator: 'revisions: [{ name: wrong, containerConcurrency: many }]' }
spec: { ports: [{ port: 80 }] }
`,
  );
  const program = stage.dev('wrong', {}, '--no-nats', '--apply', file);
  expect((await program.ended).code).not.toBe(0);
  expect(program.stderr.join('\n')).toContain(
    'metadata.annotations["dev.coppice/activator"]: activator.revisions[0].containerConcurrency',
  );
});
