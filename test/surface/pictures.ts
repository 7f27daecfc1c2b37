// src/inspector/charts.json: the chart of each behaviour laid out, for the inspector. Layout is
// done here, as a layout engine in the browser would be ten times the rest of its page.
import { modules } from '#machines/index.ts';
import { createRequire } from 'node:module';
import type { ELK, ElkNode } from 'elkjs';
import type { ChartArrow, ChartPicture, Charts, ChartState } from '#src/inspector/protocol.ts';
import { type ChartNode, isClassified, targetsOf } from './charts.ts';

export const picturesPath = 'src/inspector/charts.json';

// Its types say that it is a module with a default, and it is CommonJS.
const Elk: new () => ELK = createRequire(import.meta.url)('elkjs');

/** Of a letter of the page's monospace font at 12 pixels. */
const letterWidth = 7.3;
/** Of a state besides its name: its mark, and the number of actors in it. */
const besidesName = 72;
const stateHeight = 22;
const gap = 6;
const titleHeight = 22;
const padding = `[top=${titleHeight + gap},left=10,bottom=10,right=10]`;

const atomic = (id: string, name: string): ElkNode => ({
  id,
  width: Math.ceil(name.length * letterWidth) + besidesName,
  height: stateHeight,
});

const edgesOf = (nodes: readonly ChartNode[], path: string) =>
  nodes.flatMap((node) =>
    targetsOf(node).map((target) => ({
      id: `${path}${node.key} ${target}`,
      sources: [`${path}${node.key}`],
      targets: [`${path}${target}`],
    })),
  );

/** One below the other where any may follow any: there are no arrows then. */
function region(node: ChartNode, path: string): ElkNode {
  const id = `${path}${node.key}`;
  const nodes = Object.values(node.states);
  const children = nodes.map(({ key }) => atomic(`${id}.${key}`, key));
  if (!isClassified(nodes)) {
    return {
      id,
      children,
      edges: edgesOf(nodes, `${id}.`),
      layoutOptions: {
        'elk.algorithm': 'layered',
        'elk.direction': 'DOWN',
        'elk.padding': padding,
      },
    };
  }
  const title = atomic(id, node.key).width ?? 0;
  const width = Math.max(title - 40, ...children.map((child) => child.width ?? 0));
  return {
    id,
    children: children.map((child, at) => ({
      ...child,
      width,
      x: 10,
      y: titleHeight + gap + at * (stateHeight + gap),
    })),
    // Its places have the padding at the left and the top already.
    layoutOptions: { 'elk.algorithm': 'fixed', 'elk.padding': '[top=0,left=0,bottom=10,right=10]' },
  };
}

const top = (node: ChartNode): ElkNode =>
  Object.keys(node.states).length === 0
    ? atomic(node.key, node.key)
    : {
        id: node.key,
        children: Object.values(node.states).map((inner) => region(inner, `${node.key}.`)),
        layoutOptions: {
          'elk.algorithm': 'rectpacking',
          'elk.aspectRatio': '2.8',
          'elk.spacing.nodeNode': '12',
          'elk.padding': padding,
        },
      };

const graphOf = (root: ChartNode): ElkNode => ({
  id: '',
  children: Object.values(root.states).map(top),
  edges: edgesOf(Object.values(root.states), ''),
  layoutOptions: {
    'elk.algorithm': 'layered',
    'elk.direction': 'RIGHT',
    'elk.edgeRouting': 'ORTHOGONAL',
    'elk.layered.spacing.nodeNodeBetweenLayers': '36',
    'elk.padding': '[top=8,left=8,bottom=8,right=8]',
  },
});

interface Place {
  readonly x: number;
  readonly y: number;
}

function statesOf({ children = [] }: ElkNode, { x, y }: Place): readonly ChartState[] {
  return children.flatMap((node) => {
    const place = { x: x + (node.x ?? 0), y: y + (node.y ?? 0) };
    const { id, width = 0, height = 0, children: inner = [] } = node;
    const depth = id.split('.').length;
    const kind =
      inner.length > 0 ? (depth === 1 ? 'parallel' : 'region') : id === 'gone' ? 'final' : 'atomic';
    const [name = ''] = id.split('.').slice(-1);
    const state = { path: id, name, kind, ...rounded(place) } as const;
    return [
      { ...state, width: Math.round(width), height: Math.round(height) },
      ...statesOf(node, place),
    ];
  });
}

function arrowsOf(node: ElkNode, { x, y }: Place): readonly ChartArrow[] {
  const own = (node.edges ?? []).map(({ sources, targets, sections = [] }): ChartArrow => {
    const corners = sections.flatMap(({ startPoint, bendPoints = [], endPoint }) => [
      startPoint,
      ...bendPoints,
      endPoint,
    ]);
    const points = corners.map((one) => [Math.round(x + one.x), Math.round(y + one.y)] as const);
    return { from: sources[0] ?? '', to: targets[0] ?? '', points };
  });
  const inner = (node.children ?? []).flatMap((child) =>
    arrowsOf(child, { x: x + (child.x ?? 0), y: y + (child.y ?? 0) }),
  );
  return [...own, ...inner];
}

const rounded = ({ x, y }: Place): Place => ({ x: Math.round(x), y: Math.round(y) });

async function pictureOf(elk: ELK, root: ChartNode): Promise<ChartPicture> {
  const laidOut = await elk.layout(graphOf(root));
  const origin = { x: 0, y: 0 };
  return {
    width: Math.ceil(laidOut.width ?? 0),
    height: Math.ceil(laidOut.height ?? 0),
    states: statesOf(laidOut, origin),
    arrows: arrowsOf(laidOut, origin),
  };
}

/** One machine after the other, one state or arrow a line, so that a change is a short diff. */
export async function chartPictures(): Promise<string> {
  const elk = new Elk();
  const machines: [string, ChartPicture][] = [];
  // Those of the controller, which the inspector shows.
  for (const { machine } of modules.flatMap(({ behaviours }) => behaviours)) {
    machines.push([machine.id, await pictureOf(elk, machine.root)]);
  }
  const charts: Charts = { machines: Object.fromEntries(machines) };
  const text = JSON.stringify(charts, undefined, 1);
  return `${text.replaceAll(/\n {5,}/g, ' ').replaceAll(/\n {4}(?=\})/g, ' ')}\n`;
}
