// A list that draws only the rows that are in view, all of one height. Whoever uses it draws a row
// and moves the cursor; the list keeps the cursor in view.
import {
  elementScroll,
  observeElementOffset,
  observeElementRect,
  Virtualizer,
} from '@tanstack/virtual-core';
import type { ComponentChildren } from 'preact';
import { useEffect, useLayoutEffect, useReducer, useRef, useState } from 'preact/hooks';

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

const overscan = 12;

export function List({ count, rowHeight, row, keyOf, cursor, box, class: name, onEnd }: ListProps) {
  const element = useRef<HTMLDivElement>(null);
  const [, draw] = useReducer((before: number, _: undefined) => before + 1, 0);
  const [virtual] = useState(
    () =>
      new Virtualizer<HTMLDivElement, HTMLDivElement>({
        count,
        getScrollElement: () => element.current,
        estimateSize: () => rowHeight,
        overscan,
        observeElementRect,
        observeElementOffset,
        scrollToFn: elementScroll,
        onChange: () => draw(undefined),
      }),
  );
  virtual.setOptions({ ...virtual.options, count });
  useLayoutEffect(() => virtual._didMount(), []);
  useLayoutEffect(() => virtual._willUpdate());
  useEffect(() => {
    if (cursor >= 0 && cursor < count) virtual.scrollToIndex(cursor, { align: 'auto' });
  }, [cursor]);
  const items = virtual.getVirtualItems();
  const lastShown = items.at(-1)?.index ?? -1;
  useEffect(() => {
    if (count > 0 && lastShown >= count - 1) onEnd?.();
  }, [lastShown, count]);
  return (
    <div ref={element} class={`list ${name ?? ''}`} tabIndex={0} {...box}>
      <div class="list-all" role="presentation" style={{ height: virtual.getTotalSize() }}>
        {items.map(({ index, start }) => (
          <div
            key={keyOf(index)}
            class="list-row"
            role="presentation"
            style={{ transform: `translateY(${start}px)`, height: rowHeight }}
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
