// The part of the bus contract that is about messages to actors; run by suite.ts.
import { expect, it } from 'vitest';
import type { BusPort, Envelope } from '#actors/ports.ts';
import { decodeEnvelope, encodeEnvelope } from '#bus/codec.ts';
import { envelopeTo, key } from '#test/support/bus/samples.ts';
import type { Scene } from './world.ts';
import { tooLarge } from './world.ts';

const hears = (member: BusPort): Envelope[] => {
  const heard: Envelope[] = [];
  member.onTell((envelope) => heard.push(envelope));
  return heard;
};

export function tells({ world, alice, bob }: Scene): void {
  it('hands a message to every member that listens, the sender too, once, as a copy', async () => {
    const [atAlice, atBob] = [hears(alice()), hears(bob())];
    await world().stabilize();
    const sent = envelopeTo(key('a.b *>'), 'm-1', '1 of 1 scheduled');
    expect(alice().tell(sent)).toBe(true);
    await world().until(() => atAlice.length > 0 && atBob.length > 0);
    await world().stabilize();
    expect([atAlice, atBob]).toEqual([[sent], [sent]]);
    expect(atAlice[0]).not.toBe(sent);
    expect(atAlice[0]?.to).not.toBe(sent.to);
  });

  it('keeps the messages of one sender in order', async () => {
    const heard = hears(bob());
    await world().stabilize();
    const ids = Array.from({ length: 500 }, (_, index) => `m-${index}`);
    for (const id of ids) alice().tell(envelopeTo(key('a'), id));
    await world().until(() => heard.length === ids.length);
    expect(heard.map((envelope) => envelope.id)).toEqual(ids);
  });

  it('shows a copy to those who watch, and hands it to nobody', async () => {
    const heard = hears(bob());
    await world().stabilize();
    alice().copy(envelopeTo(key('a'), 'copied'));
    alice().tell(envelopeTo(key('a'), 'told'));
    await world().until(() => heard.length > 0 && world().seen.length === 2);
    expect(heard.map((envelope) => envelope.id)).toEqual(['told']);
    const seen = world().seen.map(({ bytes }) => decodeEnvelope(bytes));
    expect(seen.map((posted) => posted.ok && posted.value.copy)).toEqual([true, false]);
  });
}

export function listeners({ world, alice, bob }: Scene): void {
  it('hands nothing more to a handler that was taken away', async () => {
    const heard: string[] = [];
    const remove = bob().onTell((envelope) => heard.push(envelope.id));
    const kept = hears(bob());
    await world().stabilize();
    remove();
    alice().tell(envelopeTo(key('a')));
    await world().until(() => kept.length === 1);
    expect(heard).toEqual([]);
  });

  it('hands on again where a handler comes after the last one was taken away', async () => {
    bob().onTell(() => undefined)();
    const heard = hears(bob());
    await world().stabilize();
    alice().tell(envelopeTo(key('a')));
    await world().until(() => heard.length === 1);
  });

  it('goes on when a handler throws', async () => {
    bob().onTell(() => {
      throw new Error('this handler is broken');
    });
    const heard = hears(bob());
    await world().stabilize();
    alice().tell(envelopeTo(key('a'), 'm-1'));
    alice().tell(envelopeTo(key('a'), 'm-2'));
    await world().until(() => heard.length === 2);
  });

  it('does not send a message that is too large, and says so', () => {
    expect(alice().tell(envelopeTo(key('a'), 'm-1', tooLarge))).toBe(false);
  });
}

export function forgeries({ world, alice, bob }: Scene): void {
  it('refuses and counts messages that are forged, broken or too large, and hears the rest', async () => {
    const heard: string[] = [];
    bob().onTell((envelope) => heard.push(envelope.id));
    await world().stabilize();
    const good = encodeEnvelope(envelopeTo(key('a')), false);
    const subject = 'coppice.tell.3.podclique.default.a';
    const hostile: readonly (readonly [string, Uint8Array])[] = [
      [subject, new Uint8Array()],
      [subject, new TextEncoder().encode('not json')],
      [subject, new TextEncoder().encode('{"v":99}')],
      [subject, new TextEncoder().encode('{"v":1,"copy":false,"__proto__":{"id":"x"}}')],
      [subject, new TextEncoder().encode(`{"v":1,"pad":"${tooLarge}"}`)],
      ['coppice.tell.3.podclique.default.b', good.ok ? good.value : new Uint8Array()],
      ['coppice.tell.9.podclique.default.a', good.ok ? good.value : new Uint8Array()],
      ['coppice.tell.3.pod.default.a', good.ok ? good.value : new Uint8Array()],
    ];
    for (const [where, bytes] of hostile) world().inject(where, bytes);
    alice().tell(envelopeTo(key('a'), 'm-good'));
    await world().until(() => heard.length === 1 && world().rejected(bob()) === hostile.length);
    expect(heard).toEqual(['m-good']);
  });
}
