// Spans to a collector over gRPC: one unary call per batch on node:http2, repeated within its time
// where the protocol allows that (https://opentelemetry.io/docs/specs/otlp/#otlpgrpc). The official
// exporter brings a gRPC library of two megabytes with an install script (docs/decisions/0048).
import { type ClientHttp2Session, connect, constants, type IncomingHttpHeaders } from 'node:http2';
import { setTimeout as pause } from 'node:timers/promises';
import { gzipSync } from 'node:zlib';
import { ExportResultCode, type ExportResult } from '@opentelemetry/core';
import { ProtobufTraceSerializer } from '@opentelemetry/otlp-transformer';
import type { ReadableSpan, SpanExporter } from '@opentelemetry/sdk-trace';
import type { GrpcSettings } from './grpc-settings.ts';

const path = '/opentelemetry.proto.collector.trace.v1.TraceService/Export';

/** Statuses of gRPC after which the same call may be made again. */
const unavailable = 14;
const retryable = new Set([1, 4, 10, 11, unavailable, 15]);
/** Of HTTP, by what stands between. */
const busy = new Set([429, 502, 503, 504]);

const firstPauseMs = 1_000;

interface Outcome {
  /** Of gRPC; 0: it was taken. */
  readonly code: number;
  readonly message: string;
}

export class GrpcExporter implements SpanExporter {
  readonly #settings: GrpcSettings;
  #session: ClientHttp2Session | undefined;
  readonly #calls = new Set<Promise<void>>();

  constructor(settings: GrpcSettings) {
    this.#settings = settings;
  }

  export(spans: ReadableSpan[], done: (result: ExportResult) => void): void {
    const call = this.#deliver(spans).then(
      () => done({ code: ExportResultCode.SUCCESS }),
      (error: unknown) =>
        done({
          code: ExportResultCode.FAILED,
          error: error instanceof Error ? error : new Error(String(error)),
        }),
    );
    this.#calls.add(call);
    void call.finally(() => this.#calls.delete(call));
  }

  async shutdown(): Promise<void> {
    await Promise.all(this.#calls);
    this.#session?.close();
  }

  /** Rejects where the collector refuses, or does not take it in time. */
  async #deliver(spans: ReadableSpan[]): Promise<void> {
    const message = ProtobufTraceSerializer.serializeRequest(spans);
    if (message === undefined) throw new Error('the spans cannot be written');
    const body = framed(message, this.#settings.isCompressed);
    const until = performance.now() + this.#settings.timeoutMs;
    for (let pauseMs = firstPauseMs; ; pauseMs *= 2) {
      const outcome = await this.#call(body, until - performance.now());
      if (outcome.code === 0) return;
      if (!retryable.has(outcome.code) || performance.now() + pauseMs > until) {
        throw new Error(`gRPC status ${outcome.code}: ${outcome.message}`);
      }
      await pause(pauseMs);
    }
  }

  #call(body: Buffer, timeoutMs: number): Promise<Outcome> {
    const { promise, resolve } = Promise.withResolvers<Outcome>();
    const stream = this.#connected().request({
      ...this.#settings.headers,
      [constants.HTTP2_HEADER_METHOD]: 'POST',
      [constants.HTTP2_HEADER_PATH]: path,
      'content-type': 'application/grpc',
      'grpc-timeout': `${Math.max(1, Math.round(timeoutMs))}m`,
      ...(this.#settings.isCompressed && { 'grpc-encoding': 'gzip' }),
      te: 'trailers',
      'user-agent': 'coppice',
    });
    let outcome: Outcome = { code: unavailable, message: 'the connection was closed' };
    const read = (headers: IncomingHttpHeaders): void => {
      outcome = outcomeOf(headers) ?? outcome;
    };
    const timer = setTimeout(() => {
      outcome = { code: 4, message: `no answer within ${Math.round(timeoutMs)} ms` };
      stream.close(constants.NGHTTP2_CANCEL);
    }, timeoutMs);
    stream.on('response', read);
    stream.on('trailers', read);
    stream.on('error', ({ message }) => {
      if (outcome.code === unavailable) outcome = { code: unavailable, message };
    });
    stream.on('close', () => {
      clearTimeout(timer);
      resolve(outcome);
    });
    stream.resume();
    stream.end(body);
    return promise;
  }

  /** One connection for all calls; a new one where that has ended. */
  #connected(): ClientHttp2Session {
    const known = this.#session;
    if (known !== undefined && !known.closed && !known.destroyed) return known;
    const session = connect(this.#settings.origin, this.#settings.tls);
    // Each call hears of it by its stream.
    session.on('error', () => session.destroy());
    session.on('goaway', () => session.close());
    session.unref();
    this.#session = session;
    return session;
  }
}

/** As gRPC puts a message into a stream: whether it is compressed, its length, itself. */
function framed(message: Uint8Array, isCompressed: boolean): Buffer {
  const data = isCompressed ? gzipSync(message) : message;
  const head = Buffer.alloc(5);
  head.writeUInt8(isCompressed ? 1 : 0, 0);
  head.writeUInt32BE(data.length, 1);
  return Buffer.concat([head, data]);
}

/** Undefined: these headers do not say it. */
function outcomeOf(headers: IncomingHttpHeaders): Outcome | undefined {
  const status = Number(headers[':status'] ?? 200);
  const code = headers['grpc-status'];
  if (typeof code === 'string') {
    return { code: Number(code), message: unescaped(String(headers['grpc-message'] ?? '')) };
  }
  if (status === 200) return undefined;
  return { code: busy.has(status) ? unavailable : 2, message: `HTTP status ${status}` };
}

/** What is wrongly escaped stays as it is, as gRPC wants: a throw here would end the process. */
function unescaped(message: string): string {
  try {
    return decodeURIComponent(message);
  } catch {
    return message;
  }
}
