// kubectl and everything around objects on the embedded cluster: discovery, explain, custom
// resources, scale, namespaces, nodes, tokens, permissions, raw requests.
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { crdFolder } from '#src/modules/crds.ts';
import { withKubectl } from './kubectl.ts';

const root = join(import.meta.dirname, '../../..');
const crds = crdFolder('grove');

withKubectl('kubectl on the cluster', (kubectl) => {
  test('the version of the server', async () => {
    expect(await kubectl().ok('version')).toMatch(/Server Version: v1\.35\./);
    expect(await kubectl().ok('cluster-info')).toContain('is running at');
  });

  test('the kinds that are served', async () => {
    const printed = await kubectl().ok('api-resources');
    expect(printed).toMatch(/^pods +po +v1 +true +Pod$/m);
    expect(printed).toMatch(/^leases +coordination\.k8s\.io\/v1 +true +Lease$/m);
    expect(await kubectl().ok('api-versions')).toContain('rbac.authorization.k8s.io/v1\n');
    const named = await kubectl().ok('api-resources --verbs=list --namespaced -o name');
    expect(named.split('\n')).toContain('pods');
  });

  test('fields of built-in kinds are explained', async () => {
    const printed = await kubectl().ok('explain pod.spec.containers.image');
    expect(printed).toMatch(/FIELD: image <string>/);
    expect(await kubectl().ok('explain deployment --recursive')).toContain('replicas\t<integer>');
  });

  test('custom resources are installed, explained and listed with their columns', async () => {
    expect(await kubectl().ok(`apply --server-side -f ${crds}`)).toContain('serverside-applied');
    const established = '--for=condition=Established crd/podcliquesets.grove.io --timeout=10s';
    await kubectl().ok(`wait ${established}`);
    expect(await kubectl().ok('explain podcliqueset.spec.replicas')).toContain('<integer>');
    expect(await kubectl().ok('get crds')).toContain('podcliquesets.grove.io');
    const sample = join(root, 'src/modules/grove/dev/demo.yaml');
    expect(await kubectl().ok(`apply -f ${sample}`)).toBe('podcliqueset.grove.io/demo created\n');
    expect(await kubectl().ok(`apply -f ${sample}`)).toBe('podcliqueset.grove.io/demo unchanged\n');
    expect(await kubectl().ok('get pcs')).toMatch(/^NAME +.*AGE/);
    expect(await kubectl().ok('describe pcs demo')).toContain('Kind:         PodCliqueSet');
  });

  test('a custom resource is scaled, with its precondition', async () => {
    const scaled = await kubectl().ok('scale pcs demo --replicas=5');
    expect(scaled).toBe('podcliqueset.grove.io/demo scaled\n');
    expect(await kubectl().ok('get pcs demo -o jsonpath={.spec.replicas}')).toBe('5');
    const wrong = await kubectl().refused('scale pcs demo --current-replicas=9 --replicas=1');
    expect(wrong).toContain('Expected replicas to be 9, was 5');
  });

  test('a custom resource that is wrong is refused by its schema', async () => {
    const patch = `'{"spec":{"replicas":"many"}}'`;
    const complaint = await kubectl().refused(`patch pcs demo --type=merge -p ${patch}`);
    expect(complaint).toContain('spec.replicas in body must be of type integer: "string"');
  });

  test('the status is edited apart', async () => {
    const patch = `'{"status":{"replicas":4}}'`;
    await kubectl().ok(`patch pcs demo --subresource=status --type=merge -p ${patch}`);
    expect(await kubectl().ok('get pcs demo -o jsonpath={.status.replicas}')).toBe('4');
    expect(await kubectl().ok('get pcs demo --subresource=status -o name')).toContain('demo');
  });

  test('custom resources are deleted and their kind with them', async () => {
    await kubectl().ok('delete pcs --all');
    expect(await kubectl().ok('get pcs -A')).toBe('');
  });

  test('a namespace is made, filled, listed across and deleted', async () => {
    await kubectl().ok('create namespace team');
    await kubectl().ok('create configmap one -n team --from-literal=k=v');
    expect(await kubectl().ok('get cm -A')).toMatch(/^team +one +1/m);
    expect(await kubectl().ok('get ns team')).toMatch(/team +Active/);
    await kubectl().ok('delete namespace team');
    expect(await kubectl().refused('get ns team')).toContain('namespaces "team" not found');
  });

  test('nodes are listed, cordoned and uncordoned', async () => {
    expect(await kubectl().ok('get nodes')).toMatch(/^node-0 +Ready +<none> +\d+s +v1\.35/m);
    expect(await kubectl().ok('describe node node-0')).toContain('nvidia.com/gpu:');
    await kubectl().ok('cordon node-0');
    expect(await kubectl().ok('get node node-0')).toContain('Ready,SchedulingDisabled');
    await kubectl().ok('uncordon node-0');
    await kubectl().ok('taint node node-1 gpu=only:NoSchedule');
    await kubectl().ok('taint node node-1 gpu-');
  });

  test('a secret, an account, a role and its binding', async () => {
    await kubectl().ok('create secret generic s --from-literal=password=x');
    expect(await kubectl().ok('get secret s')).toMatch(/s +Opaque +1 /);
    await kubectl().ok('create serviceaccount robot');
    await kubectl().ok('create role reader --verb=get,list --resource=pods');
    await kubectl().ok('create rolebinding reads --role=reader --serviceaccount=default:robot');
    expect(await kubectl().ok('describe rolebinding reads')).toContain('ServiceAccount  robot');
    expect(await kubectl().ok('create token robot')).toMatch(/^[\w-]+\.[\w-]+\.[\w-]+\s*$/);
  });

  test('who am I, and what may I', async () => {
    expect(await kubectl().ok('auth whoami')).toContain('kubernetes-admin');
    expect(await kubectl().ok('auth can-i create pods')).toBe('yes\n');
  });

  test('raw requests', async () => {
    expect(await kubectl().ok('get --raw /readyz')).toBe('ok');
    const version: unknown = JSON.parse(await kubectl().ok('get --raw /version'));
    expect(version).toMatchObject({ major: '1' });
  });

  test('everything of a namespace at once', async () => {
    await kubectl().ok('create service clusterip front --tcp=80:8080');
    expect(await kubectl().ok('get all')).toContain('service/front');
  });

  test('a kind that is not served is told so', async () => {
    const complaint = await kubectl().refused('get nonsense');
    expect(complaint).toContain(`the server doesn't have a resource type "nonsense"`);
  });

  test('a deployment is accepted, though nobody runs it', async () => {
    await kubectl().ok('create deployment web --image=nginx:1 --replicas=2');
    expect(await kubectl().ok('get deploy web')).toMatch(/web +0\/2/);
    await kubectl().ok('scale deployment web --replicas=3');
  });
});
