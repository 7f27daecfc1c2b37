// The DaemonSet of a ComputeDomain: as NVIDIA's daemons need it, and never a second one.
import { describe, expect, it } from 'vitest';
import { at, list } from '#machines/kubernetes/json.ts';
import { childOf, labelOfDomain as label, labelsOf, mesh } from '#test/support/nvidia.ts';
import { NvidiaWorld } from '#test/support/nvidia-world.ts';
import { deployed, domain } from './sample.ts';

const daemons = `computedomain-daemon-${domain}`;
const madeBy = (world: NvidiaWorld): readonly string[] =>
  world.writes.filter((write) => write.startsWith('create'));

describe('The DaemonSet of a ComputeDomain', () => {
  const specOf = (world: NvidiaWorld): unknown =>
    at(world.find('DomainDaemonSet', daemons), 'spec', 'template', 'spec');
  const containerOf = (world: NvidiaWorld): unknown => list(at(specOf(world), 'containers'))[0];

  it('HC-58: selects the nodes of the domain, has no owner, and bears with every taint', () => {
    const world = deployed();
    const set = world.find('DomainDaemonSet', daemons);
    expect(set?.metadata).toMatchObject({
      namespace: 'driver',
      finalizers: [label],
      labels: { [label]: domain },
    });
    expect(set?.metadata.ownerReferences).toBeUndefined();
    expect(at(set, 'spec', 'selector')).toEqual({ matchLabels: { [label]: domain } });
    expect(at(set, 'spec', 'template', 'metadata')).toEqual({ labels: { [label]: domain } });
    const { containers: _, ...pod } = Object(specOf(world));
    expect(pod).toEqual({
      serviceAccountName: 'compute-domain-daemon-service-account',
      nodeSelector: { [label]: domain },
      tolerations: [
        { operator: 'Exists', effect: 'NoSchedule' },
        { operator: 'Exists', effect: 'NoExecute' },
        { operator: 'Exists', effect: 'PreferNoSchedule' },
      ],
      resourceClaims: [{ name: 'compute-domain-daemon', resourceClaimTemplateName: daemons }],
    });
  });

  it('HC-51: runs the daemon with what it needs to know, and probes it', () => {
    const container = containerOf(deployed());
    const check = { exec: { command: ['compute-domain-daemon', 'check'] }, timeoutSeconds: 10 };
    const ofPod = (name: string, fieldPath: string) => ({
      name,
      valueFrom: { fieldRef: { fieldPath } },
    });
    expect(container).toEqual({
      name: 'compute-domain-daemon',
      image: 'nvcr.io/driver:test',
      command: ['compute-domain-daemon', '-v', '$(LOG_VERBOSITY)', 'run'],
      env: [
        { name: 'LOG_VERBOSITY', value: '4' },
        { name: 'MAX_NODES_PER_IMEX_DOMAIN', value: '18' },
        ofPod('NODE_NAME', 'spec.nodeName'),
        ofPod('POD_IP', 'status.podIP'),
        ofPod('POD_UID', 'metadata.uid'),
        ofPod('POD_NAME', 'metadata.name'),
        ofPod('POD_NAMESPACE', 'metadata.namespace'),
        { name: 'NVIDIA_VISIBLE_DEVICES', value: 'void' },
        { name: 'FEATURE_GATES', value: 'ComputeDomainCliques=true,IMEXDaemonsWithDNSNames=true,' },
      ],
      resources: { claims: [{ name: 'compute-domain-daemon' }] },
      startupProbe: { ...check, periodSeconds: 1, failureThreshold: 1200 },
      livenessProbe: { ...check, periodSeconds: 60, failureThreshold: 20 },
      readinessProbe: { ...check, periodSeconds: 10, failureThreshold: 1 },
    });
  });

  it('HC-9, HC-76: has the secrets, the priority and the resources of the settings', () => {
    const world = deployed({
      settings: {
        imagePullSecrets: ['registry'],
        priorityClassName: 'system-node-critical',
        resources: { cpu: '100m', memory: '64Mi' },
      },
    });
    expect(specOf(world)).toMatchObject({
      imagePullSecrets: [{ name: 'registry' }],
      priorityClassName: 'system-node-critical',
    });
    expect(at(containerOf(world), 'resources')).toEqual({
      requests: { cpu: '100m', memory: '64Mi' },
      limits: { cpu: '100m', memory: '64Mi' },
      claims: [{ name: 'compute-domain-daemon' }],
    });
  });

  it('A-18: says on its pods that they restart IMEX by themselves, where they are ours', () => {
    const annotationsIn = (command: readonly string[]) => {
      const set = deployed({ settings: { command } }).find('DomainDaemonSet', daemons);
      return at(set, 'spec', 'template', 'metadata', 'annotations');
    };
    expect(annotationsIn(['/bin/clique-agent', 'run'])).toEqual({
      'coppice.dev/clique-agent': 'true',
    });
    expect(annotationsIn(['compute-domain-daemon', 'run'])).toBeUndefined();
  });

  it('tells our daemon where NATS is, and gives it what it needs to be let in', () => {
    const command = ['/bin/clique-agent', 'run'];
    const servers = ['nats://a:4222', 'nats://b:4222'];
    const specWith = (credentialsSecret: string, caSecret: string): unknown =>
      specOf(deployed({ settings: { command, agent: { servers, credentialsSecret, caSecret } } }));
    const variables = (spec: unknown): readonly unknown[] =>
      list(at(list(at(spec, 'containers'))[0], 'env')).filter((one) =>
        String(at(one, 'name')).startsWith('COPPICE_'),
      );
    const url = { name: 'COPPICE_NATS_URL', value: 'nats://a:4222,nats://b:4222' };
    const bare = specWith('', '');
    expect(variables(bare)).toEqual([url]);
    expect(bare).not.toHaveProperty('volumes');

    const full = specWith('credentials', 'authority');
    const folder = '/var/run/secrets/nats';
    expect(variables(full)).toEqual([
      url,
      { name: 'COPPICE_NATS_CREDENTIALS', value: `${folder}/nats.creds` },
      { name: 'COPPICE_NATS_CA', value: `${folder}/ca.crt` },
    ]);
    expect(full).toMatchObject({
      containers: [{ volumeMounts: [{ name: 'nats', mountPath: folder, readOnly: true }] }],
      volumes: [
        {
          name: 'nats',
          projected: {
            sources: [
              {
                secret: { name: 'credentials', items: [{ key: 'nats.creds', path: 'nats.creds' }] },
              },
              { secret: { name: 'authority', items: [{ key: 'ca.crt', path: 'ca.crt' }] } },
            ],
          },
        },
      ],
    });
  });

  it.each(['driver', 'older'])(
    'HC-56: is used as it is where one is in %s already',
    (namespace) => {
      const world = new NvidiaWorld();
      const set = childOf('DaemonSet', { namespace, name: 'daemon-x7k2' }, labelsOf(domain));
      world.create(mesh());
      world.create(set);
      world.stabilize();
      expect(madeBy(world)).toEqual(['create DomainClaimTemplate channels']);
      expect(world.find('DomainDaemonSet', 'daemon-x7k2', namespace)?.['spec']).toEqual({});
    },
  );

  it('is made where one with its label is in no namespace of the driver', () => {
    const world = new NvidiaWorld();
    world.create(mesh());
    world.create(childOf('DaemonSet', { namespace: 'demo', name: 'copied' }, labelsOf(domain)));
    world.stabilize();
    expect(madeBy(world)).toContain(`create DomainDaemonSet ${daemons}`);
  });

  it('that somebody deletes stays until the domain goes, and `why` says so', () => {
    const world = deployed();
    world.remove({ kind: 'DomainDaemonSet', namespace: 'driver', name: daemons });
    world.stabilize().pass(60_000);
    expect(world.find('DomainDaemonSet', daemons)?.metadata.finalizers).toEqual([label]);
    expect(world.why('computedomain', 'mesh')).toEqual([
      `DaemonSet driver/${daemons} was deleted by somebody; it stays until the domain goes`,
    ]);
  });
});
