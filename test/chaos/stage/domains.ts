// NVIDIA's ComputeDomains on a day of chaos: domains are made and deleted, nodes join and leave
// them, and daemons are started anew. It is also the kubelet plugins and the agents, which are not
// there: it labels nodes as workloads come and go, and says of each daemon in which clique it is.
import { setTimeout as pause } from 'node:timers/promises';
import type { Random } from '#actors/ports.ts';
import type { JsonObject } from '#machines/kubernetes/objects.ts';
import type { Stored } from '#src/devcluster/contract.ts';
import type { Store } from '#src/devcluster/api/store/store.ts';
import {
  cliqueLabel,
  cliqueOf,
  collections,
  daemonsIn,
  domainLabel,
  domainOf,
  driver,
  isGoing,
  nameOf,
  nodeOf,
  paths,
  user,
} from '#test/sim/cliques/objects.ts';
import { textAt, uidOf } from '#test/sim/fields.ts';
import { pick } from '#test/sim/users/workload.ts';
import { eventually } from '#test/support/eventually.ts';
import { driverObjects } from '../../e2e/real/nvidia-driver.ts';
import { type Ask, type Asking, askingAs } from './asking.ts';

/** Fewer than the nodes of one fabric: who comes last has to wait until one leaves. */
export const maxNodes = 3;

/** Section of the controllers' configuration. */
export const computeDomains: JsonObject = {
  driverNamespace: driver,
  image: 'registry.example/none:1',
  maxNodesPerImexDomain: maxNodes,
};

const names = ['mesh', 'rack', 'loom'] as const;
/** By domain, the nodes in the end: in one of them a node has no index. */
const ending: Readonly<Record<string, readonly string[]>> = {
  mesh: ['kwok-0', 'kwok-1', 'kwok-2', 'kwok-3', 'kwok-4'],
  rack: ['kwok-5'],
};
/** More than there are nodes: a claim outlives its daemon for a while. */
const devices = 60;
const agentsMs = 300;
const finishMs = 120_000;

export class Domains {
  readonly #ask: Ask;
  readonly #store: () => Store;
  readonly #random: Random;
  /** By node: the UID of the domain that it is to be of in the end. */
  readonly #wanted = new Map<string, string>();
  readonly #over = new AbortController();
  #agents: Promise<void> = Promise.resolve();

  constructor(options: Asking & { readonly store: () => Store; readonly random: Random }) {
    this.#ask = askingAs('the workloads', options);
    this.#store = options.store;
    this.#random = options.random;
  }

  /** What a driver brings, before a controller starts. Throws where it is refused. */
  async furnish(): Promise<void> {
    const namespace = { apiVersion: 'v1', kind: 'Namespace', metadata: { name: driver } };
    const all = driverObjects(driver, devices);
    for (const { path, body } of [{ path: '/api/v1/namespaces', body: namespace }, ...all]) {
      if (!(await this.#ask('POST', path, body))) throw new Error(`POST ${path} was refused`);
    }
  }

  async deploy(): Promise<void> {
    await this.#arrange();
    this.#agents = this.#work(this.#over);
  }

  /** One thing of a day. */
  async act(): Promise<void> {
    const acts: readonly (() => Promise<unknown>)[] = [
      ...Array.from({ length: 6 }, () => () => this.#join()),
      ...Array.from({ length: 4 }, () => () => this.#leave()),
      ...Array.from({ length: 2 }, () => () => this.#restart()),
      () => this.#create(pick(this.#random, names) ?? names[0]),
      () => this.#delete(),
    ];
    await pick(this.#random, acts)?.();
  }

  /** The same domains with the same nodes on every day, however it went. */
  async finish(): Promise<void> {
    for (const [node, uid] of await this.#arrange()) this.#wanted.set(node, uid);
  }

  /** Domains with their nodes as in the end; by node: the UID of its domain. */
  async #arrange(): Promise<ReadonlyMap<string, string>> {
    const arranged = new Map<string, string>();
    for (const [name, nodes] of Object.entries(ending)) {
      const domain = await eventually(
        `there: ComputeDomain ${name}`,
        () => this.#present(name),
        (one) => one !== undefined,
        finishMs,
      );
      const uid = uidOf(domain);
      for (const node of nodes) {
        const isDone = (done: boolean): boolean => done;
        await eventually(`of ${name}: ${node}`, () => this.#label(node, uid), isDone, finishMs);
        arranged.set(node, uid);
      }
    }
    return arranged;
  }

  /** Nodes that are not of the domain that they are to be of in the end. */
  get lostNodes(): readonly string[] {
    const nodes = this.#store().collection(collections.nodes);
    return [...this.#wanted]
      .filter(([node, uid]) => domainOf(nodes.get('', node)) !== uid)
      .map(([node, uid]) => `node ${node} is not of the ComputeDomain ${uid}`);
  }

  async end(): Promise<void> {
    this.#over.abort();
    await this.#agents;
  }

  // -- agents -------------------------------------------------------------------------------------

  async #work({ signal }: AbortController): Promise<void> {
    for (; !signal.aborted; await pause(agentsMs)) {
      const silent = daemonsIn(this.#store()).filter(
        (pod) => cliqueOf(pod) === undefined && textAt(pod, 'status', 'phase') === 'Running',
      );
      for (const pod of silent) {
        const labels = { [cliqueLabel]: fabricOf(nodeOf(pod)) };
        await this.#merge(`${paths.daemons}/${nameOf(pod)}`, { metadata: { labels } });
      }
    }
  }

  // -- workloads ----------------------------------------------------------------------------------

  #create(name: string): Promise<boolean> {
    return this.#ask('POST', paths.domains, {
      apiVersion: 'resource.nvidia.com/v1beta1',
      kind: 'ComputeDomain',
      metadata: { name, namespace: user },
      spec: { numNodes: 0, channel: { resourceClaimTemplate: { name: `${name}-channel` } } },
    });
  }

  /** Its nodes lose their label by the controller. */
  async #delete(): Promise<void> {
    const domain = pick(this.#random, this.#domains());
    if (domain !== undefined) await this.#ask('DELETE', `${paths.domains}/${nameOf(domain)}`);
  }

  async #join(): Promise<void> {
    const domain = pick(this.#random, this.#domains());
    const node = this.#node((of) => of === '');
    if (domain !== undefined && node !== undefined) await this.#label(node, uidOf(domain));
  }

  async #leave(): Promise<void> {
    const node = this.#node((of) => of !== '');
    if (node !== undefined) await this.#label(node, null);
  }

  /** Another daemon comes to its node. */
  async #restart(): Promise<void> {
    const pod = pick(this.#random, daemonsIn(this.#store()));
    if (pod !== undefined) await this.#ask('DELETE', `${paths.daemons}/${nameOf(pod)}`);
  }

  #label(node: string, uid: string | null): Promise<boolean> {
    return this.#merge(`${paths.nodes}/${node}`, { metadata: { labels: { [domainLabel]: uid } } });
  }

  #node(isIt: (domain: string) => boolean): string | undefined {
    const nodes = this.#store().collection(collections.nodes).list();
    const found = pick(
      this.#random,
      nodes.filter((node) => isIt(domainOf(node))),
    );
    return found === undefined ? undefined : nameOf(found);
  }

  #domains(): readonly Stored[] {
    const all = this.#store().collection(collections.domains).list(user);
    return all.filter((domain) => !isGoing(domain));
  }

  /** Undefined: it is asked for, and may have to wait until its predecessor is gone. */
  async #present(name: string): Promise<Stored | undefined> {
    const there = this.#domains().find((domain) => nameOf(domain) === name);
    if (there === undefined) await this.#create(name);
    return there;
  }

  #merge(path: string, body: JsonObject): Promise<boolean> {
    return this.#ask('PATCH', path, body);
  }
}

/** Four nodes share one fabric, two the other. */
const fabricOf = (node: string): string =>
  `00000000-0000-4000-8000-00000000fab0.${Number(node.split('-')[1]) % 3 === 2 ? 2 : 1}`;
