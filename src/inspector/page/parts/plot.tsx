// A line over time. uPlot is loaded when the first one is shown: most visits need none.
import { useEffect, useRef } from 'preact/hooks';
import type uPlot from 'uplot';
import { themeNow } from '../core/theme.ts';
import { clock } from '../core/time.ts';

export interface PlotProps {
  readonly label: string;
  /** Milliseconds since 1970, and a value for each. */
  readonly times: readonly number[];
  readonly values: readonly number[];
  readonly height: number;
}

type Data = [number[], number[]];

export function Plot({ label, times, values, height }: PlotProps) {
  const element = useRef<HTMLDivElement>(null);
  const plot = useRef<uPlot | undefined>(undefined);
  const data = useRef<Data>([[], []]);
  data.current = [times.map((at) => at / 1000), [...values]];
  const theme = themeNow();
  const isLine = times.length > 1;
  useEffect(() => {
    if (!isLine) return undefined;
    let isGone = false;
    let watch: ResizeObserver | undefined;
    void import('uplot').then(({ default: UPlot }) => {
      const box = element.current;
      if (isGone || box === null) return;
      const made = new UPlot(optionsOf(box, height), data.current, box);
      plot.current = made;
      watch = new ResizeObserver(() => made.setSize({ width: box.clientWidth, height }));
      watch.observe(box);
    });
    return () => {
      isGone = true;
      watch?.disconnect();
      plot.current?.destroy();
      plot.current = undefined;
    };
  }, [theme, height, isLine]);
  useEffect(() => plot.current?.setData(data.current), [times, values]);
  const newest = values.at(-1) ?? 0;
  return <div class="plot" ref={element} role="img" aria-label={`${label}: ${newest} now`} />;
}

const timeOfDay = (seconds: number): string => clock(Math.round(seconds) * 1000).slice(0, 8);

function optionsOf(box: HTMLElement, height: number): uPlot.Options {
  const style = getComputedStyle(box);
  const color = (name: string): string => style.getPropertyValue(name).trim();
  const axis = {
    stroke: color('--dim'),
    grid: { stroke: color('--line'), width: 1 },
    ticks: { show: false },
    font: '11px system-ui, sans-serif',
  };
  return {
    width: box.clientWidth,
    height,
    cursor: { show: false },
    legend: { show: false },
    scales: { y: { range: (_plot, _least, most) => [0, Math.max(1, most * 1.1)] } },
    axes: [
      // In 24 hours and without a second line for the date, which the view says elsewhere.
      { ...axis, size: 24, space: 90, values: (_plot, ticks) => ticks.map(timeOfDay) },
      { ...axis, size: 44 },
    ],
    series: [{}, { stroke: color('--progress'), width: 1.5, points: { show: false } }],
  };
}
