// What is asked of kubectl, in this order, in one namespace: each line with its name, which is also
// the name of the file with the expected output.
import {
  documents,
  event,
  pod,
  podCliqueSet,
  runningStatus,
  service,
  settings,
} from './objects.ts';

export interface Command {
  readonly name: string;
  /** Words after `kubectl`; single quotes keep words together. */
  readonly line: string;
  /** What it reads from its standard input, for `-f -`. */
  readonly input?: string;
}

const command = (name: string, line: string, input?: string): Command =>
  input === undefined ? { name, line } : { name, line, input };

const creating: readonly Command[] = [
  command('create', 'create -f -', documents(pod, service, settings('slow'))),
  command('create-again', 'create -f -', settings('slow')),
  command('create-invalid', 'create -f -', pod.replaceAll('name: main', 'name: Main')),
  command('create-unknown-field', 'create -f -', pod.replace('containers:', 'kontainers:')),
  command('create-custom', 'create -f -', podCliqueSet(2)),
  command(
    'create-custom-invalid',
    'create -f -',
    podCliqueSet(2).replace('replicas: 2', 'replicas: many'),
  ),
  command('create-event', 'create -f -', event),
  command('create-dry-run', 'create configmap dry --from-literal=a=b --dry-run=server -o yaml'),
  command('create-secret', 'create secret generic keys --from-literal=a=b'),
  command('create-quota', 'create quota small --hard=pods=3'),
];

const reading: readonly Command[] = [
  command('get', 'get pods'),
  command('patch-status', `patch pod web --subresource=status --type=merge -p '${runningStatus}'`),
  command('get-wide', 'get pods -o wide'),
  command('get-yaml', 'get pod web -o yaml'),
  command('get-json', 'get pod web -o json'),
  command('get-names', 'get pods,services,configmaps,podcliquesets -o name'),
  command('get-several', 'get svc,cm,secrets,pcs'),
  command('get-custom-wide', 'get pcs -o wide'),
  command('get-custom-yaml', 'get pcs demo -o yaml'),
  command('get-managed-fields', 'get cm settings -o yaml --show-managed-fields'),
  command(
    'get-jsonpath',
    "get pods -o jsonpath='{range .items[*]}{.metadata.name}={.status.phase}{end}'",
  ),
  command(
    'get-columns',
    'get pods -o custom-columns=NAME:.metadata.name,IMAGE:.spec.containers[0].image',
  ),
  command('get-labels', 'get pods --show-labels -L tier'),
  command('get-selector', 'get pods,svc -l app=web,tier!=back -o name'),
  command('get-selector-none', 'get pods -l app=other'),
  command('get-field-selector', 'get pods --field-selector=status.phase=Running -o name'),
  command('get-field-selector-unknown', 'get pods --field-selector=spec.color=red'),
  command('get-missing', 'get pod nobody'),
  command('get-unknown-kind', 'get gizmos'),
  command('get-sorted', 'get cm --sort-by=.metadata.name -o name'),
  command('get-watch', 'get pods -w --request-timeout=1s'),
  command('describe-pod', 'describe pod web'),
  command('describe-service', 'describe service web'),
  command('describe-custom', 'describe pcs demo'),
  command('describe-configmap', 'describe cm settings'),
  command('events', 'events'),
  command('get-events', 'get events'),
];

const applied = settings('calm').replace('name: settings', 'name: applied');

const applying: readonly Command[] = [
  command('apply', 'apply -f -', applied),
  command('apply-unchanged', 'apply -f -', applied),
  command('apply-configured', 'apply -f - -o yaml', applied.replace('calm', 'wild')),
  command('apply-custom', 'apply -f -', podCliqueSet(3)),
  command('apply-invalid', 'apply -f -', service.replace('port: 80', 'port: 80000')),
  command('apply-server', 'apply --server-side --field-manager=one -f -', settings('quick')),
  command(
    'apply-server-force',
    'apply --server-side --field-manager=one --force-conflicts -f -',
    settings('quick'),
  ),
  command(
    'apply-server-conflict',
    'apply --server-side --field-manager=two -f -',
    settings('wild'),
  ),
  command('apply-server-custom', 'apply --server-side --force-conflicts -f -', podCliqueSet(4)),
  command('apply-server-dry-run', 'apply --server-side --dry-run=server -f -', applied),
  command('diff', 'diff -f -', settings('quick', '  more: yes please\n')),
  command('diff-none', 'diff -f -', settings('quick')),
];

const changing: readonly Command[] = [
  command('scale', 'scale pcs demo --replicas=5'),
  command('scale-precondition', 'scale pcs demo --current-replicas=2 --replicas=1'),
  command(
    'patch-strategic',
    `patch svc web -p '{"spec":{"ports":[{"port":80,"targetPort":8081}]}}'`,
  ),
  command('patch-merge', `patch pcs demo --type=merge -p '{"metadata":{"labels":{"team":"red"}}}'`),
  command(
    'patch-json',
    `patch cm settings --type=json -p '[{"op":"add","path":"/data/b","value":"c"}]'`,
  ),
  command(
    'patch-json-failed',
    `patch cm settings --type=json -p '[{"op":"test","path":"/data/b","value":"d"}]'`,
  ),
  command('patch-nothing', `patch cm settings --type=merge -p '{"data":{"b":"c"}}'`),
  command('patch-immutable', `patch pod web -p '{"spec":{"nodeSelector":{"a":"b"}}}'`),
  command('patch-strategic-custom', `patch pcs demo -p '{"spec":{"replicas":1}}'`),
  command('label', 'label pod web color=blue tier-'),
  command('label-taken', 'label pod web color=red'),
  command('label-overwrite', 'label pod web color=red --overwrite'),
  command('label-invalid', 'label pod web color=-'),
  command('annotate', 'annotate pcs demo example.com/seen=true'),
  command('set-image', 'set image pod/web main=registry.example/web:2'),
  command('replace', 'replace -f -', settings('replaced')),
  command('replace-missing', 'replace -f -', settings('x').replace('name: settings', 'name: none')),
  command('replace-immutable', 'replace -f -', pod.replace('cpu: 100m', 'cpu: 200m')),
  command('expose', 'expose pod web --name=exposed --port=81 --dry-run=server -o json'),
];

const discovering: readonly Command[] = [
  command('explain', 'explain pod.spec.containers.readinessProbe'),
  command('explain-custom', 'explain pcs.spec.template.cliques.spec'),
  command('explain-recursive', 'explain service.spec --recursive'),
  command('explain-unknown', 'explain pod.spec.color'),
  command('api-resources', 'api-resources --api-group=grove.io'),
  command('api-resources-wide', 'api-resources --api-group=apps -o wide'),
  command('api-resources-core', 'api-resources --api-group= --namespaced=true --verbs=list,watch'),
  command('api-versions', 'api-versions'),
  command('version', 'version'),
  command('can-i', 'auth can-i create pods'),
  command('raw', 'get --raw /readyz'),
];

const ending: readonly Command[] = [
  command('wait', 'wait pod web --for=condition=Ready --timeout=2s'),
  command('wait-jsonpath', "wait pod web --for=jsonpath='{.status.phase}'=Running --timeout=2s"),
  command('wait-in-vain', 'wait pod web --for=condition=Sunny --timeout=1s'),
  command('delete', 'delete pod web --grace-period=0 --force'),
  command('wait-gone', 'wait pod web --for=delete --timeout=5s'),
  command('delete-missing', 'delete pod web'),
  command('delete-ignored', 'delete pod web --ignore-not-found'),
  command('delete-several', 'delete svc/web cm/settings pcs/demo'),
  command('delete-selected', 'delete cm -l app=nothing'),
  command('delete-dry-run', 'delete cm applied --dry-run=server'),
  command('delete-stdin', 'delete -f -', applied),
];

export const commands: readonly Command[] = [
  ...creating,
  ...reading,
  ...applying,
  ...changing,
  ...discovering,
  ...ending,
];
