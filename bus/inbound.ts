// What arrives: subject and content judged together. A message whose subject says one thing and
// whose content another is forged or broken and goes no further.
import type { Ask, Envelope } from '#actors/ports.ts';
import { actorId } from '#machines/vocabulary.ts';
import { decodeEnvelope, decodePayload, isPlainlyCopy } from './codec.ts';
import type { Decoded } from './decoded.ts';
import { decoded, flawed } from './decoded.ts';
import { parseSubject } from './subjects.ts';

/** The envelope on a tell subject; null for a copy: it is for people, not to be acted upon. */
export function readTell(subject: string, bytes: Uint8Array): Decoded<Envelope | null> {
  if (isPlainlyCopy(bytes)) return decoded(null);
  const parsed = parseSubject(subject);
  if (!parsed.ok) return parsed;
  if (parsed.value.type !== 'tell') return flawed('subject', 'is no tell subject');
  const posted = decodeEnvelope(bytes);
  if (!posted.ok) return posted;
  const { envelope, copy } = posted.value;
  if (copy) return decoded(null);
  if (envelope.shard !== parsed.value.shard) {
    return flawed('shard', `is ${envelope.shard}, the subject says ${parsed.value.shard}`);
  }
  if (actorId(envelope.to) !== actorId(parsed.value.to)) {
    return flawed('to', `is ${actorId(envelope.to)}, the subject says ${actorId(parsed.value.to)}`);
  }
  return decoded(envelope);
}

/** The question on an ask subject, or on that of the owner of a shard. */
export function readAsk(subject: string, bytes: Uint8Array): Decoded<Ask> {
  const parsed = parseSubject(subject);
  if (!parsed.ok) return parsed;
  if (parsed.value.type !== 'ask' && parsed.value.type !== 'owner') {
    return flawed('subject', 'is no ask subject');
  }
  const { about, question, type } = parsed.value;
  const decodedPayload = decodePayload(bytes);
  if (!decodedPayload.ok) return decodedPayload;
  const ask = { about, question, payload: decodedPayload.value };
  return decoded(type === 'owner' ? { ...ask, handedOn: true } : ask);
}
