// `npm run bench -- scale`: progress on stderr, one JSON line on stdout.
import { parseArgs } from 'node:util';
import { runScale } from './scale.ts';
import { startWorld } from './world.ts';

const usage = `Usage: npm run bench -- scale [--cluster embedded|real] [--replicas 500] [--nodes 100] [--idle-seconds 60]
                              [--qps Q --burst B] [--repeat N]
Deploys a PodCliqueSet of N replicas of two pods, idles, touches, restarts the controller, scales to half
and back, deletes; prints one JSON line per run. Counts are the server's own.`;

const { values, positionals } = parseArgs({
  allowPositionals: true,
  options: {
    cluster: { type: 'string', default: 'embedded' },
    replicas: { type: 'string', default: '500' },
    nodes: { type: 'string', default: '100' },
    'idle-seconds': { type: 'string', default: '60' },
    qps: { type: 'string' },
    burst: { type: 'string' },
    repeat: { type: 'string', default: '1' },
  },
});

const say = (line: string): void => {
  process.stderr.write(`${line}\n`);
};

const { cluster } = values;
if (positionals[0] !== 'scale' || (cluster !== 'embedded' && cluster !== 'real')) {
  say(usage);
  process.exit(1);
}
for (let run = 0; run < Number(values.repeat); run++) {
  const limit =
    values.qps === undefined
      ? undefined
      : { qps: Number(values.qps), burst: Number(values.burst ?? values.qps) };
  const world = await startWorld({ cluster, nodes: Number(values.nodes), limit });
  try {
    const replicas = Number(values.replicas);
    const result = await runScale(world, {
      replicas,
      idleSeconds: Number(values['idle-seconds']),
      say,
    });
    process.stdout.write(`${JSON.stringify({ cluster, ...result })}\n`);
  } finally {
    await world.stop();
  }
}
