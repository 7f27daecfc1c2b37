// What arrives, message or question: subject and content judged together. What says one thing on
// its subject and another in its content is forged or broken and goes no further.
import type { Ask, Envelope } from '#actors/ports.ts';
import { actorId } from '#machines/contract/address.ts';
import { decodeEnvelope, decodePayload, isPlainlyCopy } from './codec.ts';
import { decoded, notDecoded, type Decoded } from './decoded.ts';
import { isTell, parseSubject, type Subject } from './subjects.ts';

export type Inbound =
  | { readonly type: 'message'; readonly envelope: Envelope }
  /** A copy of a message: it is for people, not to be acted upon. */
  | { readonly type: 'copy' }
  | { readonly type: 'question'; readonly ask: Ask };

const copy: Decoded<Inbound> = decoded({ type: 'copy' });

export function readInbound(subject: string, bytes: Uint8Array): Decoded<Inbound> {
  // Every process gets all copies: most are not even parsed.
  if (isTell(subject) && isPlainlyCopy(bytes)) return copy;
  const parsed = parseSubject(subject);
  if (!parsed.ok) return parsed;
  switch (parsed.value.type) {
    case 'tell':
      return readMessage(parsed.value, bytes);
    case 'ask':
    case 'owner':
      return readQuestion(parsed.value, bytes);
    default:
      return notDecoded('subject', 'is for facts, which nobody here takes in');
  }
}

function readMessage(
  { shard, to }: Extract<Subject, { type: 'tell' }>,
  bytes: Uint8Array,
): Decoded<Inbound> {
  const posted = decodeEnvelope(bytes);
  if (!posted.ok) return posted;
  const { envelope } = posted.value;
  if (posted.value.copy) return copy;
  if (envelope.shard !== shard) {
    return notDecoded('shard', `is ${envelope.shard}, the subject says ${shard}`);
  }
  if (actorId(envelope.to) !== actorId(to)) {
    return notDecoded('to', `is ${actorId(envelope.to)}, the subject says ${actorId(to)}`);
  }
  return decoded({ type: 'message', envelope });
}

function readQuestion(
  { about, question, type }: Extract<Subject, { type: 'ask' | 'owner' }>,
  bytes: Uint8Array,
): Decoded<Inbound> {
  const payload = decodePayload(bytes);
  if (!payload.ok) return payload;
  const ask = { about, question, payload: payload.value };
  return decoded({ type: 'question', ask: type === 'owner' ? { ...ask, handedOn: true } : ask });
}
