// A statechart as it was laid out at build time: present states lit, the arrows taken last drawn
// strongly, and numbers of actors where they are wanted.
import type { ChartArrow, ChartPicture, Charts, ChartState } from '#src/inspector/protocol.ts';
import type { Move } from '../core/facts.ts';
import { type Remote, useRemote } from '../core/remote.ts';
import { toneOf, type Tone } from '../core/states.ts';

export const useCharts = (): Remote<Charts> => useRemote<Charts>('/charts');

export interface ChartProps {
  readonly picture: ChartPicture;
  /** What it is the chart of. */
  readonly label: string;
  readonly active: ReadonlySet<string>;
  /** Newest first. */
  readonly moves?: readonly Move[];
  /** By path of a state. */
  readonly counts?: ReadonlyMap<string, number>;
  readonly linkOf?: (path: string) => string;
}

const lineOf = ({ points }: ChartArrow): string =>
  points.map(([x, y], at) => `${at === 0 ? 'M' : 'L'}${x} ${y}`).join('');

export function Chart({ picture, label, active, moves = [], counts, linkOf }: ChartProps) {
  const { width, height, states, arrows } = picture;
  const isTaken = ({ from, to }: ChartArrow): boolean =>
    moves.some(
      (move) => `${move.to}.`.startsWith(`${to}.`) && `${move.from}.`.startsWith(`${from}.`),
    );
  const left = new Set(moves.map(({ from }) => from).filter((path) => !active.has(path)));
  return (
    <div class="chart" role="region" aria-label={`chart of ${label}`} tabIndex={0}>
      <svg
        width={width}
        height={height}
        viewBox={`0 0 ${width} ${height}`}
        // With links in it, it is more than a picture.
        role={linkOf === undefined ? 'img' : 'group'}
      >
        <title>{describe(label, states, active)}</title>
        <marker
          id="tip"
          viewBox="0 0 8 8"
          refX="7"
          refY="4"
          markerWidth="8"
          markerHeight="8"
          markerUnits="userSpaceOnUse"
          orient="auto"
        >
          <path class="tip" d="M0 0 8 4 0 8Z" />
        </marker>
        {states.map((state) => (
          <State
            key={state.path}
            state={state}
            isActive={active.has(state.path)}
            isLeft={left.has(state.path)}
            count={counts?.get(state.path)}
            href={isLeaf(state) ? linkOf?.(state.path) : undefined}
          />
        ))}
        {arrows.map((arrow) => (
          <path
            key={`${arrow.from} ${arrow.to}`}
            class={isTaken(arrow) ? 'arrow taken' : 'arrow'}
            d={lineOf(arrow)}
            marker-end="url(#tip)"
          />
        ))}
        {moves.map((move) => {
          const line = arcOf(move, states);
          return line === undefined ? null : (
            <path key={move.to} class="arrow taken" d={line} marker-end="url(#tip)" />
          );
        })}
      </svg>
    </div>
  );
}

/** Beside its states, how far an arrow of a region reaches that draws none, as any leads to any. */
const reach = 22;

function arcOf(move: Move, states: readonly ChartState[]): string | undefined {
  if (move.region === '') return undefined;
  const from = states.find(({ path }) => path === move.from);
  const to = states.find(({ path }) => path === move.to);
  if (from === undefined || to === undefined) return undefined;
  const [x1, y1] = [from.x + from.width, from.y + from.height / 2];
  const [x2, y2] = [to.x + to.width, to.y + to.height / 2];
  return `M${x1} ${y1}C${x1 + reach} ${y1} ${x2 + reach} ${y2} ${x2} ${y2}`;
}

const isLeaf = ({ kind }: ChartState): boolean => kind === 'atomic' || kind === 'final';

function describe(label: string, states: readonly ChartState[], active: ReadonlySet<string>) {
  const present = states.filter((state) => isLeaf(state) && active.has(state.path));
  const names = present.map(({ path }) => path.split('.').slice(-2).join(' '));
  return names.length === 0
    ? `chart of ${label}`
    : `chart of ${label}; present: ${names.join(', ')}`;
}

interface StateProps {
  readonly state: ChartState;
  readonly isActive: boolean;
  readonly isLeft: boolean;
  readonly count: number | undefined;
  readonly href: string | undefined;
}

function State({ state, isActive, isLeft, count, href }: StateProps) {
  const { path, name, x, y, width, height } = state;
  const isBox = !isLeaf(state);
  const region = path.split('.').at(-2) ?? '';
  const tone: Tone = toneOf(region, name) ?? 'idle';
  const kind = isBox ? `box ${state.kind}` : `leaf ${tone}`;
  const classes = `${kind}${isActive ? ' active' : ''}${isLeft ? ' left' : ''}${count === 0 ? ' none' : ''}`;
  const drawn = (
    <g class={classes} data-path={path}>
      <rect x={x + 0.5} y={y + 0.5} width={width - 1} height={height - 1} rx={isBox ? 4 : 3} />
      {!isBox && <circle cx={x + 12} cy={y + height / 2} r={3.5} />}
      <text x={x + (isBox ? 10 : 22)} y={y + 15}>
        {name}
      </text>
      {count !== undefined && !isBox && (
        <text class="count" x={x + width - 8} y={y + 15} text-anchor="end">
          {count === 0 ? '·' : count.toLocaleString('en')}
        </text>
      )}
    </g>
  );
  if (href === undefined || count === 0) return drawn;
  return <a href={href}>{drawn}</a>;
}
