// The flags of `npm run bench`: command.ts reads arguments by this table, help.ts prints it.
import { parts } from './activator/cells/all.ts';
import { caseNames, usualCases } from './claims/cases.ts';
import { defaultStrategies } from './cliques/strategies.ts';
import { contenderNames } from './proxy/contenders/names.ts';

export interface Flag {
  /** What stands for the value in the help; absent: a switch. */
  readonly value?: string;
  readonly about: string;
}

export interface Command {
  readonly about: string;
  /** Names of the arguments that are no flags, all of them required. */
  readonly operands?: readonly string[];
  readonly flags: Readonly<Record<string, Flag>>;
}

const place = {
  cluster: { value: 'embedded|real', about: 'where (default embedded)' },
  nodes: { value: 'N', about: 'simulated nodes (default 100)' },
};

const out = { out: { value: 'DIR', about: 'folder for what runs leave (default .cache/bench)' } };

const load = {
  replicas: { value: 'N', about: 'replicas, of two pods each (default 500)' },
  limits: {
    value: 'S1|S2',
    about: 'S1: 100/s, bursts of 150 per kind, scheduler 50/100, manager 20/30; S2: none (default)',
  },
  qps: { value: 'N', about: 'requests a second per kind, the components as in S1; with --burst' },
  burst: { value: 'N', about: 'requests at once per kind; with --qps' },
  ...out,
  repeat: { value: 'N', about: 'runs, each on a fresh cluster: medians and spread (default 1)' },
};

const floorInFlight = {
  'floor-in-flight': { value: 'N', about: 'requests of the floor in flight (default 64)' },
};

const quiet = {
  'quiet-seconds': {
    value: 'N',
    about: 'a phase is over after so long without a write (default 3)',
  },
  'patience-seconds': {
    value: 'N',
    about: 'a milestone that is not there after so long fails the run (default 600)',
  },
};

const steps = {
  'idle-seconds': { value: 'N', about: 'length of the idle step (default 60)' },
  ...quiet,
};

const calibration = {
  'calibration-requests': {
    value: 'N',
    about: 'requests per rate of the calibration (default 500; 0: no calibration)',
  },
};

export const commands = {
  scale: {
    about: 'deploy, idle, touch, restart, half and back, none, a few, none, all, delete',
    flags: {
      ...place,
      ...load,
      short: { about: 'ends after the deploy, with the deletion' },
      'with-floor': { about: 'measures the floor too, interleaved, and the ratios to it' },
      audit: { about: 'one more run, in which the audit log counts the requests (real only)' },
      profile: { about: 'CPU and heap profiles of each phase, and its ten costliest functions' },
      'steady-seconds': {
        value: 'N',
        about:
          'a phase that stays open so long after a touch (default: 30 with --profile, or none)',
      },
      'in-flight': { value: 'N', about: 'clientConnection.maxInFlight (default: the default)' },
      ...floorInFlight,
      ...steps,
      ...calibration,
    },
  },
  floor: {
    about: 'only the writes that such a deploy cannot do without, from a script; then the deletes',
    flags: { ...place, ...load, ...floorInFlight },
  },
  calibrate: {
    about: 'what the server can do: POST of pods and PUT of statuses a second',
    flags: {
      ...place,
      requests: { value: 'N', about: 'requests per rate (default 500)' },
      ...out,
    },
  },
  sweep: {
    about: 'deploy and delete with 1 to 128 requests in flight, and the knee of the curve',
    flags: {
      ...place,
      ...load,
      'in-flight': { value: 'N,N', about: 'the numbers (default 1,2,4,8,16,32,64,128)' },
      ...quiet,
    },
  },
  claims: {
    about: 'claims on a warm pool beside their floor; ends with 1 where a bound was missed',
    flags: {
      cluster: { ...place.cluster, about: 'where (default real)' },
      nodes: place.nodes,
      cases: {
        value: 'C1,C2',
        about: `${caseNames.join(', ')} (default ${usualCases.join()}), or one by these numbers:`,
      },
      count: { value: 'N', about: 'claims of a burst (default 300)' },
      rate: { value: 'N', about: 'claims a second (default 0: all at once)' },
      pool: { value: 'N', about: 'members of the pool (default twice the claims)' },
      bursts: { value: 'N', about: 'one after the other, without deletion (default 1)' },
      fill: { about: 'only the time until the pool is Ready (default 1,050 members)' },
      server: { value: 'NAME', about: 'controller (default), floor, or list: a floor by lists' },
      'busy-us': { value: 'N', about: 'CPU that this floor spends besides on each claim, in us' },
      unobserved: { about: 'claims carry no observability annotations, which saves a write' },
      audit: { about: 'one more run, in which the audit log counts the requests (real only)' },
      profile: { about: 'CPU and heap profiles of each phase, and its ten costliest functions' },
      ...out,
      repeat: { value: 'N', about: 'pairs on fresh clusters, medians of which count (default 5)' },
      ...floorInFlight,
      ...quiet,
    },
  },
  churn: {
    about: 'half the replicas and back, again and again; ends with 1 where something grew',
    flags: {
      cluster: { value: 'embedded|real', about: 'where (default real)' },
      nodes: place.nodes,
      replicas: { value: 'N', about: 'replicas, of two pods each (default 50)' },
      minutes: { value: 'N', about: 'so long (default 30)' },
      cycles: { value: 'N', about: 'no more than so many (default: what the time has room for)' },
      ...out,
      ...floorInFlight,
      'quiet-seconds': {
        value: 'N',
        about: 'a phase is over after so long without a write (default 1)',
      },
      'patience-seconds': quiet['patience-seconds'],
    },
  },
  growth: {
    about: 'deploys of growing size by one process and by several, and a model of what they take',
    flags: {
      cluster: { ...place.cluster, about: 'where (default real)' },
      pods: { value: 'N,N', about: 'sizes (default 1000,2000,5000,10000)' },
      processes: { value: 'N,N', about: 'processes of each, with leases (default 1,3)' },
      'from-results': { about: 'runs nothing: judges the results that are there' },
      trial: { about: 'leaves results and docs/sizing.md as they are' },
      'idle-seconds': { value: 'N', about: 'length of the rest (default 20)' },
      ...out,
      ...floorInFlight,
      ...quiet,
    },
  },
  update: {
    about: 'a rolling update by the floor and by the controller, in pairs, and the ratios',
    flags: {
      cluster: { ...place.cluster, about: 'where (default real)' },
      nodes: place.nodes,
      replicas: { ...load.replicas, about: 'replicas, of two pods each (default 100)' },
      pairs: { value: 'N', about: 'runs of each, in an order that chance decides (default 3)' },
      profile: { about: 'CPU and heap profiles of each phase, and its ten costliest functions' },
      ...out,
      ...floorInFlight,
      ...quiet,
    },
  },
  compare: {
    about: 'two commits in turns, deploy and delete; ends with 1 where a gated figure became worse',
    operands: ['BASE', 'HEAD'],
    flags: {
      set: { value: 'SET', about: 's2: real, no limits (default); s1: real, limited; embedded' },
      pairs: { value: 'N', about: 'runs of each commit (default 3)' },
      limit: { value: 'PERCENT', about: 'so much worse is too much (default 20)' },
      replicas: load.replicas,
      sets: { value: 'N', about: 'PodCliqueSets that share the replicas (default 1)' },
      traced: {
        value: 'PERCENT',
        about: 'HEAD sends traces of so many percent of the sets to a collector (default: none)',
      },
      'as-installed': { about: 'HEAD has two replicas, leases and the permissions of the chart' },
      nodes: place.nodes,
      ...out,
      ...quiet,
    },
  },
  cliques: {
    about: 'daemons that join NVLink cliques, by every way to give out indices',
    flags: {
      cluster: place.cluster,
      strategies: { value: 'S1,S2', about: `which (default ${defaultStrategies.join()})` },
      n: { value: 'N,N', about: 'daemons of a clique (default 18)' },
      m: { value: 'N,N', about: 'cliques (default 1,4,16)' },
      spread: { value: 'N,N', about: 'seconds over which the daemons join (default 0)' },
      domains: { value: 'one|each', about: 'ComputeDomains: one, or one a clique (default one)' },
      probes: { value: 'WHEN', about: 'the kubelets probe spread (default) or aligned' },
      limiter: { value: 'off|on', about: 'on: each client 5/s, bursts of 10 (default off)' },
      guard: { value: 'off|on', about: 'on: the CRD refuses shared indices (default off)' },
      repetitions: { value: 'N', about: 'measurements of each strategy and load (default 5)' },
      'warm-ups': { value: 'N', about: 'blocks of strategies before these (default 1)' },
      processes: { value: 'N', about: 'processes of simulated daemons (default 1)' },
      'cap-seconds': { value: 'N', about: 'what takes longer is given up (default 60)' },
      seed: { value: 'N', about: 'of joins, probes, choices and order (default 1)' },
      ...out,
    },
  },
  pick: {
    about:
      'a warm queue of 10 members and of 10,000, without a cluster; ends with 1 where it grows',
    flags: {
      nodes: { value: 'N,N', about: 'nodes that the members are on (default 1,100,1000)' },
      repeat: { value: 'N', about: 'runs of 10,000 operations of each kind: medians (default 31)' },
    },
  },
  'activator-micro': {
    about: "the activator's table of pods and its admission, without a cluster, held to gates",
    flags: {
      only: { value: 'P,P', about: `parts of it (default all: ${parts.join()})` },
      runs: { value: 'N', about: 'processes for each cell, medians of which count (default 5)' },
      ms: { value: 'N', about: 'milliseconds for each step of a cell (default 200)' },
    },
  },
  'activator-cores': {
    about: 'how workers of an activator could share pods: by slices, or by shared memory',
    flags: {
      runs: { value: 'N', about: 'of each timed cell, medians of which count (default 5)' },
      ms: { value: 'N', about: 'milliseconds of a timed cell (default 500)' },
      requests: { value: 'N', about: 'of each simulated queue (default 200000)' },
    },
  },
  'activator-proxy': {
    about: 'the activator as an HTTP proxy beside others, a core each, in turns, held to gates',
    flags: {
      only: { value: 'C,C', about: `contenders (default all: ${contenderNames.join()})` },
      loads: { value: 'L,L', about: 'closed: wrk; open: at a constant rate (default both)' },
      rounds: { value: 'N', about: 'of each contender, medians of which count (default 5)' },
      seconds: { value: 'N', about: 'of load in each round (default 4)' },
      'warm-up-seconds': { value: 'N', about: 'of load before the first round (default 3)' },
      connections: { value: 'N', about: 'of the closed loop (default 64)' },
      rate: { value: 'N', about: 'requests a second of the open loop (default 1000)' },
      'work-ms': { value: 'N', about: 'that a backend of the open loop takes (default 100)' },
      bytes: { value: 'N', about: 'of an answer (default 1024)' },
      profile: { value: 'DIR', about: 'a CPU profile there of each contender of Node' },
    },
  },
  admission: {
    about: 'reviews at a constant rate to webhooks on one core; ends with 1 where p99 is too long',
    flags: {
      rate: { value: 'N', about: 'reviews a second (default 100)' },
      seconds: { value: 'N', about: 'of load (default 60)' },
      cliques: { value: 'N', about: 'of the set that is reviewed (default 10)' },
      ...out,
    },
  },
  inspector: {
    about: 'the page beside a bare one, a deploy with viewers beside one without, held to bounds',
    flags: {
      cluster: { ...place.cluster, about: 'of the deploy (default real)' },
      nodes: place.nodes,
      rows: { value: 'N', about: 'rows of the page (default 10000)' },
      replicas: load.replicas,
      viewers: { value: 'N', about: 'who watch the deploy (default 20)' },
      only: { value: 'PART', about: 'page or controller (default all)' },
      'idle-seconds': { value: 'N', about: 'length of the idle step (default 20)' },
      'quiet-seconds': quiet['quiet-seconds'],
      ...out,
      repeat: { value: 'N', about: 'turns, medians of which count (default 5)' },
    },
  },
  report: {
    about: 'everything, and docs/benchmarks.md anew; each part is written as soon as it is there',
    flags: {
      only: { value: 'PART,PART', about: 'these parts only' },
      resume: { about: 'keeps the runs that are there and does what is missing' },
      'from-results': { about: 'runs nothing: writes the page from the results that are there' },
      repeat: { value: 'N', about: 'runs of each timed part (default 5)' },
      replicas: load.replicas,
      nodes: place.nodes,
      ...out,
      results: { value: 'DIR', about: 'results and the page in another folder, to try things out' },
      'in-flight': { value: 'N,N', about: 'the numbers of the sweep' },
      ...floorInFlight,
      ...steps,
      ...calibration,
    },
  },
} as const satisfies Readonly<Record<string, Command>>;

export type CommandName = keyof typeof commands;
