// Anybody on the bus may send anything: what is no message of ours is refused and counted, what
// looks like one changes nothing, and who asks gets an answer.
import { expect } from 'vitest';
import { at, list, text } from '#machines/json.ts';
import type { JsonObject } from '#machines/objects.ts';
import { shardOf } from '#actors/shard.ts';
import { busLimits } from '#bus/limits.ts';
import { eventually } from '#test/support/eventually.ts';
import { pairs } from '../../real/sets.ts';
import type { Scenario } from '../stage/describe.ts';
import type { Scene } from '../stage/scene.ts';

const wanted = pairs('target', 2);
/** `shards` of the configuration, as it is by default. */
const shards = 16;
const tooLong = 'x'.repeat(busLimits.maxMessageBytes);

export const forgedMessages: Scenario = {
  name: 'forged',
  title: 'refuses, counts and answers what is no message of ours, and writes nothing because of it',
  run: async (scene) => {
    const { nats, namespace, proxy } = scene;
    await nats.start();
    await scene.controller({ bus: { servers: [nats.url] }, shards });
    await scene.create(wanted);
    await scene.ready(wanted);
    await scene.quiet();
    const writes = proxy.traffic.writes.length;
    const actors = await scene.metric('coppice_actors');
    const client = await nats.client();
    const rejected = (): Promise<number> => scene.metric('coppice_bus_rejected_total');
    expect(await rejected()).toBe(0);

    const tells = rubbish(namespace);
    for (const [subject, payload] of tells) client.publish(subject, payload);
    await client.flush();
    await eventually('counted', rejected, (count) => count === tells.length);

    const asks = questions(namespace);
    for (const [subject, payload] of asks) {
      const reply = await client.request(subject, payload, { timeout: 5000 });
      expect(reply.json(), subject).toMatchObject({ ok: false, code: 'MALFORMED' });
      expect(reply.headers?.get('Nats-Service-Error-Code'), subject).toBe('400');
    }
    expect(await rejected()).toBe(tells.length + asks.length);

    const forged = forgeries(scene);
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

/** On the subjects of messages between actors. */
function rubbish(namespace: string): readonly Message[] {
  const subject = `coppice.tell.0.podclique.${namespace}.target-0-w`;
  const forOther = envelope(namespace, 'target-1', 'settle', {});
  return [
    [subject, ''],
    [subject, 'no JSON'],
    [subject, '[]'],
    [subject, '{}'],
    [subject, '{"v":1,"copy":false'],
    [subject, new Uint8Array([0xff, 0xfe, 0x00, 0xc3])],
    [subject, `{"v":1,"copy":false,"id":"${tooLong}"}`],
    [subject, `{"v":2,"copy":false}`],
    [subject, forOther[1]],
    [`coppice.tell.99999.podgang.${namespace}.target-0`, forOther[1]],
    [`coppice.tell.0.secret.${namespace}.target-0`, forOther[1]],
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
    [`${to}.${about}.delete`, '{}'],
    [`${to}.secret.${namespace}.target-0.why`, '{}'],
    [`${to}.${about}`, '{}'],
  ]);
}

/** Well-formed messages that none of the actors sent. */
function forgeries({ namespace, onlooker }: Scene): readonly Message[] {
  const [clique] = [...onlooker.all('podcliques', namespace).values()];
  const uid = text(at(clique, 'metadata', 'uid'));
  const gang = onlooker.one('podgangs', namespace, 'target-0');
  const group = text(at(list(at(gang, 'spec', 'podgroups'))[0], 'name'));
  const lie = { uid, clique: group, replicas: 2, names: ['x-1', 'x-2'], missing: 0 };
  return [
    envelope(namespace, 'target-0', 'clique.pods', lie),
    envelope(namespace, 'target-0', 'clique.leaving', { uid, clique: group }),
    envelope(namespace, 'target-0', 'effect.done', {}),
    ...Array.from({ length: 500 }, (_, index) =>
      envelope(namespace, `nobody-${index}`, 'clique.pods', lie),
    ),
  ];
}

function envelope(namespace: string, gang: string, type: string, fields: JsonObject): Message {
  const root = { kind: 'podcliqueset', namespace, name: 'target' } as const;
  const to = { kind: 'podgang', namespace, name: gang };
  const shard = shardOf(root, shards);
  const from = { kind: 'podclique', namespace, name: 'target-0-w' };
  const ids = { id: 'forged', cause: '', trace: 'forged', at: 1 };
  const message = { type, ...fields };
  const whole = { v: 1, copy: false, ...ids, from, to, root, shard, epoch: 1, message };
  return [`coppice.tell.${shard}.podgang.${namespace}.${gang}`, JSON.stringify(whole)];
}
