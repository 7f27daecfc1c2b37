// The picture of warm pools that `coppice dev` paints on a terminal, the plain lines that it prints
// elsewhere, and how to go on. Pure functions from a scene to text.
import type { ActorKind } from '#machines/kinds.ts';
import { bar, legend, mark, type Phase } from '#src/dev/picture.ts';
import type { Applied, DevLine, NextSteps } from '#src/modules/edge.ts';

export interface PoolLine extends DevLine {
  readonly kind: 'SandboxWarmPool';
  readonly wanted: number;
  readonly members: readonly Phase[];
  readonly claims: { readonly all: number; readonly ready: number };
}

export interface ClaimLine extends DevLine {
  readonly kind: 'SandboxClaim';
  /** Empty: it has none yet. */
  readonly sandbox: string;
}

export interface SandboxLine extends DevLine {
  readonly kind: 'Sandbox';
  readonly phase: Phase;
  readonly isSuspended: boolean;
}

/** What is told of a line besides its words. */
export type Untold<L extends DevLine> = Omit<L, 'summary' | 'trouble' | 'done'>;

const readyIn = ({ members }: Untold<PoolLine>): number =>
  members.filter((phase) => phase === 'ready').length;

export function sayPool(pool: Untold<PoolLine>): string {
  const { key, wanted, claims } = pool;
  const served = `${claims.ready}/${claims.all} claims ready`;
  return `pool ${key}: ${readyIn(pool)}/${wanted} members ready, ${served}`;
}

export function sayClaim({ key, sandbox }: Untold<ClaimLine>, isReady: boolean): string {
  if (sandbox === '') return `claim ${key}: waits for a Sandbox`;
  return `claim ${key}: has Sandbox ${sandbox}${isReady ? ', ready' : ''}`;
}

export function saySandbox({ key, phase, isSuspended }: Untold<SandboxLine>, isDone: boolean) {
  const suspended = isDone ? 'suspended' : 'is being suspended';
  return `Sandbox ${key}: ${isSuspended ? suspended : phase}`;
}

export function paint(lines: readonly (PoolLine | ClaimLine | SandboxLine)[]): readonly string[] {
  if (lines.length === 0) return [];
  return [...lines.flatMap(paintOne), '', legend];
}

function paintOne(line: PoolLine | ClaimLine | SandboxLine): readonly string[] {
  const trouble = line.trouble.slice(0, 3).map((what) => `  ! ${what}`);
  if (line.kind !== 'SandboxWarmPool') return [`${doneMark(line)} ${line.summary}`, ...trouble];
  const members = line.members.map((phase) => mark[phase]).join('');
  return [line.summary, `  ${bar(readyIn(line), line.wanted)}`, `  ${members}`, ...trouble];
}

const doneMark = ({ done }: DevLine): string => mark[done ? 'ready' : 'waiting'];

const look = 'kubectl get sandboxwarmpools,sandboxclaims,sandboxes';

export function nextSteps(applied: readonly Applied[]): NextSteps {
  const [first] = applied;
  if (first === undefined) return { kubectl: [`${look} -A`], about: undefined };
  const pool = applied.find(({ kind }) => kind === 'SandboxWarmPool');
  const sandbox = applied.find(({ kind }) => kind === 'Sandbox');
  const [namespace = '', name = ''] = (pool ?? first).key.split('/');
  return {
    kubectl: [
      `${look} --namespace ${namespace}`,
      ...(pool === undefined ? [] : stepsOfPool(namespace, name)),
      ...(sandbox === undefined ? [] : [suspension(sandbox)]),
    ],
    about: { kind: actors[(pool ?? first).kind] ?? 'sandbox', namespace, name },
  };
}

const actors: Readonly<Record<string, ActorKind>> = {
  SandboxWarmPool: 'sandboxwarmpool',
  SandboxClaim: 'sandboxclaim',
};

/** As JSON, as it is one line. */
function stepsOfPool(namespace: string, name: string): readonly string[] {
  const claim = {
    apiVersion: 'extensions.agents.x-k8s.io/v1beta1',
    kind: 'SandboxClaim',
    metadata: { generateName: 'more-' },
    spec: { warmPoolRef: { name } },
  };
  return [
    `echo '${JSON.stringify(claim)}' | kubectl create --namespace ${namespace} --filename -`,
    `kubectl scale sandboxwarmpool ${name} --namespace ${namespace} --replicas 5`,
  ];
}

function suspension({ key }: Applied): string {
  const [namespace = '', name = ''] = key.split('/');
  const patch = JSON.stringify({ spec: { operatingMode: 'Suspended' } });
  return `kubectl patch sandbox ${name} --namespace ${namespace} --type merge --patch '${patch}'`;
}
