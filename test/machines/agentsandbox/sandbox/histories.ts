// Histories that lead the charts of Sandboxes and of their templates through every state: told to
// whoever traces states. Used by states.test.ts.
import { label } from '#machines/agentsandbox/objects/labels.ts';
import { rfc3339 } from '#machines/kubernetes/time.ts';
import {
  controllerOfKind,
  podNamed,
  podRef,
  sandboxNamed,
  sandboxRef,
  serviceRef,
  templateNamed,
  tracked,
} from '#test/support/agentsandbox/samples.ts';
import { AgentSandboxWorld } from '#test/support/agentsandbox/world.ts';
import type { AgentSandboxOptions } from '#test/support/agentsandbox/world.ts';
import { begun, dropPod, edit, ready, readyBox, resume, suspend, there } from './kit.ts';

type Trace = NonNullable<AgentSandboxOptions['trace']>;

const claim = { metadata: { name: 'data' }, spec: {} };
const theirs = { labels: tracked('box'), ownerReferences: [controllerOfKind('Job', 'job', 'uid')] };
const adoptable = { labels: { [label.adoptable]: 'true' } };

function lifeOfSandbox(trace: Trace): void {
  const world = readyBox({
    spec: { service: true, volumeClaimTemplates: [claim] },
    options: { trace },
  });
  resume(suspend(world));
  dropPod(world);
  world.store.edit(serviceRef('box'), { spec: { selector: null } });
  edit(ready(world), { spec: { podTemplate: { metadata: { labels: { team: 'a' } } } } });
  edit(world, { spec: { service: false } });
  dropPod(suspend(world));
  resume(world);
  world.store.edit(sandboxRef('box'), { metadata: { finalizers: ['theirs/x'] } });
  world.store.remove(sandboxRef('box'));
  world.comeToRest();
  world.store.edit(sandboxRef('box'), { metadata: { finalizers: [] } });
  world.comeToRest();
}

function endsOfPods(trace: Trace): void {
  const world = readyBox({ options: { trace } });
  for (const phase of ['Succeeded', 'Failed']) {
    world.store.edit(podRef('box'), { status: { phase } });
    world.comeToRest();
  }
  dropPod(edit(world, { spec: { shutdownTime: rfc3339(world.now) } }));
}

function otherPods(trace: Trace): void {
  const service = { apiVersion: 'v1', kind: 'Service', spec: {} };
  const volume = { apiVersion: 'v1', kind: 'PersistentVolumeClaim', spec: {} };
  for (const metadata of [theirs, adoptable]) {
    const world = begun({
      spec: { service: true, volumeClaimTemplates: [claim] },
      options: { trace },
      before: [
        podNamed('box', metadata),
        { ...service, metadata: { name: 'box', namespace: 'demo', ...metadata } },
        { ...volume, metadata: { name: 'data-box', namespace: 'demo', ...metadata } },
      ],
    });
    suspend(world);
  }
}

function severalPods(trace: Trace): void {
  const world = readyBox({ options: { trace } });
  const uid = there(world, 'Sandbox', 'box')?.metadata.uid ?? '';
  const ownerReferences = [controllerOfKind('Sandbox', 'box', uid)];
  world.store.create(podNamed('second', { labels: tracked('box'), ownerReferences }));
  suspend(world.comeToRest());
}

function podThatIsNotNamed(trace: Trace): void {
  const world = readyBox({ options: { trace } });
  world.store.edit(sandboxRef('box'), { metadata: { annotations: null } });
  world.comeToRest();
}

function lifeOfTemplate(trace: Trace): void {
  const ref = { kind: 'SandboxTemplate', namespace: 'demo', name: 't' } as const;
  const policy = { kind: 'TemplatePolicy', namespace: 'demo', name: 't-network-policy' } as const;
  const world = new AgentSandboxWorld({ trace });
  world.store.create(templateNamed('t'));
  world.comeToRest();
  world.store.edit(ref, { spec: { networkPolicy: { egress: [{}] } } });
  world.comeToRest();
  world.store.edit(ref, { spec: { networkPolicyManagement: 'Unmanaged' } });
  world.comeToRest();
  const metadata = { name: policy.name, namespace: 'demo' };
  const apiVersion = 'networking.k8s.io/v1';
  world.store.create({ apiVersion, kind: 'NetworkPolicy', metadata, spec: {} });
  world.store.edit(ref, { spec: { networkPolicyManagement: 'Managed' } });
  world.comeToRest();
  world.store.edit(ref, { metadata: { finalizers: ['theirs/x'] } });
  world.store.remove(ref);
  world.comeToRest();
  world.store.edit(ref, { metadata: { finalizers: [] } });
  world.comeToRest();
}

/** Nothing of it was seen yet. */
function sandboxThatIsAwaited(trace: Trace): void {
  const world = new AgentSandboxWorld({ trace });
  const ownerReferences = [controllerOfKind('Sandbox', 'box', 'uid-x')];
  world.store.create(podNamed('box', { labels: tracked('box'), ownerReferences }));
  world.store.create(sandboxNamed('box'));
  world.comeToRest();
}

export const sandboxHistories: Readonly<Record<string, (trace: Trace) => void>> = {
  'the life of a Sandbox': lifeOfSandbox,
  'pods of a Sandbox that end': endsOfPods,
  'pods of the name of a Sandbox that are not its own': otherPods,
  'several pods of a Sandbox': severalPods,
  'a Sandbox that does not name its pod any more': podThatIsNotNamed,
  'a pod that is seen before its Sandbox': sandboxThatIsAwaited,
  'the life of a SandboxTemplate': lifeOfTemplate,
};
