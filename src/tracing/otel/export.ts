// The SDK of OpenTelemetry behind a queue of finished spans: what is loaded only where traces are
// wanted (src/tracing/start.ts). Sends in the background, in batches; what the queue has no room
// for and what no collector takes is counted, and logged once until spans are taken again.
import { hostname } from 'node:os';
import { ExportResultCode, type ExportResult } from '@opentelemetry/core';
import {
  detectResources,
  resourceAttributesEnvDetector,
  resourceFromAttributes,
  serviceNameEnvDetector,
} from '@opentelemetry/resources';
import { BatchSpanProcessor, type ReadableSpan, type SpanExporter } from '@opentelemetry/sdk-trace';
import type { Log } from '#src/log/log.ts';
import type { Environment, TracingSettings } from '../environment.ts';
import type { FinishedSpan, SpanNumbers, SpanTarget } from '../span.ts';
import { exporterOf } from './exporter.ts';
import { type Origin, readable } from './readable.ts';
import { samplerOf } from './sampler.ts';

export interface Export extends SpanTarget {
  readonly numbers: SpanNumbers;
  /** Sends what waits; resolves when that was taken or refused. */
  stop(): Promise<void>;
}

interface Options {
  readonly settings: TracingSettings;
  readonly environment: Environment;
  readonly version: string;
  readonly log: Pick<Log, 'line'>;
}

/** Throws where the variables name what cannot be used. */
export function startExport(options: Options): Export {
  const { settings, environment, version } = options;
  const counting = new CountingExporter(exporterOf(settings, environment), options.log);
  const processor = new BatchSpanProcessor({ exporter: counting, ...settings.queue });
  const origin = originOf(version);
  return {
    isSampled: samplerOf(settings.sampler),
    take: (span: FinishedSpan) => {
      if (counting.hasRoom(settings.queue.maxQueueSize)) processor.onEnd(readable(span, origin));
    },
    get numbers(): SpanNumbers {
      return counting.numbers;
    },
    stop: () => processor.shutdown(),
  };
}

/** `OTEL_RESOURCE_ATTRIBUTES` and `OTEL_SERVICE_NAME` win over what we say of ourselves. */
function originOf(version: string): Origin {
  const own = resourceFromAttributes({
    'service.name': 'coppice',
    'service.version': version,
    // In a cluster: the pod.
    'service.instance.id': hostname(),
  });
  // The later one wins.
  const detectors = [resourceAttributesEnvDetector, serviceNameEnvDetector];
  const resource = own.merge(detectResources({ detectors }));
  return { resource, instrumentationScope: { name: 'coppice', version } };
}

/** Between the SDK's queue and the exporter: both drop without a word. */
class CountingExporter implements SpanExporter {
  readonly #inner: SpanExporter;
  readonly #log: Pick<Log, 'line'>;
  #queued = 0;
  #exported = 0;
  #failed = 0;
  #dropped = 0;
  #isFailing = false;
  #isFull = false;

  constructor(inner: SpanExporter, log: Pick<Log, 'line'>) {
    this.#inner = inner;
    this.#log = log;
  }

  get numbers(): SpanNumbers {
    return { exported: this.#exported, failed: this.#failed, dropped: this.#dropped };
  }

  /** Counts one span into the queue, or as dropped. */
  hasRoom(most: number): boolean {
    if (this.#queued < most) {
      this.#queued++;
      return true;
    }
    this.#dropped++;
    if (!this.#isFull) {
      const fields = { queue: most, variable: 'OTEL_BSP_MAX_QUEUE_SIZE' };
      this.#log.line('warn', 'spans are dropped: the queue is full', fields);
    }
    this.#isFull = true;
    return false;
  }

  export(spans: ReadableSpan[], done: (result: ExportResult) => void): void {
    const { length } = spans;
    this.#queued -= length;
    this.#inner.export(spans, (result) => {
      if (result.code === ExportResultCode.SUCCESS) this.#succeeded(length);
      else this.#refused(length, result.error);
      // A refusal is dealt with: the SDK would tell it to a handler of the whole process.
      done({ code: ExportResultCode.SUCCESS });
    });
  }

  async shutdown(): Promise<void> {
    await this.#inner.shutdown();
  }

  #succeeded(count: number): void {
    this.#exported += count;
    this.#isFull = false;
    if (this.#isFailing) this.#log.line('info', 'traces are sent again', {});
    this.#isFailing = false;
  }

  #refused(count: number, error: Error | undefined): void {
    this.#failed += count;
    const fields = { spans: count, error: error?.message ?? 'no reason was given' };
    if (!this.#isFailing) this.#log.line('warn', 'traces could not be sent', fields);
    this.#isFailing = true;
  }
}
