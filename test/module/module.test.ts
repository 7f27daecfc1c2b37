// A second API group, with nothing of it outside this folder but its row: it comes up, scales,
// moves between trees, parks, is asked, and says what it waits for. docs/a-new-kind.md shows its
// files.
import { readFileSync } from 'node:fs';
import { afterEach, describe, expect, it } from 'vitest';
import type { Ask } from '#actors/ports.ts';
import type { ActorSystem } from '#actors/system.ts';
import { apiVersionOf, useVersion } from '#machines/kinds.ts';
import { at, list } from '#machines/kubernetes/json.ts';
import type { JsonObject } from '#machines/kubernetes/objects.ts';
import { withController } from '#test/devcluster/controlled.ts';
import type { World } from '#test/devcluster/controllers/support.ts';
import {
  create,
  crdsWithout,
  edit,
  jobKey,
  pathOf,
  print100,
  printerKey,
  statusOf,
  trays,
} from './shop.ts';

async function ask(system: ActorSystem, about: Ask['about'], question: 'state' | 'why') {
  const answer = await system.ask({ about, question, payload: {} });
  return answer.ok ? answer.data : { code: answer.code };
}

const withPrinters = (
  run: (world: World, system: ActorSystem) => Promise<void>,
  crds = crdsWithout(),
): Promise<void> =>
  withController(
    { nodes: 0 },
    async (world, system) => {
      await world.clock.advance(1_000);
      await create(world, 'Printer', 'inky', { trays: 3, paper: 'a4' });
      await create(world, 'Printer', 'laser', { trays: 1 });
      await world.clock.advance(5_000);
      await run(world, system);
    },
    { modules: [print100], crds },
  );

describe('A second module', () => {
  it('makes what its roots want, and tells of it', () =>
    withPrinters(async (world, system) => {
      expect(await trays(world)).toBe(4);
      expect(await statusOf(world, 'Printer', 'inky')).toEqual({
        trays: 3,
        jobs: [],
        conditions: [{ type: 'Ready', status: 'True' }],
      });
      expect(await ask(system, printerKey('inky'), 'why')).toMatchObject({
        because: ['every tray is there'],
      });
    }));

  it('scales out and in, and makes again what a hand took', () =>
    withPrinters(async (world) => {
      await edit(world, 'Printer', 'inky', { trays: 5 });
      expect(await trays(world)).toBe(6);
      await edit(world, 'Printer', 'inky', { trays: 2 });
      expect(await trays(world)).toBe(3);
      const path = pathOf('Tray', 'laser-tray-0');
      const before = await world.get(path);
      const { status } = await world.client.send({ method: 'DELETE', path });
      await world.clock.advance(5_000);
      const after = await world.get(path);
      expect([status, before?.metadata['uid'] === after?.metadata['uid']]).toEqual([200, false]);
    }));

  it('says what it waits for, and ends with its object', () =>
    withPrinters(async (world, system) => {
      await create(world, 'Job', 'thesis', { printer: 'inky' });
      await edit(world, 'Printer', 'inky', { trays: 0 });
      const state = await ask(system, printerKey('inky'), 'state');
      expect(Object.values(state)).toContainEqual({ trays: 0, jobs: 1 });
      await world.client.send({ method: 'DELETE', path: pathOf('Job', 'thesis') });
      await world.clock.advance(5_000);
      expect(await ask(system, jobKey, 'why')).toEqual({ code: 'NOT_FOUND' });
      expect(await statusOf(world, 'Printer', 'inky')).toMatchObject({ jobs: [] });
    }));

  it('moves a child to the tree that its spec names, and it reads what is there', () =>
    withPrinters(async (world, system) => {
      await create(world, 'Paper', 'a4', { size: '210x297' });
      await create(world, 'Job', 'thesis', { printer: 'inky' });
      await world.clock.advance(5_000);
      const there = { printer: 'inky', paper: '210x297' };
      expect(await statusOf(world, 'Job', 'thesis')).toEqual(there);
      expect(await statusOf(world, 'Printer', 'inky')).toMatchObject({ jobs: ['thesis'] });
      await edit(world, 'Job', 'thesis', { printer: 'laser' });
      expect(await statusOf(world, 'Job', 'thesis')).toEqual({ printer: 'laser', paper: '' });
      expect(await statusOf(world, 'Printer', 'inky')).toMatchObject({ jobs: [] });
      expect(await statusOf(world, 'Printer', 'laser')).toMatchObject({ jobs: ['thesis'] });
      expect(await ask(system, jobKey, 'why')).toMatchObject({
        because: ['it waits for its turn on laser'],
      });
      await edit(world, 'Job', 'thesis', { printer: 'inky' });
      expect(await statusOf(world, 'Job', 'thesis')).toEqual(there);
      await world.client.send({ method: 'DELETE', path: pathOf('Paper', 'a4') });
      await world.clock.advance(5_000);
      expect(await statusOf(world, 'Job', 'thesis')).toEqual({ printer: 'inky', paper: '' });
    }));

  it('answers what it is asked when the write that it led to is seen', () =>
    withPrinters(async (world, system) => {
      const lend = (name: string, payload: JsonObject) =>
        system.ask({ about: printerKey(name), question: 'lend', payload });
      const lent = async (tray: string): Promise<unknown> =>
        at(await world.get(pathOf('Tray', tray)), 'spec', 'lentTo');
      const answers = ['ann', 'bob', 'ann'].map((who) => lend('inky', { who }));
      await world.clock.advance(5_000);
      const trays = (await Promise.all(answers)).map((answer) => at(answer, 'data', 'tray'));
      expect(new Set(trays).size).toBe(2);
      expect(trays[0]).toBe(trays[2]);
      const events = list(at(await world.get('/api/v1/namespaces/default/events'), 'items'));
      const told = [`${String(trays[0])} is lent to ann`, `${String(trays[1])} is lent to bob`];
      expect(events.map((event) => at(event, 'message'))).toEqual(expect.arrayContaining(told));
      expect([await lent(String(trays[0])), await lent(String(trays[1]))]).toEqual(['ann', 'bob']);
      const all = ['inky-tray-0', 'inky-tray-1', 'inky-tray-2'].map(lent);
      expect((await Promise.all(all)).filter((who) => who === 'ann')).toHaveLength(1);
      const one = lend('laser', { who: 'ann' });
      await world.clock.advance(5_000);
      expect(await one).toMatchObject({ ok: true });
      const none = lend('laser', { who: 'bob' });
      await world.clock.advance(5_000);
      expect(await none).toMatchObject({ ok: false, code: 'INVALID' });
    }));

  it.each([
    [
      'a field that is missing',
      'lend',
      {},
      'payload.who is missing: it must be a string of 1 to 63',
    ],
    ['a wrong one', 'lend', { who: 7 }, 'payload.who is 7: it must be a string of 1 to 63'],
    ['one that is none', 'lend', { who: 'a', x: 1 }, 'payload.x is not a field; there is who'],
    ['no such question', 'sell', {}, 'a printer has no question "sell"; it answers state, why'],
  ])('refuses a question with %s', (_what, question, payload, message) =>
    withPrinters(async (_, system) => {
      const answer = await system.ask({ about: printerKey('inky'), question, payload });
      expect(answer).toMatchObject({ ok: false, code: 'MALFORMED' });
      expect(at(answer, 'message')).toContain(message);
    }),
  );

  it('parks a root whose plan throws, and lets the others be', () =>
    withPrinters(async (world) => {
      await edit(world, 'Printer', 'laser', { trays: 1000 });
      await world.clock.advance(120_000);
      expect(await statusOf(world, 'Printer', 'laser')).toMatchObject({
        conditions: [{}, { type: 'Parked', status: 'True', reason: 'RestartIntensityExceeded' }],
      });
      await edit(world, 'Printer', 'inky', { trays: 4 });
      expect(await trays(world)).toBe(5);
      await edit(world, 'Printer', 'laser', { trays: 2 });
      expect(await statusOf(world, 'Printer', 'laser')).toEqual({
        trays: 2,
        jobs: [],
        conditions: [{ type: 'Ready', status: 'True' }],
      });
    }));

  it('says of an object that it cannot read what is wrong', () =>
    withPrinters(async (world) => {
      await create(world, 'Printer', 'odd', { trays: 'many' });
      await world.clock.advance(5_000);
      expect(await statusOf(world, 'Printer', 'odd')).toMatchObject({
        trays: 0,
        conditions: [
          { type: 'Parked', reason: 'Stopped', message: expect.stringContaining('spec.trays') },
          { type: 'Ready', status: 'Unknown' },
        ],
      });
    }));
});

const newest = 'print.example.dev/v2';
const older = 'print.example.dev/v1';

describe('A kind of several versions', () => {
  afterEach(() => useVersion('Printer', newest));

  const versionsIn = async (world: World): Promise<readonly unknown[]> => {
    const printer = await world.get(pathOf('Printer', 'inky'));
    const tray = await world.get(pathOf('Tray', 'inky-tray-0'));
    const [owner] = list(at(tray, 'metadata', 'ownerReferences'));
    return [apiVersionOf('Printer'), printer?.apiVersion, at(owner, 'apiVersion')];
  };

  it.each([
    ['newest where the cluster serves all', undefined, newest],
    ['newest where it is the only one', older, newest],
    ['older one where the cluster serves no other', newest, older],
  ])('is addressed in the %s', (_, lacking, version) =>
    withPrinters(async (world) => {
      expect(await versionsIn(world)).toEqual([version, version, version]);
      expect(await statusOf(world, 'Printer', 'inky')).toMatchObject({ trays: 3 });
      await edit(world, 'Printer', 'inky', { trays: 5 });
      expect(await trays(world)).toBe(6);
    }, crdsWithout(lacking)),
  );

  it('is looked for until its CRD is there, in whichever version', () =>
    withController(
      { nodes: 0 },
      async (world) => {
        await world.clock.advance(60_000);
        expect(apiVersionOf('Printer')).toBe(newest);
        const [crd = {}] = crdsWithout(newest);
        await world.create('/apis/apiextensions.k8s.io/v1/customresourcedefinitions', crd);
        await world.clock.advance(60_000);
        await create(world, 'Printer', 'inky', { trays: 3 });
        await world.clock.advance(5_000);
        expect(await versionsIn(world)).toEqual([older, older, older]);
      },
      { modules: [print100], crds: crdsWithout().slice(1) },
    ));
});

describe('The page on a new kind', () => {
  const page = readFileSync(new URL('../../docs/a-new-kind.md', import.meta.url), 'utf8');
  const blocks = [...page.matchAll(/^`(test\/module\/[\w.]+)`:\n\n```ts\n([\s\S]*?)^```$/gm)];

  it.each(blocks.map(([, file = '', text = '']) => [file, text]))('shows %s', (file, text) => {
    expect(readFileSync(new URL(`../../${file}`, import.meta.url), 'utf8')).toBe(text);
  });

  it('shows all five steps', () => {
    const files = blocks.map(([, file]) => file);
    expect(files).toEqual(
      ['kinds', 'facts', 'routes', 'settings', 'printer', 'job', 'module'].map(
        (name) => `test/module/${name}.ts`,
      ),
    );
  });
});
