// A deploy of a controller that sends traces to a collector in this process, for what they cost:
// the clients decide which sets are sampled, so that it is exactly the part that was asked for.
import { startCollector } from '#test/support/otlp/collector.ts';
import { type RunOptions, scaleShort } from '../runs.ts';
import type { Result } from '../statistics.ts';

/** Rejects where other traces came than those of the sampled sets. */
export async function scaleTraced(options: RunOptions): Promise<Result> {
  const collector = await startCollector('http');
  const environment = {
    OTEL_EXPORTER_OTLP_ENDPOINT: collector.url,
    OTEL_TRACES_SAMPLER: 'parentbased_always_off',
    // So that what is sent counts for the phase in which it came up.
    OTEL_BSP_SCHEDULE_DELAY: '1000',
  };
  try {
    const result = await scaleShort({ ...options, environment });
    const { spans } = collector;
    const traces = new Set(spans.map(({ traceId }) => traceId)).size;
    options.say(`${spans.length} spans of ${traces} traces`);
    if (traces === options.split?.sampled) return result;
    throw new Error(`${traces} traces came, not ${options.split?.sampled}`);
  } finally {
    await collector.close();
  }
}
