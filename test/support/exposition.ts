// Reads what `/metrics` serves: samples by family with their labels, for tests that look at a
// process from outside.

export interface Sample {
  /** As it stands on the line, e.g. `workqueue_queue_duration_seconds_bucket`. */
  readonly name: string;
  readonly labels: Readonly<Record<string, string>>;
  readonly value: number;
}

export class Exposition {
  /** Families by their `# TYPE` lines, with or without samples. */
  readonly families: ReadonlySet<string>;
  readonly samples: readonly Sample[];

  constructor(text: string) {
    const lines = text.split('\n');
    this.families = new Set(lines.flatMap((line) => /^# TYPE (\S+)/.exec(line)?.[1] ?? []));
    this.samples = lines.flatMap((line) => sample(line) ?? []);
  }

  /** Those whose name and labels are as given. */
  of(name: string, labels: Readonly<Record<string, string>> = {}): readonly Sample[] {
    return this.samples.filter(
      (one) =>
        one.name === name &&
        Object.entries(labels).every(([label, value]) => one.labels[label] === value),
    );
  }

  sum(name: string, labels: Readonly<Record<string, string>> = {}): number {
    return this.of(name, labels).reduce((total, { value }) => total + value, 0);
  }
}

export async function scrape(url: string): Promise<Exposition> {
  const reply = await fetch(`${url}/metrics`);
  if (!reply.ok) throw new Error(`${url}/metrics answered ${reply.status}`);
  return new Exposition(await reply.text());
}

function sample(line: string): Sample | undefined {
  const parts = /^([a-zA-Z_:][\w:]*)(?:\{(.*)\})? (\S+)/.exec(line);
  if (line.startsWith('#') || parts === null) return undefined;
  const [, name = '', labels = '', value = ''] = parts;
  const pairs = [...labels.matchAll(/(\w+)="((?:[^"\\]|\\.)*)"/g)];
  return {
    name,
    labels: Object.fromEntries(pairs.map(([, label = '', text = '']) => [label, text])),
    value: Number(value),
  };
}
