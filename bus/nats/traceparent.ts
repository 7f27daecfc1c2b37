// A fact as a span of W3C Trace Context, for collectors that link messages by the header
// `traceparent`. Never sampled: with flag 01 a NATS server whose account has a trace destination
// sends an event per message.
import { headers, type MsgHdrs } from '@nats-io/transport-node';
import type { Causality } from '#actors/ports.ts';
import { spanIdOf, traceIdOf } from '../trace-ids.ts';

export const traceparentOf = ({ id, trace }: Pick<Causality, 'id' | 'trace'>): string =>
  `00-${traceIdOf(trace)}-${spanIdOf(id)}-00`;

export function traceHeaders(fact: Causality): MsgHdrs {
  const made = headers();
  made.set('traceparent', traceparentOf(fact));
  return made;
}
