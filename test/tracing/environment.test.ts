// What the standard variables of OpenTelemetry switch on, and what is said of wrong ones.
import { describe, expect, test } from 'vitest';
import { readEnvironment } from '#src/tracing/environment.ts';

const endpoint = { OTEL_EXPORTER_OTLP_ENDPOINT: 'http://collector:4318' };

const settingsOf = (environment: Readonly<Record<string, string>>) =>
  readEnvironment(environment).settings;

describe('Traces', () => {
  test.each([
    [{}],
    [{ OTEL_SERVICE_NAME: 'coppice', OTEL_TRACES_SAMPLER: 'always_on' }],
    [{ OTEL_EXPORTER_OTLP_ENDPOINT: '' }],
    [{ OTEL_EXPORTER_OTLP_METRICS_ENDPOINT: 'http://collector:4318/v1/metrics' }],
    [{ ...endpoint, OTEL_SDK_DISABLED: 'true' }],
    [{ ...endpoint, OTEL_SDK_DISABLED: 'TRUE' }],
    [{ ...endpoint, OTEL_TRACES_EXPORTER: 'none' }],
  ])('are off with %j', (environment) => {
    expect(readEnvironment(environment)).toEqual({ settings: undefined, notes: [] });
  });

  test.each([
    [endpoint, 'otlp'],
    [{ OTEL_EXPORTER_OTLP_TRACES_ENDPOINT: 'http://collector:4318/v1/traces' }, 'otlp'],
    [{ OTEL_TRACES_EXPORTER: 'otlp' }, 'otlp'],
    [{ OTEL_TRACES_EXPORTER: 'Console' }, 'console'],
    [{ ...endpoint, OTEL_SDK_DISABLED: 'false' }, 'otlp'],
  ])('are on with %j', (environment, exporter) => {
    expect(settingsOf(environment)).toEqual({
      exporter,
      protocol: 'http/protobuf',
      sampler: { name: 'parentbased_always_on', ratio: 1 },
      queue: {
        scheduledDelayMillis: 5_000,
        exportTimeoutMillis: 30_000,
        maxQueueSize: 2_048,
        maxExportBatchSize: 512,
      },
    });
  });

  test('go by the variables of traces before those of all signals', () => {
    const all = { ...endpoint, OTEL_EXPORTER_OTLP_PROTOCOL: 'http/json' };
    expect(settingsOf(all)?.protocol).toBe('http/json');
    expect(settingsOf({ ...all, OTEL_EXPORTER_OTLP_TRACES_PROTOCOL: 'grpc' })?.protocol).toBe(
      'grpc',
    );
  });

  test('take the sampler and the sizes of the queue', () => {
    const environment = {
      ...endpoint,
      OTEL_TRACES_SAMPLER: 'parentbased_traceidratio',
      OTEL_TRACES_SAMPLER_ARG: '0.1',
      OTEL_BSP_SCHEDULE_DELAY: '1000',
      OTEL_BSP_EXPORT_TIMEOUT: '2000',
      OTEL_BSP_MAX_QUEUE_SIZE: '10',
      OTEL_BSP_MAX_EXPORT_BATCH_SIZE: '5',
    };
    expect(settingsOf(environment)).toMatchObject({
      sampler: { name: 'parentbased_traceidratio', ratio: 0.1 },
      queue: {
        scheduledDelayMillis: 1_000,
        exportTimeoutMillis: 2_000,
        maxQueueSize: 10,
        maxExportBatchSize: 5,
      },
    });
  });

  test.each([
    [
      { OTEL_TRACES_EXPORTER: 'zipkin' },
      '$OTEL_TRACES_EXPORTER is "zipkin", it must be one of otlp, console, none; otlp is taken',
    ],
    [
      { OTEL_EXPORTER_OTLP_PROTOCOL: 'thrift' },
      '$OTEL_EXPORTER_OTLP_PROTOCOL is "thrift", it must be one of grpc, http/protobuf, http/json; http/protobuf is taken',
    ],
    [
      { OTEL_TRACES_SAMPLER: 'sometimes' },
      '$OTEL_TRACES_SAMPLER is "sometimes", it must be one of always_on, always_off, traceidratio, parentbased_always_on, parentbased_always_off, parentbased_traceidratio; parentbased_always_on is taken',
    ],
    [
      { OTEL_TRACES_SAMPLER_ARG: '10' },
      '$OTEL_TRACES_SAMPLER_ARG is "10", it must be a number from 0 to 1; 1 is taken',
    ],
    [
      { OTEL_BSP_MAX_QUEUE_SIZE: 'large' },
      '$OTEL_BSP_MAX_QUEUE_SIZE is "large", it must be a number from 1 to 1000000; 2048 is taken',
    ],
  ])('go on with the default where %j is wrong, and say so', (wrong, note) => {
    const read = readEnvironment({ ...endpoint, ...wrong });
    expect(read.settings).toEqual(settingsOf(endpoint));
    expect(read.notes).toEqual([note]);
  });
});
