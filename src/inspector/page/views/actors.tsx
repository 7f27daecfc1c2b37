// Where is it: the tree of all actors, as an ARIA treegrid that draws only what is in view.
import { signal } from '@preact/signals';
import { useEffect, useMemo, useRef, useState } from 'preact/hooks';
import { go, linkToActor, parameter, setParameter } from '../core/route.ts';
import { useKeys } from '../parts/use-keys.ts';
import { allRows, changes, type Row, rowCount, structure } from '../core/rows.ts';
import { age, tick } from '../core/time.ts';
import { closed, type Filters, flatten, isFiltered, type Line, toggle } from '../core/tree.ts';
import { toneOfRow } from '../core/states.ts';
import { List, movedBy } from '../parts/list.tsx';
import { Mark } from '../parts/mark.tsx';
import { StateLine } from '../parts/state.tsx';

const rowHeight = 24;
/** The tree is walked again at most so often, and more rarely where that takes long. */
const minPauseMs = 100;
const timesItsCost = 8;

/** Of the row that has the cursor; by id, as rows come and go above it. */
const cursorId = signal('');

const filtersNow = (): Filters => ({
  kind: parameter('kind'),
  namespace: parameter('namespace'),
  state: parameter('state'),
  isParked: parameter('parked') === 'true',
  text: parameter('text'),
});

/** The lines of the tree, walked anew as rows change, and at once as the user changes something.
 *  While rows change all the time it is walked now and then, not when that is over. */
function useLines(filters: Filters): readonly Line[] {
  const [turn, setTurn] = useState(0);
  const walk = useRef<Walk>({ version: -1, endedAt: 0, cost: 0, timer: undefined });
  const version = isFiltered(filters) ? changes.value : structure.value;
  const shut = closed.value;
  const lines = useMemo(() => {
    const from = performance.now();
    const found = flatten(filters, shut);
    const endedAt = performance.now();
    Object.assign(walk.current, { version, endedAt, cost: endedAt - from });
    return found;
  }, [JSON.stringify(filters), shut, turn]);
  useEffect(() => {
    const last = walk.current;
    if (last.version === version || last.timer !== undefined) return;
    const due = last.endedAt + Math.max(minPauseMs, last.cost * timesItsCost);
    const again = (): void => {
      last.timer = undefined;
      setTurn((before) => before + 1);
    };
    last.timer = setTimeout(again, Math.max(0, due - performance.now()));
  }, [version]);
  useEffect(() => () => clearTimeout(walk.current.timer), []);
  return lines;
}

interface Walk {
  /** Of the rows that it saw. */
  version: number;
  endedAt: number;
  /** In milliseconds. */
  cost: number;
  /** Of the next one. */
  timer: ReturnType<typeof setTimeout> | undefined;
}

export function ActorsView() {
  const filters = filtersNow();
  const lines = useLines(filters);
  void changes.value;
  const at = lines.findIndex(({ row }) => row.id === cursorId.value);
  const cursor = Math.max(0, at);
  const keys = (event: KeyboardEvent): void => {
    if (event.ctrlKey || event.metaKey || event.altKey) return;
    if (act(event.key, lines, cursor)) event.preventDefault();
  };
  useKeys(['j', 'k', 'ArrowDown', 'ArrowUp'], () =>
    document.querySelector<HTMLElement>('[role=treegrid]')?.focus(),
  );
  return (
    <section class="actors">
      <h1 class="hidden">Actors</h1>
      <FilterBar filters={filters} shown={lines.filter(({ isMatch }) => isMatch).length} />
      <div class="head actor-row" aria-hidden="true">
        <span>actor</span>
        <span>kind</span>
        <span>namespace</span>
        <span>state</span>
        <span class="number">since</span>
        <span class="number">restarts</span>
        <span class="number">mail</span>
      </div>
      <List
        count={lines.length}
        rowHeight={rowHeight}
        cursor={at}
        class="fill"
        keyOf={(index) => lines[index]?.row.id ?? ''}
        row={(index) => <ActorLine line={lines[index]} index={index} isHere={index === cursor} />}
        box={{
          role: 'treegrid',
          'aria-label': 'actors',
          'aria-rowcount': lines.length,
          ...(lines.length > 0 ? { 'aria-activedescendant': `row-${cursor}` } : {}),
          onKeyDown: keys,
        }}
      />
      {lines.length === 0 && (
        <p class="quiet">{rowCount() === 0 ? 'There are no actors.' : 'No actor matches.'}</p>
      )}
    </section>
  );
}

/** True where the key means something here. */
function act(key: string, lines: readonly Line[], at: number): boolean {
  const line = lines[at];
  const to = movedBy(key, at, lines.length);
  if (to !== undefined) {
    cursorId.value = lines[to]?.row.id ?? '';
    return true;
  }
  if (line === undefined) return false;
  const { row, isOpen, hasChildren } = line;
  switch (key) {
    case 'Enter':
      cursorId.value = row.id;
      go(linkToActor(row.id));
      return true;
    case 'ArrowRight':
      if (hasChildren && !isOpen) toggle(row.id);
      else if (hasChildren) cursorId.value = lines[at + 1]?.row.id ?? '';
      return true;
    case 'ArrowLeft':
      if (hasChildren && isOpen) toggle(row.id);
      else if (row.parent !== '') cursorId.value = row.parent;
      return true;
    default:
      return false;
  }
}

interface LineProps {
  readonly line: Line | undefined;
  readonly index: number;
  readonly isHere: boolean;
}

function ActorLine({ line, index, isHere }: LineProps) {
  void changes.value;
  if (line === undefined) return null;
  const { row, depth, hasChildren, isOpen, isMatch } = line;
  return (
    <div
      id={`row-${index}`}
      role="row"
      class={`actor-row${isHere ? ' here' : ''}${isMatch ? '' : ' no-match'}`}
      aria-level={depth + 1}
      aria-rowindex={index + 1}
      aria-selected={isHere}
      {...(hasChildren ? { 'aria-expanded': isOpen } : {})}
      onClick={() => {
        cursorId.value = row.id;
      }}
    >
      <span role="gridcell" class={`name depth-${Math.min(depth, maxDepth)}`}>
        <Twisty row={row} hasChildren={hasChildren} isOpen={isOpen} />
        <Mark tone={toneOfRow(row)} />
        <a class="id" href={linkToActor(row.id)} tabIndex={-1}>
          {row.name}
        </a>
      </span>
      <span role="gridcell" class="dim clipped">
        {row.kind}
      </span>
      <span role="gridcell" class="dim clipped">
        {row.namespace}
      </span>
      <span role="gridcell" class="cell-states">
        <StateLine row={row} />
      </span>
      <span role="gridcell" class="number dim">
        {age(row.since, tick.value)}
      </span>
      <span role="gridcell" class={row.restarts > 0 ? 'number bad' : 'number dim'}>
        {row.restarts || '·'}
      </span>
      <span role="gridcell" class={row.mailbox > 0 ? 'number warn' : 'number dim'}>
        {row.mailbox || '·'}
      </span>
    </div>
  );
}

/** Of indents in the styles. */
const maxDepth = 6;

/** For the mouse: keys have the arrows. */
function Twisty({ row, hasChildren, isOpen }: { row: Row; hasChildren: boolean; isOpen: boolean }) {
  if (!hasChildren) return <span class="twisty" />;
  return (
    <button
      type="button"
      class="twisty"
      tabIndex={-1}
      aria-hidden="true"
      onClick={() => toggle(row.id)}
    >
      <svg viewBox="0 0 10 10" class={isOpen ? 'open' : ''}>
        <path d="M3 1 8 5 3 9Z" />
      </svg>
    </button>
  );
}

function FilterBar({ filters, shown }: { filters: Filters; shown: number }) {
  const total = rowCount();
  const known = useMemo(() => choices(), [structure.value]);
  return (
    <div class="filters" role="search" aria-label="filters">
      <Choice name="kind" value={filters.kind} of={known.kinds} />
      <Choice name="namespace" value={filters.namespace} of={known.namespaces} />
      <label>
        state
        <input
          value={filters.state}
          size={14}
          spellcheck={false}
          onInput={({ currentTarget: { value } }) => setParameter('state', value)}
        />
      </label>
      <label>
        <input
          type="checkbox"
          checked={filters.isParked}
          onChange={({ currentTarget: { checked } }) =>
            setParameter('parked', checked ? 'true' : '')
          }
        />
        parked
      </label>
      {isFiltered(filters) && (
        <button type="button" onClick={() => go('/ui/actors')}>
          Clear
        </button>
      )}
      <span class="dim count" role="status">
        {shown.toLocaleString('en')} of {total.toLocaleString('en')}
      </span>
    </div>
  );
}

function choices(): { kinds: readonly string[]; namespaces: readonly string[] } {
  const kinds = new Set<string>();
  const namespaces = new Set<string>();
  for (const { kind, namespace } of allRows()) {
    kinds.add(kind);
    namespaces.add(namespace);
  }
  return { kinds: [...kinds].toSorted(), namespaces: [...namespaces].toSorted() };
}

function Choice({ name, value, of }: { name: string; value: string; of: readonly string[] }) {
  const all = value === '' || of.includes(value) ? of : [...of, value];
  return (
    <label>
      {name}
      <select
        value={value}
        onChange={({ currentTarget }) => setParameter(name, currentTarget.value)}
      >
        <option value="">all</option>
        {all.map((one) => (
          <option key={one} value={one}>
            {one === '' ? 'none' : one}
          </option>
        ))}
      </select>
    </label>
  );
}
