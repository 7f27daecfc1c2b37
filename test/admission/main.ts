// Measures the admission server: `node test/admission/main.ts [rate] [seconds]` sends that many
// reviews a second over TLS (each set is defaulted, then judged: two reviews for one admission), on
// time whether or not the answers before have come, and prints one line of JSON. Server and sender
// share this process, so one core does both. `p99CpuMs` is the CPU time of one admission after
// the other: what the rest comes to on a machine that does nothing else.
import { systemClock } from '#src/time/clock.ts';
import { baseSet, replaced } from './examples.ts';
import { reviewOf, serveWebhooks } from './served.ts';

const [rate = 100, seconds = 20] = process.argv.slice(2).map(Number);
const steady = (): number => systemClock.steady();
const at = (delayMs: number): Promise<void> =>
  new Promise((resolve) => void systemClock.at(systemClock.now() + delayMs, resolve));

/** A set of ten roles with twenty variables each: larger than most. */
const cliques = Array.from({ length: 10 }, (_, index) => ({
  name: `role-${index}`,
  spec: {
    roleName: `role-${index}`,
    replicas: 4,
    podSpec: {
      containers: [
        {
          name: 'main',
          image: 'registry.example/main:1.0',
          env: Array.from({ length: 20 }, (_, each) => ({
            name: `V${each}`,
            value: 'x'.repeat(40),
          })),
        },
      ],
    },
  },
}));
const submitted = replaced(baseSet, {
  'spec.template.cliques': cliques,
  'spec.template.podCliqueScalingGroups': [],
});
const judged = replaced(submitted, {
  'spec.template.cliques': cliques.map((clique) => ({
    ...clique,
    spec: { ...clique.spec, minAvailable: 4 },
  })),
});

const changed = replaced(judged, { 'spec.replicas': 5 });
const bodies = [
  ['/webhooks/default-podcliqueset', reviewOf(submitted)],
  [
    '/webhooks/validate-podcliqueset',
    reviewOf(changed, { operation: 'UPDATE', oldObject: judged }),
  ],
] as const;

const {
  server,
  origin,
  agent: agentOf,
} = await serveWebhooks({
  onError: (error) => {
    throw error;
  },
});
const agent = agentOf({ connections: 16 });
const headers = { 'content-type': 'application/json' };

async function admit(): Promise<number> {
  const begun = steady();
  for (const [path, body] of bodies) {
    const answer = await agent.request({ origin, path, method: 'POST', headers, body });
    if (!(await answer.body.text()).includes('"allowed":true')) throw new Error('refused');
  }
  return steady() - begun;
}

for (let warm = 0; warm < 50; warm += 1) await admit();
const alone: number[] = [];
for (let index = 0; index < 500; index += 1) {
  const before = process.threadCpuUsage();
  await admit();
  const { user, system } = process.threadCpuUsage(before);
  alone.push((user + system) / 1000);
}
const begun = steady();
const cpu = process.cpuUsage();
const taken: Promise<number>[] = [];
for (let index = 0; index < rate * seconds; index += 1) {
  const due = begun + (index * 1000) / rate;
  const early = due - steady();
  if (early > 0) await at(early);
  taken.push(admit());
}
const times = (await Promise.all(taken)).toSorted((a, b) => a - b);
const used = process.cpuUsage(cpu);
const quantile = (share: number, of: readonly number[] = times): number =>
  Math.round((of[Math.floor((of.length - 1) * share)] ?? 0) * 100) / 100;
const result = {
  admissions: times.length,
  perSecond: Math.round(times.length / ((steady() - begun) / 1000)),
  bytes: bodies.reduce((sum, [, body]) => sum + body.length, 0),
  p50Ms: quantile(0.5),
  p99Ms: quantile(0.99),
  maxMs: quantile(1),
  p99CpuMs: quantile(
    0.99,
    alone.toSorted((a, b) => a - b),
  ),
  cpuMsPerAdmission: Math.round((used.user + used.system) / 10 / times.length) / 100,
};
process.stdout.write(`${JSON.stringify(result)}\n`);
await agent.close();
await server.close();
