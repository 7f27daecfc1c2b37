// What a state means to whoever looks at it: well, at rest, on its way, waiting for others, wrong.
// Names of states are those of the charts; a test holds that each has its place here.

export type Tone = 'good' | 'idle' | 'progress' | 'warn' | 'bad' | 'parked';

/** From the gravest. */
export const tones: readonly Tone[] = ['parked', 'bad', 'warn', 'progress', 'good', 'idle'];

export const toneNames: Readonly<Record<Tone, string>> = {
  parked: 'parked',
  bad: 'failing',
  warn: 'waiting',
  progress: 'in progress',
  good: 'well',
  idle: 'at rest',
};

const names: Readonly<Record<Tone, string>> = {
  parked: 'parked',
  bad:
    'refused failing failed breached nameless notFound invalid poolless templateless envRefused ' +
    'volumesRefused unbuildable foreign several blocked excessive sourceless expired',
  warn:
    'unavailable insufficient unscheduled unready missing degraded drifted unknown lost held ' +
    'searched searching searchingPool searchingTemplate slowed recovering mixed disabled waiting unmanaged ' +
    'unowned outdated',
  progress:
    'awaited terminating unplanned pending updating replacing adopting finishing collecting ' +
    'writing forming draining creating filling starting suspending marking expiring leaving ' +
    'assigning unstamped deletingChildren unlabelling releasingWorkload releasingDaemons ' +
    'holding restoring unheld adoptable',
  good:
    'ready available complete accepted current met sufficient known inSync agreed settled full ' +
    'served bound running initialized alike succeeded',
  idle:
    'idle ignored unconstrained none over suspended gone finished unwanted unnamed small large ' +
    'ahead released ended active',
};

/** Where the name alone would mislead: by region and state. */
const special: Readonly<Record<string, Tone>> = {
  'scheduling.held': 'good',
  'rollout.waiting': 'progress',
  'rollout.outdated': 'progress',
  'claims.waiting': 'progress',
  'volumes.missing': 'progress',
  'pod.missing': 'progress',
  'pod.terminating': 'progress',
  'service.missing': 'progress',
  'policy.missing': 'progress',
  'policy.unmanaged': 'idle',
  'sync.unmanaged': 'idle',
  'table.pending': 'progress',
  'children.missing': 'progress',
  'initialization.complete': 'progress',
};

const byName: ReadonlyMap<string, Tone> = new Map(
  tones.flatMap((tone) => names[tone].split(' ').map((name): [string, Tone] => [name, tone])),
);

/** Undefined for a name that stands nowhere. */
export const toneOf = (region: string, name: string): Tone | undefined =>
  special[`${region}.${name}`] ?? byName.get(name);

export interface Shown {
  /** Dotted, as in charts. */
  readonly path: string;
  readonly region: string;
  readonly name: string;
  readonly tone: Tone;
}

export interface StateText {
  /** The gravest of its leaves; `readiness` before others. */
  readonly headline: Shown;
  readonly leaves: readonly Shown[];
  /** All states that are active, with those that hold others. */
  readonly paths: ReadonlySet<string>;
}

const read = new Map<string, StateText>();
const maxRead = 5000;

/** Of a state value as JSON text; the runtime says `waiting` of one that crashed. */
export function readState(json: string): StateText {
  const known = read.get(json);
  if (known !== undefined) return known;
  if (read.size >= maxRead) read.clear();
  const fresh = parse(json);
  read.set(json, fresh);
  return fresh;
}

function parse(json: string): StateText {
  const paths = new Set<string>();
  const leaves: Shown[] = [];
  const walk = (value: unknown, parents: readonly string[]): void => {
    if (typeof value === 'string') {
      const all = [...parents, value];
      const region = parents.at(-1) ?? '';
      const path = all.join('.');
      paths.add(path);
      leaves.push({ path, region, name: value, tone: toneOf(region, value) ?? 'idle' });
    } else if (typeof value === 'object' && value !== null) {
      for (const [name, inner] of Object.entries(value)) {
        paths.add([...parents, name].join('.'));
        walk(inner, [...parents, name]);
      }
    }
  };
  walk(valueOf(json), []);
  const unknown: Shown = { path: '', region: '', name: json, tone: 'idle' };
  return { headline: leaves.toSorted(byGravity)[0] ?? unknown, leaves, paths };
}

/** A name that stands alone may come without quotes. */
function valueOf(json: string): unknown {
  try {
    const value: unknown = JSON.parse(json);
    return value;
  } catch {
    return json;
  }
}

const isReadiness = ({ region }: Shown): number => (region === 'readiness' ? 0 : 1);
const byGravity = (a: Shown, b: Shown): number =>
  tones.indexOf(a.tone) - tones.indexOf(b.tone) || isReadiness(a) - isReadiness(b);

interface Judged {
  readonly state: string;
  readonly isParked: boolean;
}

/** A crashed actor waits at the top of its chart, which no chart has as a state. */
export const isRestarting = ({ state, isParked }: Judged): boolean =>
  !isParked && (state === '"waiting"' || state === 'waiting');

export function toneOfRow(row: Judged): Tone {
  if (row.isParked) return 'parked';
  return isRestarting(row) ? 'bad' : readState(row.state).headline.tone;
}

/** One word for a row. */
export function wordOfRow(row: Judged): string {
  if (row.isParked) return 'parked';
  return isRestarting(row) ? 'restarting' : readState(row.state).headline.name;
}
