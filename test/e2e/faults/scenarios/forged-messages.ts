// Anybody on the bus may send anything: what is no message of ours is refused and counted, what
// looks like one changes nothing, and who asks gets an answer.
import type { NatsConnection } from '@nats-io/transport-node';
import { expect } from 'vitest';
import { busLimits } from '#bus/limits.ts';
import { subjectsOf } from '#bus/subjects.ts';
import { encodeSummed } from '#bus/wire.ts';
import { at, object } from '#machines/kubernetes/json.ts';
import type { JsonObject } from '#machines/kubernetes/objects.ts';
import { eventually } from '#test/support/eventually.ts';
import { pairs } from '../../real/sets.ts';
import type { Scenario } from '../stage/describe.ts';

const wanted = pairs('target', 2);
const tooLong = 'x'.repeat(busLimits.maxMessageBytes);

export const forgedMessages: Scenario = {
  name: 'forged',
  usesNats: true,
  title: 'refuses, counts and answers what is no message of ours, and writes nothing because of it',
  run: async (scene) => {
    const { nats, namespace, proxy, leaseNamespace } = scene;
    await nats.start();
    const client = await nats.client();
    const overheard = eavesdrop(client, `podgang.${namespace}.target-0`);
    // With leases the owner of a shard is asked as well.
    const leases = { enabled: true, namespace: leaseNamespace, identity: 'one' };
    await scene.controller({ bus: { servers: [nats.url] }, leases });
    await scene.create(wanted);
    await scene.ready(wanted);
    await scene.quiet();
    const writes = proxy.traffic.writes.length;
    const actors = await scene.metric('coppice_actors');
    const rejected = (): Promise<number> => scene.metric('coppice_bus_rejected_total');
    expect(await rejected()).toBe(0);

    const [good] = overheard;
    const tells = rubbish(namespace, good);
    for (const [subject, payload] of tells) client.publish(subject, payload);
    await client.flush();
    await eventually('counted', rejected, (count) => count === tells.length);

    const asks = questions(namespace);
    for (const [subject, payload] of asks) {
      const reply = await client.request(subject, payload, { timeout: 5000 });
      const code = reply.headers?.get('Nats-Service-Error-Code');
      // Between processes there are no headers.
      const expected = subject.startsWith('coppice.ask') ? '400' : undefined;
      expect({ subject, answer: reply.json<unknown>(), code }).toMatchObject({
        subject,
        answer: { ok: false, code: 'MALFORMED' },
        code: expected,
      });
    }
    expect(await rejected()).toBe(tells.length + asks.length);

    const forged = forgeries(good);
    for (const [subject, payload] of forged) client.publish(subject, payload);
    await client.flush();
    await eventually(
      'forgeries counted',
      rejected,
      (count) => count === tells.length + asks.length + forged.length,
    );
    await scene.quiet();
    expect(proxy.traffic.writes).toHaveLength(writes);
    expect(await scene.metric('coppice_actors')).toBe(actors);
    const why = `coppice.ask.podclique.${namespace}.target-0-w.why`;
    expect((await client.request(why, '')).json()).toMatchObject({ ok: true });
    scene.say(`${await rejected()} messages refused, 0 writes`);
  },
};

type Message = readonly [subject: string, payload: string | Uint8Array];

/** Messages to one actor as anybody on the bus sees them. */
function eavesdrop(client: NatsConnection, to: string): readonly Message[] {
  const heard: Message[] = [];
  client.subscribe(subjectsOf.tell, {
    callback: (_error, { subject, data }) => {
      if (subject.endsWith(to)) heard.push([subject, data]);
    },
  });
  return heard;
}

/** On the subjects of messages between actors. */
function rubbish(namespace: string, good: Message | undefined): readonly Message[] {
  const subject = `coppice.tell.0.podclique.${namespace}.target-0-w`;
  const forOther = forge(good, {})[1];
  return [
    [subject, ''],
    [subject, 'no JSON'],
    [subject, '[]'],
    [subject, '{}'],
    [subject, '{"v":1,"copy":false'],
    [subject, new Uint8Array([0xff, 0xfe, 0x00, 0xc3])],
    [subject, `{"v":1,"copy":false,"id":"${tooLong}"}`],
    [subject, `{"v":2,"copy":false}`],
    [subject, forOther],
    [`coppice.tell.99999.podgang.${namespace}.target-0`, forOther],
    [`coppice.tell.0.secret.${namespace}.target-0`, forOther],
    ['coppice.tell.0', ''],
    [`coppice.tell.0.podgang.${namespace}.target-0.more.and.more`, '{}'],
  ];
}

/** On the subjects of questions, to the service and to the owner of a shard. */
function questions(namespace: string): readonly Message[] {
  const about = `podclique.${namespace}.target-0-w`;
  return ['coppice.ask', 'coppice.owner.0'].flatMap((to): readonly Message[] => [
    [`${to}.${about}.why`, 'no JSON'],
    [`${to}.${about}.why`, '[1]'],
    [`${to}.${about}.why`, new Uint8Array([0xff, 0x00])],
    [`${to}.${about}.why`, `{"pad":"${tooLong}"}`],
    [`${to}.${about}.Delete`, '{}'],
    [`${to}.secret.${namespace}.target-0.why`, '{}'],
    [`${to}.${about}`, '{}'],
  ]);
}

/** Well-formed messages, right in all that can be overheard, that none of the actors sent. */
function forgeries(good: Message | undefined): readonly Message[] {
  return [
    forge(good, {}),
    forge(good, { value: 'x-1, x-2' }),
    forge(good, { view: 'constructor' }),
    ...Array.from({ length: 500 }, (_, index) => forge(good, { to: { name: `nobody-${index}` } })),
  ];
}

/** The overheard message with other fields in it, as if it was meant. */
function forge(good: Message | undefined, change: JsonObject): Message {
  if (good === undefined) throw new Error('no message was overheard');
  const [subject, payload] = good;
  const whole = object(JSON.parse(Buffer.from(payload).toString('utf8')));
  for (const [field, value] of Object.entries(change)) {
    whole[field] = typeof value === 'object' ? { ...object(whole[field]), ...value } : value;
  }
  const name = String(at(whole, 'to', 'name'));
  const to = [...subject.split('.').slice(0, -1), name].join('.');
  delete whole['sum'];
  const bytes = encodeSummed({ ...whole, copy: false });
  return [to, bytes.ok ? bytes.value : ''];
}
