// The walk that somebody takes with kubectl after `npm start`: look at the set, its cliques and
// gangs, scale them, lose a pod, delete everything, begin again.
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { at, list, text } from '#machines/kubernetes/json.ts';
import { eventually } from '#test/support/eventually.ts';
import { Place } from '#test/support/place.ts';
import { shell, without } from '#test/support/tools.ts';
import { createNamespace, createSet } from '#test/support/workload.ts';

const patient = { timeout: 120_000 };
const namespace = 'walk';
const missing = without('kubectl');

describe.skipIf(missing !== '')(`Somebody with kubectl${missing}`, () => {
  const place = new Place();
  beforeAll(async () => {
    await place.start({ nodes: 4 });
    await place.controller();
    await createNamespace(place.client, namespace);
  }, 60_000);
  afterAll(() => place.end());

  async function kubectl(command: string): Promise<string> {
    const line = `kubectl --kubeconfig '${place.kubeconfig}' --namespace ${namespace} ${command}`;
    const { code, stdout, stderr } = await shell(line);
    expect(code, `${line}\n${stderr}`).toBe(0);
    return stdout;
  }

  const json = async (command: string): Promise<unknown> =>
    JSON.parse(await kubectl(`${command} -o json`));
  const names = async (resource: string): Promise<readonly string[]> =>
    list(at(await json(`get ${resource}`), 'items')).map((item) =>
      text(at(item, 'metadata', 'name')),
    );
  const deploy = async (): Promise<void> => {
    const cliques = [{ name: 'worker' }, { name: 'router', replicas: 1 }];
    await createSet(place.client, namespace, { name: 'demo', replicas: 2, cliques });
    await replicas(2);
  };
  const ready = (what: string): Promise<unknown> =>
    kubectl(`wait ${what} --for=condition=Ready --timeout=30s`);
  const replicas = (count: number): Promise<unknown> =>
    kubectl(`wait pcs/demo --for=jsonpath={.status.availableReplicas}=${count} --timeout=30s`);
  const podsOfGang = async (gang: string): Promise<readonly string[]> =>
    list(at(await json(`get pg ${gang}`), 'spec', 'podgroups')).flatMap((group) =>
      list(at(group, 'podReferences')).map((reference) => text(at(reference, 'name'))),
    );

  test('sees sets, cliques and gangs with their columns, and describes them', patient, async () => {
    await deploy();
    await ready('pcs/demo');
    await ready('pclq --all');
    await kubectl('wait pg --all --for=jsonpath={.status.phase}=Running --timeout=30s');
    const rows = async (command: string): Promise<readonly string[]> =>
      (await kubectl(command)).trim().split('\n');
    const sets = await rows('get pcs -o wide');
    expect(sets[0]).toMatch(/^NAME\s.*AGE/);
    expect(sets[1]).toMatch(/^demo\s.*2/);
    expect(await rows('get pclq -o wide')).toHaveLength(1 + 4);
    expect(await rows('get pg -o wide')).toHaveLength(1 + 2);
    expect(await rows('get pods -o wide')).toHaveLength(1 + 6);
    const set = await kubectl('describe pcs demo');
    expect(set).toMatch(/Available Replicas:\s+2/);
    expect(await kubectl('describe pclq demo-0-worker')).toMatch(/Ready Replicas:\s+2/);
    expect(await kubectl('describe pg demo-0')).toMatch(
      /Reason:.*\n.*Status:\s+True\n.*Type:\s+Initialized/,
    );
  });

  test('scales the set out and in', patient, async () => {
    await kubectl('scale pcs demo --replicas 3');
    await replicas(3);
    expect(await names('pg')).toEqual(['demo-0', 'demo-1', 'demo-2']);
    await kubectl('scale pcs demo --replicas 2');
    await kubectl('wait pg/demo-2 --for=delete --timeout=30s');
    await eventually(
      'gone',
      () => names('pods'),
      (pods) => pods.length === 6,
    );
    expect(await names('pclq')).toEqual([
      'demo-0-router',
      'demo-0-worker',
      'demo-1-router',
      'demo-1-worker',
    ]);
  });

  test('scales one clique, and its gang follows', patient, async () => {
    await kubectl('scale pclq demo-0-worker --replicas 4');
    await kubectl('wait pclq/demo-0-worker --for=jsonpath={.status.readyReplicas}=4 --timeout=30s');
    await eventually(
      'listed',
      () => podsOfGang('demo-0'),
      (pods) => pods.length === 5,
    );
    expect((await podsOfGang('demo-1')).length).toBe(3);
    expect(await podsOfGang('demo-0')).toEqual(
      expect.arrayContaining([...(await names('pods -l grove.io/podclique=demo-0-worker'))]),
    );
  });

  test('deletes a pod, and another one takes its place in the gang', patient, async () => {
    const [victim = ''] = await names('pods -l grove.io/podclique=demo-1-worker');
    await kubectl(`delete pod ${victim}`);
    const pods = await eventually(
      'replaced',
      () => podsOfGang('demo-1'),
      (listed) => listed.length === 3 && !listed.includes(victim),
    );
    await kubectl(
      `wait ${pods.map((pod) => `pod/${pod}`).join(' ')} --for=condition=Ready --timeout=30s`,
    );
    expect(pods.toSorted()).toEqual(
      [...(await names('pods -l grove.io/podgang=demo-1'))].toSorted(),
    );
  });

  test(
    'deletes the set and sees everything of it go, and begins again under its name',
    patient,
    async () => {
      await kubectl('delete pcs demo --timeout=30s');
      const rest = (): Promise<readonly string[]> =>
        names('pclq,pg,pods,services,roles,rolebindings,secrets,serviceaccounts');
      const isForeign = (name: string): boolean =>
        name === 'default' || name === 'kube-root-ca.crt';
      await eventually('gone', rest, (all) => all.every(isForeign));
      await deploy();
      expect(await names('pg')).toEqual(['demo-0', 'demo-1']);
      expect(await names('pods')).toHaveLength(6);
    },
  );
});
