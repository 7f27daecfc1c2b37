// What a command of the plugin works with: the API server by the user's kubeconfig, the namespace,
// a clock and the two outputs. Made by run.ts, and by tests with texts in the place of outputs.
import type { Clock } from '#actors/ports.ts';
import type { KubeConnection } from '#src/kube/connect/connection.ts';
import { loadConnection } from '#src/kube/connect/config.ts';
import { type HttpTransport, httpTransport } from '#src/kube/transport/http.ts';
import { unreachable } from '#src/kube/errors.ts';
import type { KubeRequest, KubeResponse, KubeTransport } from '#src/kube/transport/transport.ts';
import { PluginError } from './errors.ts';
import type { Output, OutputOptions } from './show/output.ts';

/** For one request to the API server. */
const requestMs = 15_000;

/** One call of the program. */
export interface Run {
  readonly argv: readonly string[];
  readonly streams: Pick<OutputOptions, 'out' | 'error' | 'environment'>;
  readonly version: string;
  /** Aborted by Ctrl-C. */
  readonly signal: AbortSignal;
}

export interface SessionFlags {
  readonly kubeconfig: string | undefined;
  readonly context: string | undefined;
  readonly namespace?: string | undefined;
}

export interface Session {
  readonly connection: KubeConnection;
  readonly transport: KubeTransport;
  /** Of `--namespace`, else of the context. */
  readonly namespace: string;
  readonly clock: Clock;
  readonly output: Output;
  readonly version: string;
  /** Where the kubeconfig was told to be, for what is read of it besides. */
  readonly source: { readonly file?: string; readonly context?: string };
  /** Ends with Ctrl-C. */
  readonly signal: AbortSignal;
  close(): Promise<void>;
}

export interface World {
  readonly clock: Clock;
  readonly output: Output;
  readonly version: string;
  readonly signal: AbortSignal;
}

/** Rejects with KubeConfigError. */
export async function openSession(flags: SessionFlags, world: World): Promise<Session> {
  const { kubeconfig: file, context } = flags;
  const source = {
    ...(file === undefined ? {} : { file }),
    ...(context === undefined ? {} : { context }),
  };
  const connection = await loadConnection(source, world.clock);
  const http = httpTransport(connection, { userAgent: `kubectl-coppice/${world.version}` });
  const namespace = flags.namespace ?? connection.namespace;
  const transport = bounded(http, world.signal);
  return { ...world, connection, transport, namespace, source, close: () => http.close() };
}

/** A request that gets no answer ends in words, and in time. */
function bounded(http: HttpTransport, ended: AbortSignal): KubeTransport {
  const request = async (wanted: KubeRequest): Promise<KubeResponse> => {
    const signal = AbortSignal.any([
      ended,
      AbortSignal.timeout(requestMs),
      ...(wanted.signal === undefined ? [] : [wanted.signal]),
    ]);
    try {
      return await http.request({ ...wanted, signal });
    } catch (error) {
      if (ended.aborted || error instanceof PluginError) throw error;
      const { message } = unreachable(error);
      throw new PluginError(
        'failed',
        `the API server at ${http.host} does not answer: ${message}`,
        {
          cause: error,
        },
      );
    }
  };
  return { request, watch: (path, sink) => http.watch(path, sink) };
}
