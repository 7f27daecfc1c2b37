// kubectl apply, client-side and server-side, diff, dry runs, patches, replace and delete policies
// on the embedded cluster.
import { expect, test } from 'vitest';
import { configMapYaml, withKubectl } from './kubectl.ts';

withKubectl('kubectl apply', (kubectl) => {
  test('client-side apply creates, changes and leaves alone', async () => {
    const file = await kubectl().file('one.yaml', configMapYaml('one', 'a'));
    expect(await kubectl().ok(`apply -f ${file}`)).toBe('configmap/one created\n');
    expect(await kubectl().ok(`apply -f ${file}`)).toBe('configmap/one unchanged\n');
    await kubectl().file('one.yaml', configMapYaml('one', 'b'));
    expect(await kubectl().ok(`apply -f ${file}`)).toBe('configmap/one configured\n');
    expect(await kubectl().ok("get cm one -o jsonpath='{.data.key}'")).toContain('b');
  });

  test('client-side apply removes what is no longer in the file', async () => {
    const file = await kubectl().file('gone.yaml', `${configMapYaml('gone', 'a')}  other: x\n`);
    await kubectl().ok(`apply -f ${file}`);
    await kubectl().file('gone.yaml', configMapYaml('gone', 'a'));
    await kubectl().ok(`apply -f ${file}`);
    expect(await kubectl().ok('get cm gone -o yaml')).not.toMatch(/^ {2}other: x$/m);
  });

  test('server-side apply creates, finds conflicts and takes over by force', async () => {
    const file = await kubectl().file('two.yaml', configMapYaml('two', 'a'));
    const apply = `apply --server-side -f ${file}`;
    const done = 'configmap/two serverside-applied\n';
    expect(await kubectl().ok(`${apply} --field-manager=first`)).toBe(done);
    await kubectl().file('two.yaml', configMapYaml('two', 'b'));
    const complaint = await kubectl().refused(`${apply} --field-manager=second`);
    expect(complaint).toContain('Apply failed with 1 conflict: conflict with "first": .data.key');
    expect(await kubectl().ok(`${apply} --field-manager=second --force-conflicts`)).toBe(done);
    const managers = await kubectl().ok('get cm two -o yaml --show-managed-fields');
    expect(managers).toContain('manager: second');
  });

  test('an object that was applied by the client moves to the server', async () => {
    const file = await kubectl().file('move.yaml', configMapYaml('move', 'a'));
    await kubectl().ok(`apply -f ${file}`);
    expect(await kubectl().ok(`apply --server-side -f ${file}`)).toContain('serverside-applied');
    await kubectl().file('move.yaml', configMapYaml('move', 'b'));
    expect(await kubectl().ok(`apply --server-side -f ${file}`)).toContain('serverside-applied');
  });

  test('a dry run on the server changes nothing', async () => {
    const file = await kubectl().file('dry.yaml', configMapYaml('dry', 'a'));
    const printed = await kubectl().ok(`apply --dry-run=server -f ${file}`);
    expect(printed).toBe('configmap/dry created (server dry run)\n');
    expect(await kubectl().refused('get cm dry')).toContain('not found');
  });

  test('a diff shows what an apply would change', async () => {
    const file = await kubectl().file('diff.yaml', configMapYaml('diff', 'old'));
    await kubectl().ok(`apply -f ${file}`);
    expect(await kubectl().ok(`diff -f ${file}`)).toBe('');
    await kubectl().file('diff.yaml', configMapYaml('diff', 'new'));
    const { code, stdout } = await kubectl().run(`diff -f ${file}`);
    expect(code).toBe(1);
    expect(stdout).toMatch(/^-\s+key: old$/m);
    expect(stdout).toMatch(/^\+\s+key: new$/m);
  });

  test('patches of the three kinds', async () => {
    await kubectl().ok('create configmap patched --from-literal=key=a');
    await kubectl().ok(`patch cm patched --type=merge -p '{"data":{"key":"b"}}'`);
    await kubectl().ok(`patch cm patched -p '{"data":{"more":"c"}}'`);
    const json = `'[{"op":"replace","path":"/data/key","value":"d"}]'`;
    expect(await kubectl().ok(`patch cm patched --type=json -p ${json}`)).toContain('patched');
    const data = await kubectl().ok("get cm patched -o jsonpath='{.data}'");
    expect(data).toContain('{"key":"d","more":"c"}');
  });

  test('replace needs the object, and its version when one is named', async () => {
    await kubectl().ok('create configmap replaced --from-literal=key=a');
    expect(await kubectl().ok('replace -f -', configMapYaml('replaced', 'b'))).toContain(
      'replaced',
    );
    const stale = configMapYaml('replaced', 'c').replace(
      '\ndata:',
      '\n  resourceVersion: "1"\ndata:',
    );
    const complaint = await kubectl().refused('replace -f -', stale);
    expect(complaint).toContain('the object has been modified');
  });

  test('deletes in the background, in the foreground and of orphans', async () => {
    for (const cascade of ['background', 'foreground', 'orphan']) {
      await kubectl().ok(`create configmap root --from-literal=k=v`);
      const uid = await kubectl().ok('get cm root -o jsonpath={.metadata.uid}');
      const owner = { apiVersion: 'v1', kind: 'ConfigMap', name: 'root', uid };
      const metadata = { name: 'child', ownerReferences: [owner] };
      const child = { apiVersion: 'v1', kind: 'ConfigMap', metadata };
      await kubectl().ok('apply -f -', JSON.stringify(child));
      await kubectl().ok(`delete configmap root --cascade=${cascade}`);
      if (cascade !== 'orphan') await kubectl().ok('wait --for=delete cm/child --timeout=10s');
      else await kubectl().ok('delete configmap child');
    }
  });

  test('a file with several kinds is applied and deleted', async () => {
    const service = `apiVersion: v1
kind: Service
metadata: { name: many }
spec: { clusterIP: None, selector: { app: many } }
`;
    const file = await kubectl().file('many.yaml', `${configMapYaml('many', 'a')}---\n${service}`);
    expect(await kubectl().ok(`apply -f ${file}`)).toContain('service/many created');
    expect(await kubectl().ok('get svc many')).toMatch(/many +ClusterIP +None +<none> +<none>/);
    expect(await kubectl().ok(`delete -f ${file}`)).toContain('service "many" deleted');
  });

  test('a field that does not exist is refused', async () => {
    const wrong = configMapYaml('wrong', 'a').replace('\ndata:', '\ndta:');
    const complaint = await kubectl().refused('create -f -', wrong);
    expect(complaint).toContain('unknown field "dta"');
  });

  test('a name that is not allowed is refused in words', async () => {
    const complaint = await kubectl().refused('create configmap Bad_Name');
    expect(complaint).toContain('a lowercase RFC 1123 subdomain must consist of');
  });
});
