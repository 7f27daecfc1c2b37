// The command line of the benchmark: what the flags come to, and a sentence for whatever is wrong.
import { describe, expect, test } from 'vitest';
import { UsageError } from './arguments.ts';
import { readCommand } from './command.ts';
import { commands } from './flags.ts';
import { help } from './help.ts';
import { partNames } from './report/parts.ts';
import { limitsS1, limitsS2 } from './runs.ts';

const read = (line: string) => readCommand(line.split(' '));

function complaint(line: string): string {
  try {
    read(line);
    return 'none';
  } catch (error) {
    if (error instanceof UsageError) return error.message;
    throw error;
  }
}

describe('readCommand', () => {
  test('without flags has the documented defaults', () => {
    expect(read('scale')).toEqual({
      command: 'scale',
      cluster: 'embedded',
      nodes: 100,
      replicas: 500,
      limits: limitsS2,
      repeat: 1,
      isShort: false,
      withFloor: false,
      audit: false,
      isProfiled: false,
      steadySeconds: undefined,
      inFlight: undefined,
      floorInFlight: 64,
      idleSeconds: 60,
      quietSeconds: 3,
      patienceSeconds: 600,
      calibrationRequests: 500,
    });
    expect(read('report')).toMatchObject({ only: partNames, repeat: 5, resume: false });
  });

  test('takes flags in both spellings, and numbers in flight as a list', () => {
    expect(read('floor --cluster=real --replicas 20')).toMatchObject({
      cluster: 'real',
      replicas: 20,
    });
    expect(read('sweep --in-flight 1,16')).toMatchObject({ steps: [1, 16] });
    expect(read('report --only s2,sweep')).toMatchObject({ only: ['s2', 'sweep'] });
  });

  test('keeps a phase open for a profile', () => {
    expect(read('scale --profile')).toMatchObject({ isProfiled: true, steadySeconds: 30 });
    expect(read('scale --profile --steady-seconds 5')).toMatchObject({ steadySeconds: 5 });
    expect(read('scale --short --with-floor')).toMatchObject({ isShort: true, withFloor: true });
  });

  test('measures the inspector with 10,000 rows and 20 viewers, or a part of it', () => {
    expect(read('inspector')).toMatchObject({ rows: 10_000, viewers: 20, repeat: 5, only: 'all' });
    expect(read('inspector --only page --rows 500')).toMatchObject({ only: 'page', rows: 500 });
    expect(complaint('inspector --only bus')).toContain('--only must be one of all, page');
  });

  test('measures the parts of the activator that are named, or all of them', () => {
    expect(read('activator-micro')).toMatchObject({ runs: 5, ms: 200 });
    expect(read('activator-micro --only B-3,admission')).toMatchObject({
      only: ['B-3', 'admission'],
    });
    expect(complaint('activator-micro --only B-9')).toContain('--only must be one of B-1, B-2');
  });

  test('measures ways to share pods between workers', () => {
    expect(read('activator-cores --runs 3')).toMatchObject({ runs: 3, requests: 200_000 });
    expect(complaint('activator-cores --ms 0')).toContain('--ms must be a whole number from 1');
  });

  test('measures the contenders that are named beside the activator, by one load or by both', () => {
    expect(read('activator-proxy')).toMatchObject({ loads: ['closed', 'open'], rate: 1000 });
    expect(read('activator-proxy --only pipe,ours-cc0 --loads open')).toMatchObject({
      only: ['pipe', 'ours-cc0'],
      loads: ['open'],
    });
    expect(complaint('activator-proxy --only apache')).toContain('--only must be one of direct');
    expect(complaint('activator-proxy --loads shut')).toContain('--loads must be one of closed');
  });

  test('measures claims by named cases, or by one of its own numbers', () => {
    expect(read('claims')).toMatchObject({
      cluster: 'real',
      cases: [{ name: '300' }, { name: '750' }, { name: '100' }, { name: 'fill' }],
      server: 'controller',
      isObserved: true,
      repeat: 5,
      audit: false,
    });
    expect(read('claims --cases 100,burst')).toMatchObject({
      cases: [
        { pool: 200, count: 100, rate: 50 },
        { pool: 3700, count: 3600, rate: 0 },
      ],
    });
    expect(read('claims --count 10 --rate 100 --bursts 3')).toMatchObject({
      cases: [{ name: 'own', pool: 20, count: 10, rate: 100, bursts: 3 }],
    });
    expect(read('claims --cases 100 --profile')).toMatchObject({ isProfiled: true });
    expect(read('claims --server floor --busy-us 700')).toMatchObject({
      server: 'floor',
      busyUs: 700,
    });
    expect(complaint('claims --busy-us 700')).toContain('--server floor or list');
    expect(read('claims --fill --pool 30')).toMatchObject({ cases: [{ pool: 30, count: 0 }] });
  });

  test('churns on the real control plane, for 30 minutes where nobody says how long', () => {
    expect(read('churn')).toMatchObject({
      cluster: 'real',
      replicas: 50,
      minutes: 30,
      cycles: undefined,
      quietSeconds: 1,
    });
    expect(read('churn --cluster embedded --cycles 2')).toMatchObject({
      cluster: 'embedded',
      cycles: 2,
    });
  });

  test('updates on the real control plane, in pairs', () => {
    expect(read('update')).toEqual({
      command: 'update',
      cluster: 'real',
      nodes: 100,
      replicas: 100,
      limits: limitsS2,
      isProfiled: false,
      pairs: 3,
      floorInFlight: 64,
      idleSeconds: 60,
      quietSeconds: 3,
      patienceSeconds: 600,
    });
    expect(read('update --replicas 500 --pairs 1')).toMatchObject({ replicas: 500, pairs: 1 });
    expect(read('update --profile')).toMatchObject({ isProfiled: true });
  });

  test('takes two commits to compare, and where', () => {
    expect(read('compare main HEAD~1 --set embedded --pairs 5')).toMatchObject({
      base: 'main',
      head: 'HEAD~1',
      cluster: 'embedded',
      limits: limitsS2,
      pairs: 5,
      limit: 20,
    });
    expect(read('compare a b --set s1')).toMatchObject({ cluster: 'real', limits: limitsS1 });
    expect(read('compare a b')).toMatchObject({ split: undefined, isTraced: false });
  });

  test('takes the part of the sets that is traced, which must be a whole number of them', () => {
    const split = { sets: 50, sampled: 5 };
    expect(read('compare . . --traced 10 --sets 50')).toMatchObject({ split, isTraced: true });
    expect(read('compare . . --sets 50')).toMatchObject({
      split: { sets: 50, sampled: 0 },
      isTraced: false,
    });
    expect(() => read('compare . . --traced 10')).toThrow(
      '--traced 10 is no whole number of 1 sets; see --sets',
    );
  });

  test('compares as the chart installs it on the real cluster alone, and without traces', () => {
    expect(read('compare . . --as-installed')).toMatchObject({ isInstalled: true });
    expect(read('compare . .')).toMatchObject({ isInstalled: false });
    expect(() => read('compare . . --as-installed --set embedded')).toThrow(
      '--as-installed cannot go with --set embedded: leave out one',
    );
    expect(() => read('compare . . --as-installed --traced 10 --sets 50')).toThrow(
      '--as-installed cannot go with --traced: leave out one',
    );
  });

  test('takes the loads of cliques as lists, and the limit of clients as shipped', () => {
    expect(read('cliques --m 1,60 --spread 0,10 --strategies S1,S4b --limiter on')).toMatchObject({
      cluster: 'embedded',
      strategies: ['S1', 'S4b'],
      sizes: [18],
      cliques: [1, 60],
      spreads: [0, 10],
      limit: { qps: 5, burst: 10 },
      isGuarded: false,
      repetitions: 5,
      warmUps: 1,
    });
  });

  test('picks from queues on one node and on many', () => {
    expect(read('pick')).toEqual({ command: 'pick', nodes: [1, 100, 1000], repeat: 31 });
    expect(read('pick --nodes 7 --repeat 1')).toMatchObject({ nodes: [7], repeat: 1 });
  });

  test('knows S1 by its name and by its figures, and other figures as custom', () => {
    expect(read('scale --limits S1')).toMatchObject({ limits: limitsS1 });
    expect(read('scale --qps 100 --burst 150')).toMatchObject({ limits: limitsS1 });
    expect(read('scale --qps 50 --burst 60')).toMatchObject({
      limits: { ...limitsS1, name: 'custom', limit: { qps: 50, burst: 60 } },
    });
  });

  test.each([
    ['scle', 'no command "scle"; did you mean "scale"?; see --help'],
    ['scale --replica 5', 'scale has no flag "--replica"; did you mean "replicas"?; see --help'],
    ['update --repeat 5', 'update has no flag "--repeat"; see --help'],
    ['floor --audit', 'floor has no flag "--audit"; see --help'],
    ['scale 500', 'scale takes no argument "500"; flags begin with --'],
    ['compare main', 'compare wants BASE and HEAD: compare BASE HEAD'],
    ['compare a b c', 'compare takes no argument "c"; flags begin with --'],
    ['scale --replicas', '--replicas wants a value: --replicas N'],
    ['scale --replicas --audit', '--replicas wants a value: --replicas N'],
    ['scale --replicas 5x', '--replicas must be a whole number from 1 to 5000, not "5x"'],
    ['scale --replicas 0', '--replicas must be a whole number from 1 to 5000, not "0"'],
    ['scale --audit=yes', '--audit is a switch and takes no value, not "yes"'],
    ['scale --cluster kind', '--cluster must be one of embedded, real, not "kind"'],
    ['scale --limits S3', '--limits must be one of S1, S2, not "S3"; did you mean "S1"?'],
    ['scale --qps 5', '--qps and --burst go together, like --qps 100 --burst 150'],
    ['cliques --n 19', '--n must be a whole number from 1 to 18, not "19"'],
    ['cliques --strategies S5', 'S5 needs the rule of the CRD: add --guard on'],
    ['claims --count 10 --pool 9', '--pool must be at least --count 10: cold starts'],
    ['claims --fill --count 9', '--fill cannot go with --count: leave out one'],
    ['sweep --in-flight 1,x', '--in-flight must be a whole number from 1 to 1024, not "x"'],
    [
      'report --only s3',
      `--only must be one of ${partNames.join(', ')}, not "s3"; did you mean "s2"?`,
    ],
  ])('says of "%s" what is wrong', (line, message) => {
    expect(complaint(line)).toBe(message);
  });

  test('refuses an audit of the embedded cluster, and two sets of limits', () => {
    expect(complaint('scale --audit')).toContain('--cluster real');
    expect(complaint('scale --limits S1 --qps 5 --burst 6')).toContain('leave out one');
  });

  test.each(['', 'help', '--help', '-h', 'scale --help'])('shows the help for "%s"', (line) => {
    expect(readCommand(line === '' ? [] : line.split(' '))).toEqual({ command: 'help' });
  });
});

test('The help names every command, every flag and every part of the report', () => {
  const text = help();
  for (const [name, { flags }] of Object.entries(commands)) {
    expect(text).toContain(`\n  ${name} `);
    for (const flag of Object.keys(flags)) expect(text).toContain(`--${flag}`);
  }
  for (const part of partNames) expect(text).toContain(part);
});
