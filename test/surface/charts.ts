// docs/charts.md: the chart of each behaviour as a drawing, and what depends on each of its states.
import type { Behaviour, RowArrow } from '#machines/contract/behaviour.ts';
import { objectKind } from '#machines/kinds.ts';
import { allBehaviours } from '#test/support/modules.ts';
import { generatedBy, page, table } from './page.ts';

const opening = [
  '# Charts',
  '',
  generatedBy('machines'),
  '',
  'Each kind of actor has one definition, `machines/<group>/<kind>/behaviour.ts`: its chart, the steps of each',
  'state, and the explanations for users. This page shows the charts, which the runtime steps once per reconcile,',
  'and for each state what depends on it. [0022](decisions/0022-one-chart-one-step.md) describes how a step works.',
  '',
  'A region without arrows is *classified*: its state is the first one whose rule holds, so any state may follow any',
  'other. A region with arrows is a *protocol*.',
];

interface Arrow {
  readonly target?: readonly { readonly key: string }[] | undefined;
}

export interface ChartNode {
  readonly key: string;
  readonly states: Readonly<Record<string, ChartNode>>;
  readonly always?: readonly Arrow[] | undefined;
}

export const targetsOf = ({ always = [] }: ChartNode): readonly string[] =>
  always.flatMap(({ target = [] }) => target.map(({ key }) => key));

/** Any state leads to any other. */
export const isClassified = (nodes: readonly ChartNode[]): boolean =>
  nodes.every((node) => targetsOf(node).length === nodes.length - 1);

function region({ key, states }: ChartNode): readonly string[] {
  const nodes = Object.values(states);
  const names = nodes.map((node) => node.key);
  const arrows = isClassified(nodes)
    ? []
    : nodes.flatMap((node) => targetsOf(node).map((target) => `${node.key} --> ${target}`));
  return [`state ${key} {`, ...names.map((name) => `  state ${name}`), ...arrows.map(indent), '}'];
}

const indent = (line: string): string => `  ${line}`;

function drawing({ machine }: Behaviour<never>): readonly string[] {
  const tops: readonly ChartNode[] = Object.values(machine.root.states);
  const lines = tops.flatMap((top) => {
    const inner = Object.values(top.states).map(region);
    const regions = inner.flatMap((lines_, at) => (at === 0 ? lines_ : ['--', ...lines_]));
    const body = regions.length === 0 ? [] : [`state ${top.key} {`, ...regions.map(indent), '}'];
    return [...body, ...targetsOf(top).map((target) => `${top.key} --> ${target}`)];
  });
  return ['```mermaid', 'stateDiagram-v2', ...['[*] --> awaited', ...lines].map(indent), '```'];
}

const chartOf = (behaviour: Behaviour<never>): readonly string[] => [
  '',
  `## ${objectKind(behaviour.kind)}`,
  '',
  ...drawing(behaviour),
  '',
  ...table(
    ['state', 'what depends on it'],
    [...behaviour.uses].map(([name, uses]) => [`\`${name}\``, uses.join('; ')]),
  ),
  ...rowsOf(behaviour),
];

/** Rows have classified regions, or one with the arrows that are listed. */
const rowsOf = ({ kind, rows, rowArrows }: Behaviour<never>): readonly string[] =>
  [...rows].flatMap(([name, regions]) => [
    '',
    `Each ${name} of a ${objectKind(kind)} is a row with its own chart. The regions and the status of the`,
    `${objectKind(kind)} read how many rows are in which state.`,
    '',
    ...table(
      ['region', 'states'],
      [...regions].map(([region_, states]) => [`\`${region_}\``, states.map(code).join(', ')]),
    ),
    ...arrowsOf(name, rowArrows.get(name) ?? []),
  ]);

const code = (state: string): string => `\`${state}\``;

const arrowsOf = (name: string, arrows: readonly RowArrow[]): readonly string[] =>
  arrows.length === 0
    ? []
    : [
        '',
        `A ${name} takes the first of these arrows that leaves its state and whose cause is given.`,
        '',
        ...table(
          ['from', 'to', 'cause'],
          arrows.map(({ from, to, cause }) => [from.map(code).join(', '), code(to), cause]),
        ),
      ];

export const chartsPage = (): string => page(...opening, ...allBehaviours.flatMap(chartOf));
