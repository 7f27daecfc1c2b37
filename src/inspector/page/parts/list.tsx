// A list that draws only the rows that are in view, all of one height. Whoever uses it draws a row
// and moves the cursor; the list keeps the cursor in view.
import type { ComponentChildren } from 'preact';
import { useEffect, useLayoutEffect, useRef, useState } from 'preact/hooks';
import { useKeys } from './use-keys.ts';

export interface ListProps {
  readonly count: number;
  readonly rowHeight: number;
  /** Drawn at its place by the list. */
  readonly row: (index: number) => ComponentChildren;
  readonly keyOf: (index: number) => string;
  /** Row that is kept in view when it changes; -1: none. */
  readonly cursor: number;
  /** Attributes of the box that scrolls: role, label, keys. */
  readonly box: object;
  readonly class?: string;
  /** The last rows are in view. */
  readonly onEnd?: () => void;
}

/** Rows that are drawn above and below those in view: what a turn of the wheel brings is there. */
const spare = 12;

interface InView {
  readonly first: number;
  readonly rows: number;
}

export function List({ count, rowHeight, row, keyOf, cursor, box, class: name, onEnd }: ListProps) {
  const element = useRef<HTMLDivElement>(null);
  const [{ first, rows }, setInView] = useState<InView>({ first: 0, rows: 0 });
  useLayoutEffect(() => {
    const { current } = element;
    if (current === null) return undefined;
    const look = (): void =>
      setInView((before) => {
        const top = Math.floor(current.scrollTop / rowHeight);
        const fitting = Math.ceil(current.clientHeight / rowHeight) + 1;
        return before.first === top && before.rows === fitting
          ? before
          : { first: top, rows: fitting };
      });
    look();
    current.addEventListener('scroll', look, { passive: true });
    const watch = new ResizeObserver(look);
    watch.observe(current);
    return () => {
      current.removeEventListener('scroll', look);
      watch.disconnect();
    };
  }, [rowHeight]);
  useEffect(() => {
    const { current } = element;
    if (current === null || cursor < 0 || cursor >= count) return;
    const top = cursor * rowHeight;
    const least = top + rowHeight - current.clientHeight;
    if (current.scrollTop > top) current.scrollTop = top;
    else if (current.scrollTop < least) current.scrollTop = least;
  }, [cursor]);
  const from = Math.max(0, Math.min(first, count - rows) - spare);
  const to = Math.min(count, first + rows + spare);
  useEffect(() => {
    if (count > 0 && rows > 0 && to >= count) onEnd?.();
  }, [to, count, rows]);
  return (
    <div ref={element} class={`list ${name ?? ''}`} tabIndex={0} {...box}>
      <div class="list-all" role="presentation" style={{ height: `${count * rowHeight}px` }}>
        {Array.from({ length: Math.max(0, to - from) }, (_, at) => from + at).map((index) => (
          <div
            key={keyOf(index)}
            class="list-row"
            role="presentation"
            style={{ transform: `translateY(${index * rowHeight}px)`, height: `${rowHeight}px` }}
          >
            {row(index)}
          </div>
        ))}
      </div>
    </div>
  );
}

const pageRows = 20;

/** Where the cursor goes by a key; undefined: the key moves nothing. */
export function movedBy(key: string, at: number, count: number): number | undefined {
  const moves: Readonly<Record<string, number>> = {
    ArrowDown: at + 1,
    j: at + 1,
    ArrowUp: at - 1,
    k: at - 1,
    PageDown: at + pageRows,
    PageUp: at - pageRows,
    Home: 0,
    End: count - 1,
  };
  const to = moves[key];
  return to === undefined ? undefined : Math.max(0, Math.min(count - 1, to));
}

/** The row that the keys have come to, -1 before the first; j and k move it wherever the focus
 *  is. */
export function useCursor(count: number) {
  const [cursor, setCursor] = useState(-1);
  const move = (key: string): boolean => {
    const to = movedBy(key, cursor, count);
    if (to !== undefined) setCursor(to);
    return to !== undefined;
  };
  useKeys(['j', 'k'], move);
  const onKeyDown = (event: KeyboardEvent): void => {
    if (move(event.key)) event.preventDefault();
  };
  return { cursor, onKeyDown };
}
