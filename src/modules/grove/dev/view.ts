// The picture that `coppice dev` paints on a terminal, and the plain lines that it prints
// elsewhere. Pure functions from a scene to text.
import { formatSubject } from '#bus/subjects.ts';
import type { Places } from '#src/modules/edge.ts';
import type { GangLine, PodLine, SetLine } from './scene.ts';

const barWidth = 30;

const bar = (done: number, all: number): string => {
  const filled = all === 0 ? barWidth : Math.round((barWidth * Math.min(done, all)) / all);
  return `${'█'.repeat(filled)}${'░'.repeat(barWidth - filled)}`;
};

const mark: Readonly<Record<PodLine['phase'], string>> = {
  waiting: '·',
  scheduled: '○',
  ready: '●',
  terminating: '×',
};

const cut = (line: string, width: number): string =>
  line.length > width ? `${line.slice(0, width - 1)}…` : line;

/** One line for one set, also used where there is no terminal. */
export const summary = (set: SetLine): string => {
  const gangs = set.gangs.filter((gang) => gang.listed > 0 && gang.ready === gang.listed).length;
  // Scaling groups add gangs to those of the replicas.
  const all = Math.max(set.replicas, set.gangs.length);
  return `${set.key}: ${set.available}/${set.replicas} replicas available, ${gangs}/${all} gangs up, ${set.pods.ready}/${set.pods.wanted} pods ready`;
};

const gangText = (gang: GangLine): string =>
  `  ${gang.initialized ? '◆' : '◇'} ${gang.name}  ${gang.ready}/${gang.listed} ready`;

/** The picture: at most `rows` lines of at most `columns` characters. */
export function paint(
  sets: readonly SetLine[],
  pods: readonly PodLine[],
  size: { readonly rows: number; readonly columns: number; readonly seconds: number },
): string[] {
  const lines: string[] = [`Coppice  ${size.seconds.toFixed(1)} s`, ''];
  for (const set of sets) {
    lines.push(summary(set), `  ${bar(set.pods.ready, set.pods.wanted)}`);
    lines.push(...set.trouble.slice(0, 3).map((what) => `  ! ${what}`));
    lines.push(...set.gangs.map(gangText), '');
  }
  for (const [clique, members] of Map.groupBy(pods, (pod) => pod.clique)) {
    lines.push(`${members.map((pod) => mark[pod.phase]).join('')} ${clique}`);
  }
  lines.push(
    '',
    '· waiting  ○ scheduled  ● ready  × terminating   ◇ gang forming  ◆ gang initialized',
  );
  return fit(lines, size.rows).map((line) => cut(line, size.columns));
}

function fit(lines: readonly string[], rows: number): string[] {
  if (lines.length <= rows || rows <= 1) return lines.slice(0, Math.max(1, rows));
  const kept = lines.slice(0, rows - 1);
  return [...kept, `… ${lines.length - kept.length} more lines`];
}

/** How to go on, as commands that can be pasted; `set` is one that was applied, if any was. */
export function nextSteps(places: Places, set: string | undefined): string[] {
  const [namespace = '', name = ''] = set?.split('/') ?? [];
  const scale = `  kubectl scale pcs ${name} --namespace ${namespace} --replicas 5`;
  return [
    `Open the inspector (the link works once): ${places.inspector}`,
    'Look at the cluster:',
    `  export KUBECONFIG=${quoted(places.kubeconfig)}`,
    `  kubectl get pcs,pclq,pg,pods ${set === undefined ? '-A' : `--namespace ${namespace}`}`,
    ...(set === undefined ? [] : [scale]),
    'Follow every event:',
    ...natsSteps(places.nats, namespace, name),
    'Look into the controller:',
    `  curl ${places.http}/actors`,
    `  curl ${places.http}/metrics`,
  ];
}

function natsSteps(server: string | undefined, namespace: string, name: string): string[] {
  if (server === undefined) return ['  (NATS is off: start without --no-nats to trace events)'];
  const about = { kind: 'podcliqueset', namespace, name } as const;
  const subject = formatSubject({ type: 'ask', about, question: 'why' });
  const ask = `  nats --server ${server} req ${subject.ok ? subject.value : ''} '{}'`;
  return [
    `  nats --server ${server} sub 'coppice.>'`,
    ...(name !== '' && subject.ok ? [ask] : []),
    `  nats --server ${server} micro ls`,
  ];
}

/** As one word of a shell. */
const quoted = (text: string): string =>
  /^[\w./:@%+=-]+$/.test(text) ? text : `'${text.replaceAll("'", `'\\''`)}'`;
