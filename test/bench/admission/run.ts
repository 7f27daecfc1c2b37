// `npm run bench -- admission`: reviews of PodCliqueSets, as an API server sends them, to the
// webhooks of a controller on one core. A table on stderr, all figures as one JSON line on stdout.
import { execFileSync } from 'node:child_process';
import { Agent } from 'undici';
import { at, list, text } from '#machines/kubernetes/json.ts';
import type { JsonObject } from '#machines/kubernetes/objects.ts';
import { configurationPath } from '#src/admission/registration.ts';
import { enabledWebhooks } from '#src/admission/webhooks.ts';
import { defaultConfiguration } from '#src/config/decode.ts';
import { localAdmission } from '#src/dev/admission.ts';
import { reviewOf } from '#test/admission/served.ts';
import { eventually } from '#test/support/eventually.ts';
import { pathOf } from '#test/support/tools.ts';
import { get, setBody } from '#test/support/workload.ts';
import { limitsS2, onFresh } from '../runs.ts';
import { percentile, type Result, summarize } from '../statistics.ts';
import { summaryTable } from '../table.ts';
import { usageOf } from '../usage.ts';
import { type Site, startSite } from '../world.ts';
import { atRate } from './load.ts';
import { type AdmissionCommand, limitMs } from './settings.ts';

type Say = (line: string) => void;

/** The exit code: 1 where a review failed, or p99 is beyond the limit. */
export async function admission(command: AdmissionCommand, say: Say): Promise<number> {
  const { out } = command;
  const settings = {
    cluster: 'embedded',
    nodes: 1,
    limits: limitsS2,
    configuration: { admission: { ...localAdmission(defaultConfiguration) } },
    out,
    say,
  } as const;
  const result = await onFresh('admission', settings, startSite, (site) => measure(site, command));
  say(`\n${summaryTable(summarize([result]))}`);
  process.stdout.write(`${JSON.stringify({ ...command, limitMs, ...result })}\n`);
  const { failed, p99_ms: p99 } = result;
  if (failed === 0 && Number(p99) <= limitMs) return 0;
  say(`${String(failed)} failed, p99 is ${String(p99)} ms, and must be ${limitMs} at most`);
  return 1;
}

async function measure(site: Site, command: AdmissionCommand): Promise<Result> {
  const { rate, seconds } = command;
  const controller = await site.startController();
  const isPinned = pin(controller.pid);
  const hooks = await Promise.all(
    enabledWebhooks(false)
      .filter(({ path }) => path.includes('podcliqueset'))
      .map((webhook) => registered(site, configurationPath(webhook))),
  );
  const agent = new Agent({ connections: 8, connect: { ca: hooks.map(({ ca }) => ca) } });
  const body = reviewOf(setOf(command.cliques));
  const send = async (index: number): Promise<boolean> => {
    const { url } = hooks[index % hooks.length] ?? { url: '' };
    const { origin, pathname: path } = new URL(url);
    const headers = { 'content-type': 'application/json' };
    const reply = await agent.request({ origin, path, method: 'POST', headers, body });
    const answer = await reply.body.json();
    return reply.statusCode === 200 && at(answer, 'response', 'allowed') === true;
  };
  try {
    // Connections are opened and code is compiled.
    await atRate(rate, 2 * rate, send);
    const before = await usageOf(controller.pid);
    const { milliseconds, failed } = await atRate(rate, rate * seconds, send);
    const after = await usageOf(controller.pid);
    const cpu = (after?.cpuSeconds ?? 0) - (before?.cpuSeconds ?? 0);
    return {
      body_bytes: body.length,
      cores: isPinned ? 1 : 0,
      failed,
      p50_ms: round(percentile(milliseconds, 50)),
      p99_ms: round(percentile(milliseconds, 99)),
      max_ms: round(Math.max(...milliseconds)),
      cpu_ms_each: round((cpu * 1000) / milliseconds.length),
    };
  } finally {
    await agent.close();
    await controller.stop();
  }
}

const round = (value: number): number => Math.round(value * 100) / 100;

/** To the first core; false where there is no `taskset`. */
function pin(pid: number): boolean {
  const taskset = pathOf('taskset');
  if (taskset === undefined) return false;
  execFileSync(taskset, ['--all-tasks', '--cpu-list', '--pid', '0', String(pid)]);
  return true;
}

/** Address and authority of a webhook, as the API server knows them. */
async function registered(
  { client }: Site,
  path: string,
): Promise<{ readonly url: string; readonly ca: string }> {
  const reply = await eventually(
    `a webhook at ${path}`,
    async () => list(at(await get(client, path).catch(() => undefined), 'webhooks'))[0],
    (webhook) => webhook !== undefined,
  );
  const config = at(reply, 'clientConfig');
  const ca = Buffer.from(text(at(config, 'caBundle')), 'base64').toString('utf8');
  return { url: text(at(config, 'url')), ca };
}

const setOf = (cliques: number): JsonObject =>
  setBody({
    name: 'base',
    replicas: 2,
    cliques: Array.from({ length: cliques }, (_, index) => ({ name: `clique-${index}` })),
  });
