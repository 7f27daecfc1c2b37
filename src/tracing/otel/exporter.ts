// The exporter that the variables name: OpenTelemetry's own over HTTP, which read their other
// variables themselves, or ours over gRPC. Used by export.ts.
import { OTLPTraceExporter as JsonExporter } from '@opentelemetry/exporter-trace-otlp-http';
import { OTLPTraceExporter as ProtobufExporter } from '@opentelemetry/exporter-trace-otlp-proto';
import { ConsoleSpanExporter, type SpanExporter } from '@opentelemetry/sdk-trace';
import type { Environment, TracingSettings } from '../environment.ts';
import { grpcSettings } from './grpc-settings.ts';
import { GrpcExporter } from './grpc.ts';

/** Throws where a file cannot be read or an address is none. */
export function exporterOf(
  { exporter, protocol }: Pick<TracingSettings, 'exporter' | 'protocol'>,
  environment: Environment,
): SpanExporter {
  if (exporter === 'console') return new ConsoleSpanExporter();
  switch (protocol) {
    case 'grpc':
      return new GrpcExporter(grpcSettings(environment));
    case 'http/json':
      return new JsonExporter();
    case 'http/protobuf':
      return new ProtobufExporter();
  }
}
