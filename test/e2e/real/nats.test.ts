// The commands of docs/bus.md, run with the NATS command line against a real nats-server and the
// controller: what a person who follows the page sees.
import { execFile } from 'node:child_process';
import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { expect, test } from 'vitest';
import { binary } from '#test/cluster/up.ts';
import { manifest, type SetWanted } from './sets.ts';
import { describeReal } from './stage.ts';

const page = readFileSync(join(import.meta.dirname, '../../../docs/bus.md'), 'utf8');
/** `nats req SUBJECT ''   # what it is for` */
const commands = [...page.matchAll(/^nats (.+?)(?:\s+#.*)?$/gm)].map(([, words = '']) => words);

/** The object of the page's examples. */
const demo: SetWanted = { name: 'demo', replicas: 1, cliques: [{ name: 'worker', replicas: 2 }] };

const run = promisify(execFile);

describeReal('The NATS command line', (at) => {
  const nats = binary('nats');

  async function ask(words: string): Promise<string> {
    const args = [...words.matchAll(/'([^']*)'|(\S+)/g)].map(([, quoted, bare]) => quoted ?? bare);
    const all = ['--server', at().given.natsUrl, ...args.map((arg) => arg ?? '')];
    const { stdout, stderr } = await run(nats, all, { timeout: 20_000 });
    return stdout + stderr;
  }

  test.skipIf(!existsSync(nats))('does what docs/bus.md shows', async () => {
    const stage = at();
    // The examples name the namespace default.
    const subscribed = commands.filter((words) => words.startsWith('sub '));
    const listeners = subscribed.map((words) => {
      const subject = words.slice(4).replaceAll("'", '');
      return stage.run(nats, ['--server', stage.given.natsUrl, 'sub', subject]);
    });
    await Promise.all(listeners.map((listener) => listener.line(/Subscribing on/)));
    await stage.controller();
    await stage.kube.create('default', 'podcliquesets', manifest(demo));
    await stage.ready('default', demo);

    const answers = new Map<string, string>();
    for (const words of commands.filter((one) => !one.startsWith('sub '))) {
      // Needs a terminal.
      if (!words.startsWith('stream view')) answers.set(words, await ask(words));
    }
    for (const [words, answer] of answers) {
      if (!expected(words).test(answer)) throw new Error(`nats ${words} said:\n${answer}`);
    }
    const [all, one, parked] = listeners;
    await all?.line(/coppice\.tell\.\d+\.podgang\.default\.demo-0/);
    await one?.line(/coppice\.fact\.podclique\.default\.demo-0-worker\.wrote/);
    expect(answers.size).toBeGreaterThan(8);
    await parked?.line(/"what":"parked","data":\{"error":"I look at it"/);

    await stage.kube.delete('default', 'podcliquesets', demo.name);
    await stage.empty('default');
  });
});

function expected(words: string): RegExp {
  if (words.endsWith("why ''")) return /"because":\["2 of 2 pods .* are ready/;
  if (words.endsWith("unpark ''")) return /"parked":false,"wasParked":true/;
  if (words.includes('.park ')) return /"ok":true,"data":\{"parked":true\}/;
  if (words.endsWith("state ''")) return /"machine":"podclique".*"pods":\{"replicas":2/;
  if (words.includes('.history ')) return /"facts":\[\{"sequence":\d+.*"older":"/;
  if (words.includes('.trace ')) return /"trace":"k3x-41","facts":\[\],"isWhole":false/;
  if (words === 'micro ls') return /coppice .* Questions to the actors/;
  if (words.startsWith('micro info')) return /Subject: coppice\.ask\.>/;
  if (words.startsWith('micro stats')) return /ask .* coppice/;
  if (words === 'stream ls') return /COPPICE_FACTS/;
  if (words.startsWith('stream info')) return /Subjects: coppice\.fact\.>/;
  if (words.startsWith('stream get')) return /"what":"transition"/;
  throw new Error(`docs/bus.md shows "nats ${words}" and this test does not know it`);
}
