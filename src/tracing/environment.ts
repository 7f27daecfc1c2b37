// What the standard variables of OpenTelemetry say of tracing, without loading any of it. Those of
// the exporter (`OTEL_EXPORTER_OTLP_*` but for the protocol) and of the resource are read where
// they are used, in src/tracing/otel/. As its specification wants, a wrong value is noted, and the
// default holds: a variable that an operator injects does not keep the controller from starting.
export type Environment = Readonly<Record<string, string | undefined>>;

const protocols = ['grpc', 'http/protobuf', 'http/json'] as const;
export type Protocol = (typeof protocols)[number];

const exporters = ['otlp', 'console', 'none'] as const;
type ExporterName = (typeof exporters)[number];

const samplers = [
  'always_on',
  'always_off',
  'traceidratio',
  'parentbased_always_on',
  'parentbased_always_off',
  'parentbased_traceidratio',
] as const;

export interface SamplerSettings {
  readonly name: (typeof samplers)[number];
  /** From 0 to 1; counts with `traceidratio`. */
  readonly ratio: number;
}

export interface QueueSettings {
  readonly scheduledDelayMillis: number;
  readonly exportTimeoutMillis: number;
  readonly maxQueueSize: number;
  readonly maxExportBatchSize: number;
}

export interface TracingSettings {
  readonly exporter: 'otlp' | 'console';
  readonly protocol: Protocol;
  readonly sampler: SamplerSettings;
  readonly queue: QueueSettings;
}

export interface Read {
  /** Undefined: nobody wants traces. */
  readonly settings: TracingSettings | undefined;
  /** Sentences on values that are wrong, to be logged. */
  readonly notes: readonly string[];
}

const endpoints = ['OTEL_EXPORTER_OTLP_TRACES_ENDPOINT', 'OTEL_EXPORTER_OTLP_ENDPOINT'];

/** On where an exporter or an address is named, and neither `none` nor OTEL_SDK_DISABLED. */
export function readEnvironment(environment: Environment): Read {
  const notes: string[] = [];
  const reader = new Reader(environment, notes);
  if (reader.word('OTEL_SDK_DISABLED').toLowerCase() === 'true') return off(notes);
  const isAddressed = endpoints.some((name) => reader.word(name) !== '');
  const usual: ExporterName = isAddressed ? 'otlp' : 'none';
  const exporter = reader.choice(['OTEL_TRACES_EXPORTER'], exporters, usual);
  if (exporter === 'none') return off(notes);
  const settings = {
    exporter,
    protocol: reader.choice(
      ['OTEL_EXPORTER_OTLP_TRACES_PROTOCOL', 'OTEL_EXPORTER_OTLP_PROTOCOL'],
      protocols,
      'http/protobuf',
    ),
    sampler: {
      name: reader.choice(['OTEL_TRACES_SAMPLER'], samplers, 'parentbased_always_on'),
      ratio: reader.number('OTEL_TRACES_SAMPLER_ARG', { least: 0, most: 1, usual: 1 }),
    },
    queue: queueOf(reader),
  };
  return { settings, notes };
}

const off = (notes: readonly string[]): Read => ({ settings: undefined, notes });

function queueOf(reader: Reader): QueueSettings {
  const whole = (name: string, usual: number): number =>
    Math.round(reader.number(`OTEL_BSP_${name}`, { least: 1, most: 1_000_000, usual }));
  return {
    scheduledDelayMillis: whole('SCHEDULE_DELAY', 5_000),
    exportTimeoutMillis: whole('EXPORT_TIMEOUT', 30_000),
    maxQueueSize: whole('MAX_QUEUE_SIZE', 2_048),
    maxExportBatchSize: whole('MAX_EXPORT_BATCH_SIZE', 512),
  };
}

interface Range {
  readonly least: number;
  readonly most: number;
  readonly usual: number;
}

class Reader {
  readonly #environment: Environment;
  readonly #notes: string[];

  constructor(environment: Environment, notes: string[]) {
    this.#environment = environment;
    this.#notes = notes;
  }

  word(name: string): string {
    return this.#environment[name]?.trim() ?? '';
  }

  /** Of the first of these variables that is set. */
  choice<T extends string>(names: readonly string[], choices: readonly T[], usual: T): T {
    const name = names.find((one) => this.word(one) !== '');
    if (name === undefined) return usual;
    const word = this.word(name).toLowerCase();
    const chosen = choices.find((one) => one === word);
    if (chosen === undefined) this.#note(name, `one of ${choices.join(', ')}`, usual);
    return chosen ?? usual;
  }

  number(name: string, { least, most, usual }: Range): number {
    const word = this.word(name);
    if (word === '') return usual;
    const value = Number(word);
    if (value >= least && value <= most) return value;
    this.#note(name, `a number from ${least} to ${most}`, String(usual));
    return usual;
  }

  #note(name: string, right: string, usual: string): void {
    const given = this.word(name);
    this.#notes.push(`$${name} is "${given}", it must be ${right}; ${usual} is taken`);
  }
}
