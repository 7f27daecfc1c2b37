// kubectl and pods on the embedded cluster: create, get in its forms, watch, describe, wait, label,
// delete, events.
import { expect, test } from 'vitest';
import { podYaml, withKubectl } from './kubectl.ts';

withKubectl('kubectl on pods', (kubectl) => {
  test('a pod is created, becomes ready and is shown', async () => {
    expect(await kubectl().ok('create -f -', podYaml('web'))).toBe('pod/web created\n');
    const waited = await kubectl().ok('wait --for=condition=Ready pod/web --timeout=10s');
    expect(waited).toBe('pod/web condition met\n');
    const [head, row] = (await kubectl().ok('get pods web')).split('\n');
    expect(head?.split(/\s+/)).toEqual(['NAME', 'READY', 'STATUS', 'RESTARTS', 'AGE']);
    expect(row).toMatch(/^web +1\/1 +Running +0 +\d+s$/);
  });

  test('the wide form shows address and node', async () => {
    const [head, row] = (await kubectl().ok('get pod web -o wide')).split('\n');
    expect(head).toContain('NOMINATED NODE');
    expect(row).toMatch(/10\.244\.\d+\.\d+ +node-\d/);
  });

  test('output as JSON, YAML, names, columns and paths', async () => {
    const object: unknown = JSON.parse(await kubectl().ok('get pod web -o json'));
    expect(object).toMatchObject({ kind: 'Pod', status: { phase: 'Running' } });
    expect(await kubectl().ok('get pod web -o yaml')).toContain('kind: Pod\n');
    expect(await kubectl().ok('get pods -o name')).toBe('pod/web\n');
    const columns = await kubectl().ok('get pod web -o custom-columns=N:.metadata.name');
    expect(columns).toBe('N\nweb\n');
    expect(await kubectl().ok("get pod web -o jsonpath='{.status.phase}'")).toContain('Running');
  });

  test('selectors by label and by field', async () => {
    expect(await kubectl().ok('get pods -l app=web -o name')).toBe('pod/web\n');
    expect(await kubectl().ok('get pods -l app!=web -o name')).toBe('');
    const running = '--field-selector status.phase=Running';
    expect(await kubectl().ok(`get pods ${running} -o name`)).toBe('pod/web\n');
  });

  test('describe shows containers, conditions and events', async () => {
    const text = await kubectl().ok('describe pod web');
    expect(text).toMatch(/Node: +node-\d\/172\.18\./);
    expect(text).toMatch(/PodScheduled +True/);
    expect(text).toMatch(/State: +Running/);
    expect(text).toContain('Successfully assigned default/web to node-');
  });

  test('events of a pod are listed', async () => {
    expect(await kubectl().ok('events --for pod/web')).toContain('Scheduled');
    expect(await kubectl().ok('get events')).toContain('Successfully assigned');
  });

  test('a watch shows a pod come and change', async () => {
    const watching = kubectl().until('get pods -w', 'watched   1/1');
    await kubectl().ok('create -f -', podYaml('watched'));
    const { printed, stop } = await watching;
    stop();
    expect(printed).toMatch(/watched +0\/1 +Pending/);
  });

  test('labels, annotations and images are changed', async () => {
    await kubectl().ok('label pod web tier=front');
    expect(await kubectl().ok('get pods -l tier=front -o name')).toBe('pod/web\n');
    expect(await kubectl().ok('annotate pod web note=hello')).toBe('pod/web annotated\n');
    expect(await kubectl().ok('set image pod/web main=other:2')).toBe('pod/web image updated\n');
    expect(await kubectl().refused('label pod web tier=back')).toContain('--overwrite is false');
  });

  test('what does not change says so', async () => {
    const patch = `'{"spec":{"hostname":"other"}}'`;
    const complaint = await kubectl().refused(`patch pod web -p ${patch}`);
    expect(complaint).toContain('The Pod "web" is invalid: spec: Forbidden: pod updates may not');
  });

  test('a gated pod shows its gate and is let go by a patch', async () => {
    const gates = '  schedulingGates:\n    - name: a.io/wait\n';
    await kubectl().ok('create -f -', podYaml('gated', gates));
    expect(await kubectl().ok('get pod gated')).toContain('SchedulingGated');
    const patch = `'[{"op":"remove","path":"/spec/schedulingGates"}]'`;
    await kubectl().ok(`patch pod gated --type=json -p ${patch}`);
    await kubectl().ok('wait --for=condition=Ready pod/gated --timeout=10s');
  });

  test('a pod that fits nowhere is described with the reason', async () => {
    const more = '      resources: { limits: { nvidia.com/gpu: "99" } }\n';
    await kubectl().ok('create -f -', podYaml('huge', more));
    const condition = 'condition=PodScheduled=False';
    await kubectl().ok(`wait --for=${condition} pod/huge --timeout=10s`);
    const text = await kubectl().ok('describe pod huge');
    expect(text).toContain('0/3 nodes are available: 3 Insufficient nvidia.com/gpu.');
    expect(text).toContain('FailedScheduling');
  });

  test('a pod is run, waited for and deleted', async () => {
    await kubectl().ok('run runner --image=nginx:1 --restart=Never');
    await kubectl().ok('wait --for=condition=Ready pod/runner --timeout=10s');
    expect(await kubectl().ok('delete pod runner')).toMatch(/^pod "runner" deleted/);
    expect(await kubectl().refused('get pod runner')).toContain('pods "runner" not found');
  });

  test('pods are deleted by selector, by force, and waited for', async () => {
    expect(await kubectl().ok('delete pods -l app=huge')).toContain('"huge" deleted');
    await kubectl().ok('delete pod gated --grace-period=0 --force');
    await kubectl().ok('delete pods --all --wait=false');
    await kubectl().ok('wait --for=delete pod/web --timeout=10s');
    expect(await kubectl().ok('get pods -o name')).toBe('');
  });
});
