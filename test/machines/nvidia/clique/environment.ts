// What happens around a clique in random histories: daemon pods come, move and go, NVIDIA's daemons
// write rows themselves, somebody spoils rows by hand, and the garbage collector works.
import type { OwnerReference } from '#machines/kubernetes/objects.ts';
import type { Row } from './invariants.ts';
import { cliqueID, labelledNode } from './objects.ts';
import { type Pod, ServerModel } from './server-model.ts';

export class Environment extends ServerModel {
  protected environment(): void {
    const node = this.pick(this.nodes()) ?? '';
    const pod = this.pick([...this.pods.values()]);
    const dice = this.random();
    if (dice < 0.3) return this.#start(node);
    if (dice < 0.34) return this.#collect();
    if (dice < 0.36) return this.deleteClique();
    if (dice < 0.4) return this.#relabel(node);
    if (pod === undefined) return;
    if (dice < 0.55) return this.#progress(pod);
    if (dice < 0.62) return this.#moveIp(pod);
    if (dice < 0.75) return this.#stop(pod);
    if (dice < 0.79) return this.remove(pod);
    if (dice < 0.87) return this.#insertItself(pod);
    if (dice < 0.92) return this.#writeReadiness(pod);
    if (dice < 0.95 && pod.deleting) return this.#removeItself(pod);
    if (dice > 0.96) this.#spoil();
  }

  /** A pod for a node that has none, or whose pod is terminating. */
  #start(node: string): void {
    const others = [...this.pods.values()].filter((pod) => pod.node === node && !pod.deleting);
    if (others.length > 0 || !this.labelled.has(node)) return;
    const podName = `daemon-${node}-${this.made++}`;
    const dice = this.random();
    const pod: Pod = {
      name: podName,
      node,
      ip: this.random() < 0.6 ? this.freshIp() : '',
      clique: dice < 0.6 ? cliqueID : undefined,
      isAgent: dice > 0.8,
      ready: false,
      deleting: false,
      created: this.made,
      held: undefined,
    };
    this.pods.set(podName, pod);
    this.note(`pod ${podName}`);
    this.touch(pod);
  }

  #progress(pod: Pod): void {
    if (pod.ip === '') pod.ip = this.freshIp();
    else if (pod.clique === undefined && !pod.isAgent) pod.clique = cliqueID;
    else pod.ready = !pod.deleting && !pod.ready;
    this.touch(pod);
  }

  #moveIp(pod: Pod): void {
    if (pod.ip === '' || pod.deleting) return;
    pod.ip = this.freshIp();
    this.touch(pod);
  }

  protected terminate(pod: Pod): void {
    pod.deleting = true;
    this.note(`terminate ${pod.name}`);
    this.touch(pod);
  }

  protected remove(pod: Pod): void {
    this.pods.delete(pod.name);
    this.note(`gone ${pod.name}`);
    this.tell('DaemonPod', this.podObject(pod), true);
  }

  /** NVIDIA's daemons remove their rows as soon as they are to stop. */
  #stop(pod: Pod): void {
    this.terminate(pod);
    if (this.random() < 0.5) this.#removeItself(pod);
  }

  #relabel(node: string): void {
    const isOn = this.labelled.delete(node);
    if (!isOn) this.labelled.add(node);
    this.tell('DomainNode', labelledNode(node), isOn);
  }

  /** Somebody gives a node by hand the index of another one, or one that is out of range. */
  #spoil(): void {
    const { clique, rows } = this;
    const [victim, other] = [this.pick(rows), this.pick(rows)];
    if (clique === undefined || victim === undefined || other === undefined) return;
    const index = victim === other ? 999 : other.index;
    const daemons = rows.map((row) => (row === victim ? { ...row, index } : row));
    this.persist({ ...clique, daemons }, `${victim.nodeName} gets ${index} by hand`, 'hand');
  }

  // -- NVIDIA's daemon and the garbage collector --------------------------------------------------

  #insertItself(pod: Pod): void {
    const { clique } = this;
    if (pod.deleting || pod.clique === undefined || pod.ip === '') return;
    if (clique === undefined) {
      return this.persist(this.created([], [ownerOf(pod)]), `${pod.name} creates`);
    }
    const rows = this.rows;
    const own = rows.find(({ nodeName }) => nodeName === pod.node);
    if (own !== undefined) {
      if (own.ipAddress === pod.ip) return;
      const next = rows.map((one) => (one === own ? { ...own, ipAddress: pod.ip } : one));
      return this.#persistRows(next, pod, `${pod.name} moves`);
    }
    const used = new Set(rows.map(({ index }) => index));
    const index = [...Array(this.options.maxNodes).keys()].find((one) => !used.has(one));
    if (index === undefined) return;
    const { node: nodeName, ip: ipAddress } = pod;
    const row: Row = { nodeName, ipAddress, cliqueID, index, status: 'NotReady' };
    this.#persistRows([...rows, row], pod, `${pod.name} inserts ${index}`);
  }

  #writeReadiness(pod: Pod): void {
    const status = pod.ready ? 'Ready' : 'NotReady';
    const own = this.rows.find(
      ({ nodeName, ipAddress }) => nodeName === pod.node && ipAddress === pod.ip,
    );
    if (own === undefined || own.status === status || pod.deleting || pod.isAgent) return;
    const next = this.rows.map((one): Row => (one === own ? { ...own, status } : one));
    this.#persistRows(next, undefined, `${pod.name} is ${status}`);
  }

  #removeItself(pod: Pod): void {
    const next = this.rows.filter(({ ipAddress }) => ipAddress !== pod.ip);
    if (next.length === this.rows.length || pod.isAgent) return;
    this.#persistRows(next, undefined, `${pod.name} leaves`);
  }

  #collect(): void {
    const clique = this.clique;
    const owners = clique?.metadata.ownerReferences ?? [];
    if (clique === undefined || owners.length === 0) return;
    const uids = new Set([...this.pods.values()].map(({ name: pod }) => `uid-${pod}`));
    const left = owners.filter(({ uid }) => uids.has(uid));
    if (left.length === owners.length) return;
    if (left.length === 0) return this.deleteClique();
    this.persist({ ...clique, metadata: { ...clique.metadata, ownerReferences: left } }, 'gc');
  }

  #persistRows(rows: readonly Row[], owner: Pod | undefined, why: string): void {
    const clique = this.clique;
    if (clique === undefined) return;
    const owners = clique.metadata.ownerReferences ?? [];
    const isOwner = owner === undefined || owners.some(({ uid }) => uid === `uid-${owner.name}`);
    const ownerReferences = isOwner ? owners : [...owners, ownerOf(owner)];
    this.persist(
      { ...clique, metadata: { ...clique.metadata, ownerReferences }, daemons: rows },
      why,
    );
  }
}

const ownerOf = ({ name: pod }: Pod): OwnerReference => ({
  apiVersion: 'v1',
  kind: 'Pod',
  name: pod,
  uid: `uid-${pod}`,
});
