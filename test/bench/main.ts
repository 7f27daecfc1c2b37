// `npm run bench -- scale`: progress on stderr, one JSON line on stdout.
import { parseArgs } from 'node:util';
import { runFloor } from './floor.ts';
import { runScale, type ScaleResult } from './scale.ts';
import { startWorld, unlimited, type World, type WorldOptions } from './world.ts';

const usage = `Usage: npm run bench -- scale|floor [--cluster embedded|real] [--replicas 500] [--nodes 100]
         [--idle-seconds 60] [--with-floor] [--limits S1|S2] [--repeat N]
scale  deploys a PodCliqueSet of N replicas of two pods, idles, touches, restarts the controller, scales to
       half and back, deletes. One JSON line per run; the counts are the server's own.
floor  only the writes that such a deploy cannot do without, from a script.
S1     100 requests a second and bursts of 150 per kind, scheduler 50/100, controller manager 20/30.
S2     no limits (default).`;

const { values, positionals } = parseArgs({
  allowPositionals: true,
  options: {
    cluster: { type: 'string', default: 'embedded' },
    replicas: { type: 'string', default: '500' },
    nodes: { type: 'string', default: '100' },
    'idle-seconds': { type: 'string', default: '60' },
    'with-floor': { type: 'boolean', default: false },
    limits: { type: 'string', default: 'S2' },
    repeat: { type: 'string', default: '1' },
  },
});

const limits: Readonly<
  Record<string, Pick<WorldOptions, 'limit' | 'schedulerLimit' | 'managerLimit'>>
> = {
  S1: {
    limit: { qps: 100, burst: 150 },
    schedulerLimit: { qps: 50, burst: 100 },
    managerLimit: { qps: 20, burst: 30 },
  },
  S2: { schedulerLimit: unlimited, managerLimit: unlimited },
};

const say = (line: string): void => {
  process.stderr.write(`${line}\n`);
};

const [what] = positionals;
const { cluster } = values;
const limit = limits[values.limits];
if (
  (what !== 'scale' && what !== 'floor') ||
  (cluster !== 'embedded' && cluster !== 'real') ||
  limit === undefined
) {
  say(usage);
  process.exit(1);
}
const replicas = Number(values.replicas);
const world: WorldOptions = { cluster, nodes: Number(values.nodes), ...limit };

/** Each on a cluster of its own. */
const on = async (act: (world: World) => Promise<ScaleResult>): Promise<ScaleResult> => {
  const place = await startWorld(world);
  try {
    return await act(place);
  } finally {
    await place.stop();
  }
};
const scale = (): Promise<ScaleResult> =>
  on((place) => runScale(place, { replicas, idleSeconds: Number(values['idle-seconds']), say }));
const floor = (): Promise<ScaleResult> =>
  on(({ client }) => runFloor(client, { replicas, inFlight: 64, rate: limit.limit, say }));

for (let run = 0; run < Number(values.repeat); run++) {
  const least = what === 'floor' || values['with-floor'] ? await floor() : {};
  const result = what === 'scale' ? await scale() : {};
  const line = { cluster, limits: values.limits, ...result, ...least, ...ratios(result, least) };
  process.stdout.write(`${JSON.stringify(line)}\n`);
}

function ratios(result: ScaleResult, least: ScaleResult): ScaleResult {
  const of = (key: string): Record<string, number> => {
    const [ours, floors] = [result[`${key}_s`], least[`floor_${key}_s`]];
    if (typeof ours !== 'number' || typeof floors !== 'number') return {};
    return { [`${key}_ratio`]: Math.round((ours / floors) * 100) / 100 };
  };
  return { ...of('created'), ...of('ready'), ...of('gone') };
}
