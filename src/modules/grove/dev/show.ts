// Puts the scene on the screen until it is time to go: a live picture on a terminal, a line per
// change elsewhere. Says once how to go on.
import type { ShowOptions } from '#src/modules/edge.ts';
import type { Scene, SetLine } from './scene.ts';
import { paint, summary } from './view.ts';

const frameMs = 100;
/** After this long the way to go on is told, ready or not. */
const patienceSeconds = 15;

/** Resolves with true unless it was to wait for readiness and that did not come. */
export async function show(scene: Scene, options: ShowOptions): Promise<boolean> {
  const begun = performance.now();
  const screen = process.stdout.isTTY ? new LiveScreen() : new PlainLines();
  let isOver = false;
  void options.stopped.then(() => {
    isOver = true;
  });
  let isSaid = false;
  let isTold = false;
  for (;;) {
    const sets = scene.sets();
    const seconds = (performance.now() - begun) / 1000;
    screen.draw(scene, sets, seconds);
    const ready = options.wanted.every((key) => sets.some((set) => set.key === key && set.done));
    if (ready && !isSaid) screen.say(`ready after ${seconds.toFixed(1)} s`);
    isSaid ||= ready;
    // Who waits in vain needs the commands most.
    if (!options.untilReady && !isTold && (ready || seconds > patienceSeconds)) {
      for (const line of options.steps) screen.say(line);
      isTold = true;
    }
    const late = options.untilReady && performance.now() - begun > options.timeoutMs;
    if (isOver || (options.untilReady && ready) || late) {
      screen.draw(scene, sets, seconds);
      screen.end();
      if (late && !ready) process.stderr.write(`${lateness(sets, options)}\n`);
      return !options.untilReady || ready;
    }
    await new Promise((resolve) => setTimeout(resolve, frameMs));
  }
}

function lateness(sets: readonly SetLine[], { wanted, timeoutMs }: ShowOptions): string {
  const open = sets.filter((set) => wanted.includes(set.key) && !set.done);
  const lines = open.flatMap((set) => [
    `  ${summary(set)}`,
    ...set.trouble.map((what) => `    ${what}`),
  ]);
  return [`not ready after ${timeoutMs / 1000} s:`, ...lines].join('\n');
}

interface Screen {
  draw(scene: Scene, sets: readonly SetLine[], seconds: number): void;
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

  draw(scene: Scene, sets: readonly SetLine[], seconds: number): void {
    const rows = process.stdout.rows || 24;
    const columns = process.stdout.columns || 80;
    const room = Math.max(4, rows - this.#said.length - 2);
    const lines = paint(sets, scene.pods(), { rows: room, columns, seconds });
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

/** For pipes and logs: one line per set whenever it changes. */
class PlainLines implements Screen {
  readonly #last = new Map<string, string>();

  draw(_scene: Scene, sets: readonly SetLine[], seconds: number): void {
    for (const set of sets) {
      const line = [summary(set), ...set.trouble].join('; ');
      if (this.#last.get(set.key) === line) continue;
      this.#last.set(set.key, line);
      this.say(`${seconds.toFixed(1).padStart(6)} s  ${line}`);
    }
  }

  say(line: string): void {
    process.stdout.write(`${line}\n`);
  }

  end(): void {}
}
