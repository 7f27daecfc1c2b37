// Puts what is there on the screen until it is time to go: a live picture on a terminal, a line per
// change elsewhere. Says once how to go on. Called by dev.ts with the scenes of all modules.
import type { Applied, DevLine, DevScene } from '#src/modules/edge.ts';
import { picture } from './picture.ts';

export interface ShowOptions {
  /** Those whose readiness counts. */
  readonly wanted: readonly Applied[];
  readonly stopped: Promise<unknown>;
  readonly steps: readonly string[];
  /** True: return as soon as all are ready, or after the limit. */
  readonly untilReady: boolean;
  readonly timeoutMs: number;
}

type Scenes = readonly Pick<DevScene, 'lines' | 'paint'>[];

const frameMs = 100;
/** After this long the way to go on is told, ready or not. */
const patienceSeconds = 15;

/** Resolves with true unless it was to wait for readiness and that did not come. */
export async function show(scenes: Scenes, options: ShowOptions): Promise<boolean> {
  const begun = performance.now();
  const screen = process.stdout.isTTY ? new LiveScreen() : new PlainLines();
  let isOver = false;
  void options.stopped.then(() => {
    isOver = true;
  });
  let isSaid = false;
  let isTold = false;
  for (;;) {
    const lines = scenes.flatMap((scene) => scene.lines());
    const seconds = (performance.now() - begun) / 1000;
    screen.draw(scenes, lines, seconds);
    const ready = openIn(lines, options.wanted).length === 0;
    if (ready && !isSaid) screen.say(`ready after ${seconds.toFixed(1)} s`);
    isSaid ||= ready;
    // Who waits in vain needs the commands most.
    if (!options.untilReady && !isTold && (ready || seconds > patienceSeconds)) {
      for (const line of options.steps) screen.say(line);
      isTold = true;
    }
    const late = options.untilReady && performance.now() - begun > options.timeoutMs;
    if (isOver || (options.untilReady && ready) || late) {
      screen.draw(scenes, lines, seconds);
      screen.end();
      if (late && !ready) process.stderr.write(`${lateness(lines, options)}\n`);
      return !options.untilReady || ready;
    }
    await new Promise((resolve) => setTimeout(resolve, frameMs));
  }
}

const idOf = ({ kind, key }: Applied): string => `${kind} ${key}`;

/** Those that are wanted and are not done, or not there. */
export function openIn(
  lines: readonly DevLine[],
  wanted: readonly Applied[],
): readonly (DevLine | Applied)[] {
  const known = new Map(lines.map((line) => [idOf(line), line]));
  return wanted
    .map((one) => known.get(idOf(one)) ?? one)
    .filter((one) => !('done' in one && one.done));
}

export function lateness(
  lines: readonly DevLine[],
  { wanted, timeoutMs }: Pick<ShowOptions, 'wanted' | 'timeoutMs'>,
): string {
  const open = openIn(lines, wanted).flatMap((one) =>
    'summary' in one
      ? [`  ${one.summary}`, ...one.trouble.map((what) => `    ${what}`)]
      : [`  ${idOf(one)} is not there`],
  );
  return [`not ready after ${timeoutMs / 1000} s:`, ...open].join('\n');
}

interface Screen {
  draw(scenes: Scenes, lines: readonly DevLine[], seconds: number): void;
  /** A line that stays. */
  say(line: string): void;
  end(): void;
}

const showCursor = (): void => void process.stdout.write('\u001b[?25h');

/** Repaints in place; what was said stays below the picture. */
class LiveScreen implements Screen {
  readonly #said: string[] = [];

  constructor() {
    process.stdout.write('\u001b[?25l\u001b[2J');
    process.once('exit', showCursor); // also after a second Ctrl-C
  }

  draw(scenes: Scenes, _: readonly DevLine[], seconds: number): void {
    const rows = process.stdout.rows || 24;
    const columns = process.stdout.columns || 80;
    const room = Math.max(4, rows - this.#said.length - 2);
    const parts = scenes.map((scene) => scene.paint());
    const lines = picture(parts, { rows: room, columns, seconds });
    const text = [...lines, '', ...this.#said].map((line) => `${line}\u001b[K`).join('\n');
    process.stdout.write(`\u001b[H${text}\u001b[J`);
  }

  say(line: string): void {
    this.#said.push(line);
  }

  end(): void {
    process.removeListener('exit', showCursor);
    showCursor();
    process.stdout.write('\n');
  }
}

/** For pipes and logs: one line per object whenever it changes. */
class PlainLines implements Screen {
  readonly #last = new Map<string, string>();

  draw(_: Scenes, lines: readonly DevLine[], seconds: number): void {
    for (const { summary, trouble, ...one } of lines) {
      const line = [summary, ...trouble].join('; ');
      if (this.#last.get(idOf(one)) === line) continue;
      this.#last.set(idOf(one), line);
      this.say(`${seconds.toFixed(1).padStart(6)} s  ${line}`);
    }
  }

  say(line: string): void {
    process.stdout.write(`${line}\n`);
  }

  end(): void {}
}
