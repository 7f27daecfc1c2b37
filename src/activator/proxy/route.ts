// Where a request goes: it is answered at once, or it is for a revision that we know (spec
// activator
// 1.4, 1.5). The same for all protocols; http1.ts and http2.ts ask.
import type { Flat, Routed } from './types.ts';
import { notFound, targetOf } from './identify.ts';
import { answerProbe } from './probes.ts';
import { defaultRules } from './rules.ts';
import type { Shared } from './shared.ts';

/** An answer of ours. */
export interface Answer {
  readonly status: number;
  readonly body: string;
  readonly headers: Flat;
}

type Headers = Readonly<Record<string, string | string[] | undefined>>;

/** The revision is looked up once for each request (H-76). */
export function route(
  shared: Shared,
  headers: Headers,
  { host, path }: { readonly host: string; readonly path: string },
): Answer | Routed {
  const probe = answerProbe(headers, path, shared.probes);
  if (probe !== undefined) return probe;
  const target = targetOf(headers, host, shared.clusterDomain);
  const requests = target && shared.plane.find(target.namespace, target.name);
  if (target === undefined || requests === undefined) {
    return { status: 404, body: notFound(target?.name ?? ''), headers: [] };
  }
  const { namespace, name } = target;
  const rules = shared.rules(namespace, name) ?? defaultRules;
  const figures = shared.figures.of(namespace, name);
  figures.rules = rules;
  return { shared, target, requests, rules, figures };
}

export const badAnswer = (body: string): Answer => ({ status: 400, body, headers: [] });

/** Before those of the answer itself. A browser takes the text for text. */
export const headersOf = ({ body, headers }: Answer): string[] => [
  'content-type',
  'text/plain; charset=utf-8',
  'x-content-type-options',
  'nosniff',
  'content-length',
  String(Buffer.byteLength(body)),
  ...headers,
];
