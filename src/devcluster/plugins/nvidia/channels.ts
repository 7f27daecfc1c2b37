// The kubelet plugin of NVIDIA's DRA driver, as far as the controller sees it: a pod whose claim is
// for a channel of a ComputeDomain has its node labelled, once, and the last one that goes takes
// the label away (spec compute-domain 3.8). A node is in one domain at most; pods of another wait.
// Unlike there, a pod runs before the daemon of its node is ready. Part of the plug-in (index.ts).
import { domainLabel, label, type Target } from '#machines/nvidia/objects/labels.ts';
import { objectAt, objectsAt, textAt, textsAt } from '#machines/kubernetes/fields.ts';
import type { Stored } from '../../contract.ts';
import {
  asStored,
  isOk,
  nameOf,
  namespaceOf,
  nodeOf,
  okOrGone,
  uidOf,
} from '../../controllers/client.ts';
import type { Informer } from '../../controllers/informer.ts';
import type { Controller, ControllerContext } from '../../controllers/options.ts';
import { WorkQueue } from '../../controllers/work-queue.ts';

const templates = '/apis/resource.k8s.io/v1/resourceclaimtemplates';
const workload: Target = 'Workload';

/** A pod with claims from templates, on its node. */
interface Workload {
  /** Keys of the templates. */
  readonly templates: readonly string[];
  /** Whose channel it has; undefined: it waits for one, or is for none. */
  domain: string | undefined;
}

export class Channels implements Controller {
  readonly #context: ControllerContext;
  readonly #queue: WorkQueue;
  /** By node and UID of the pod. */
  readonly #workloads = new Map<string, Map<string, Workload>>();
  /** Domains whose label is held by pods of the node, by node. */
  readonly #held = new Map<string, string>();
  readonly #stops: (() => void)[] = [];
  /** Followed once a pod has such a claim: few clusters need it. */
  #templates: Informer | undefined;

  constructor(context: ControllerContext) {
    this.#context = context;
    this.#queue = new WorkQueue({
      clock: context.clock,
      parallel: 16,
      work: (node) => this.#work(node),
      failed: (node, error) =>
        context.log('warn', 'the label of a node failed', { node, error: String(error) }),
    });
    const { informers } = context;
    this.#stops.push(
      informers.at('/api/v1/pods').listen({
        seen: (pod) => this.#seen(pod),
        gone: (pod) => this.#gone(pod),
      }),
      informers.at('/api/v1/nodes').listen({ seen: (node) => this.#wake(nameOf(node)) }),
    );
  }

  get idle(): boolean {
    return this.#queue.idle;
  }

  stop(): void {
    this.#queue.stop();
    for (const stop of this.#stops) stop();
  }

  #seen(pod: Stored): void {
    const node = nodeOf(pod);
    const phase = textAt(objectAt(pod, 'status'), 'phase');
    if (phase === 'Succeeded' || phase === 'Failed') return this.#gone(pod);
    const keys = templatesOf(pod);
    if (node === '' || keys.length === 0) return;
    const here = this.#workloads.get(node) ?? new Map<string, Workload>();
    this.#workloads.set(node, here);
    if (here.has(uidOf(pod))) return;
    here.set(uidOf(pod), { templates: keys, domain: undefined });
    this.#follow();
    this.#queue.add(node);
  }

  #gone(pod: Stored): void {
    const node = nodeOf(pod);
    const here = this.#workloads.get(node);
    if (here?.delete(uidOf(pod)) !== true) return;
    if (here.size === 0) this.#workloads.delete(node);
    this.#queue.add(node);
  }

  /** A template may come after the pod, as its ComputeDomain does. */
  #follow(): void {
    if (this.#templates !== undefined) return;
    this.#templates = this.#context.informers.at(templates);
    const seen = (): void => {
      for (const node of this.#workloads.keys()) this.#wake(node);
    };
    this.#stops.push(this.#templates.listen({ seen }));
  }

  /** For the pods that wait: for a template, or for the label of another domain to go. */
  #wake(node: string): void {
    if (this.#of(node).some(({ domain }) => domain === undefined)) this.#queue.add(node);
  }

  async #work(name: string): Promise<void> {
    const answer = okOrGone('node', await this.#context.client.get(`/api/v1/nodes/${name}`));
    const node = asStored(answer.body);
    if (!isOk(answer) || node === undefined) return;
    let present = textsAt(node.metadata, 'labels')[domainLabel];
    const held = this.#held.get(name);
    if (held !== undefined && !this.#of(name).some(({ domain }) => domain === held)) {
      if (present === held) await this.#label(node, null);
      this.#held.delete(name);
      return this.#queue.add(name);
    }
    for (const pod of this.#of(name)) {
      const wanted = pod.domain === undefined ? this.#domainOf(pod) : undefined;
      if (wanted === undefined) continue;
      if (present === undefined) await this.#label(node, wanted);
      present ??= wanted;
      if (present !== wanted) continue;
      pod.domain = wanted;
      this.#held.set(name, wanted);
    }
  }

  #of(node: string): readonly Workload[] {
    return [...(this.#workloads.get(node)?.values() ?? [])];
  }

  #domainOf(pod: Workload): string | undefined {
    for (const key of pod.templates) {
      const template = this.#templates?.get(key);
      const labels = template === undefined ? {} : textsAt(template.metadata, 'labels');
      if (labels[label.target] === workload) return labels[domainLabel];
    }
    return undefined;
  }

  /** Refused where somebody has written the node since it was read. */
  async #label(node: Stored, value: string | null): Promise<void> {
    const resourceVersion = textAt(node.metadata, 'resourceVersion');
    const patch = { metadata: { resourceVersion, labels: { [domainLabel]: value } } };
    const path = `/api/v1/nodes/${nameOf(node)}`;
    okOrGone('label of a node', await this.#context.client.mergePatch(path, patch));
  }
}

const templatesOf = (pod: Stored): readonly string[] =>
  objectsAt(objectAt(pod, 'spec'), 'resourceClaims')
    .map((claim) => textAt(claim, 'resourceClaimTemplateName'))
    .filter((name) => name !== '')
    .map((name) => `${namespaceOf(pod)}/${name}`);
