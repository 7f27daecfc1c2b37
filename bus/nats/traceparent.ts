// A fact as a span of W3C Trace Context, for collectors that link messages by the header
// `traceparent`. Our ids are texts of any length: their hashes stand for them, so all facts of a
// trace have one trace id, and whoever knows an id of ours can compute its span. Never sampled:
// with flag 01 a NATS server whose account has a trace destination sends an event per message.
import { createHash } from 'node:crypto';
import { headers, type MsgHdrs } from '@nats-io/transport-node';
import type { Causality } from '#actors/ports.ts';

const hexDigits = { trace: 32, span: 16 } as const;

export const traceparentOf = ({ id, trace }: Pick<Causality, 'id' | 'trace'>): string =>
  `00-${hash(trace, hexDigits.trace)}-${hash(id, hexDigits.span)}-00`;

export function traceHeaders(fact: Causality): MsgHdrs {
  const made = headers();
  made.set('traceparent', traceparentOf(fact));
  return made;
}

const hash = (id: string, digits: number): string =>
  createHash('sha256').update(id).digest('hex').slice(0, digits);
