// One simulated daemon of a node: watches its clique, announces itself by the label of its pod,
// brings its row in as its strategy says, and starts the process that uses the names when it may;
// the kubelet's probe then makes its pod ready. Beside it NVIDIA's kubelet plug-in asks the server
// whether the row of its node is Ready, as a workload that waits for it does.
import type { Random } from '#actors/ports.ts';
import { machineMs } from '../../observer/claims.ts';
import {
  type CliqueKey,
  cliqueLabel,
  cliqueName,
  cliquesIn,
  isUnique,
  podsIn,
  rowsOf,
} from '../clique.ts';
import { follow, type Followed } from '../follow.ts';
import type { Pace } from '../pace.ts';
import type { Strategy } from '../strategies.ts';
import { mergeType, type Wire } from '../wire.ts';
import { ApplyWriter } from './apply.ts';
import { UpdateWriter } from './update.ts';
import { View } from './view.ts';
import type { Writer, WriterOptions } from './writer.ts';

export interface DaemonSpec {
  readonly key: CliqueKey;
  readonly node: string;
  readonly pod: string;
  readonly uid: string;
  readonly address: string;
  /** After the common start. */
  readonly joinMs: number;
  /** When within a period the kubelet probes, from 0 to 1. */
  readonly probeAt: number;
}

export interface DaemonHands {
  readonly wire: Wire;
  /** Of all nodes together: their writes are the same whatever the strategy. */
  readonly kubelet: Wire;
  readonly plugin: Wire;
  readonly strategy: Strategy;
  readonly random: Random;
  readonly pace: Pace;
  /** It has seen everything it is to see. */
  readonly finished: () => void;
}

/** Of one daemon; what did not come to be is left out. */
export interface DaemonReport {
  readonly clique: string;
  readonly askMs: number;
  readonly agreed?: { readonly names: string; readonly atMs: number };
  readonly readyMs?: number;
  readonly localMs?: number;
}

export class Daemon {
  readonly #spec: DaemonSpec;
  readonly #hands: DaemonHands;
  readonly #view: View;
  readonly #writer: Writer | undefined;
  #followed: Followed | undefined;
  #askMs = 0;
  #isAnnounced = false;
  #localMs: number | undefined;
  #isStarted = false;
  #isFinished = false;
  #isClosed = false;

  constructor(spec: DaemonSpec, hands: DaemonHands) {
    this.#spec = spec;
    this.#hands = hands;
    this.#view = new View(spec.node, spec.key.size);
    this.#writer = writerOf(spec, hands, this.#view, () => this.#changed());
  }

  /** Its sockets are open and its watch is there, before anybody joins. */
  async open(): Promise<void> {
    const { wire } = this.#hands;
    const { key } = this.#spec;
    const query = { fieldSelector: `metadata.name=${cliqueName(key)}` };
    this.#followed = follow(wire, cliquesIn(key.namespace), query, (type, clique) => {
      if (type === 'DELETED') return this.#view.forget();
      this.#view.take(clique);
      this.#changed();
      if (this.#isAnnounced) this.#writer?.seen();
    });
    await this.#followed.listed;
  }

  /** Joins: the moment from which its times count. */
  async join(): Promise<void> {
    this.#askMs = machineMs();
    void this.#askForRow();
    await this.#announce();
    this.#isAnnounced = true;
    this.#writer?.start();
    this.#changed();
  }

  report(): DaemonReport {
    const { agreed, readyMs } = this.#view;
    return {
      clique: cliqueName(this.#spec.key),
      askMs: this.#askMs,
      ...(agreed === undefined ? {} : { agreed }),
      ...(readyMs === undefined ? {} : { readyMs }),
      ...(this.#localMs === undefined ? {} : { localMs: this.#localMs }),
    };
  }

  close(): void {
    this.#isClosed = true;
    this.#writer?.close();
    this.#followed?.close();
  }

  /** A daemon that cannot say who it is ends, and is started again at once here. */
  async #announce(): Promise<void> {
    const { key, pod } = this.#spec;
    const body = { metadata: { labels: { [cliqueLabel]: key.cliqueId } } };
    const path = `${podsIn(key.namespace)}/${pod}`;
    const request = { method: 'PATCH', path, contentType: mergeType, body } as const;
    while (!this.#isClosed) {
      const reply = await this.#hands.wire.request(request).catch(() => undefined);
      if (reply?.status === 200) return;
    }
  }

  #changed(): void {
    const { own, rows, readyMs, agreed } = this.#view;
    const isOwn = own !== undefined && own.ipAddress === this.#spec.address;
    if (!this.#isStarted && isOwn && isUnique(rows)) {
      this.#isStarted = true;
      this.#probe();
    }
    const isDone = readyMs !== undefined && agreed !== undefined && this.#localMs !== undefined;
    if (!isDone || this.#isFinished) return;
    this.#isFinished = true;
    this.#hands.finished();
  }

  /** Ready at the first probe that finds the process up. */
  #probe(): void {
    const { processMs, probeMs } = this.#hands.pace;
    const upMs = machineMs() + processMs;
    const first = this.#askMs + this.#spec.probeAt * probeMs;
    const periods = Math.max(0, Math.ceil((upMs - first) / probeMs));
    const atMs = first + periods * probeMs;
    setTimeout(() => void this.#becomeReady(), atMs - machineMs());
  }

  async #becomeReady(): Promise<void> {
    const { key, pod } = this.#spec;
    const status = { conditions: [{ type: 'Ready', status: 'True' }] };
    const path = `${podsIn(key.namespace)}/${pod}/status`;
    const contentType = 'application/strategic-merge-patch+json';
    await this.#hands.kubelet
      .request({ method: 'PATCH', path, contentType, body: { status } })
      .catch(() => undefined);
    if (!this.#isClosed) this.#writer?.ready();
  }

  async #askForRow(): Promise<void> {
    const { key, node } = this.#spec;
    const path = `${cliquesIn(key.namespace)}/${cliqueName(key)}`;
    const [first, most] = this.#hands.pace.askAgainMs;
    for (let waitMs = first; !this.#isClosed; waitMs *= 2) {
      const reply = await this.#hands.plugin
        .request({ method: 'GET', path })
        .catch(() => undefined);
      const own = rowsOf(reply?.body).find(({ nodeName }) => nodeName === node);
      if (own?.status === 'Ready') {
        this.#localMs = machineMs();
        return this.#changed();
      }
      await new Promise((again) => setTimeout(again, Math.min(waitMs, most)));
    }
  }
}

function writerOf(
  spec: DaemonSpec,
  { strategy, random, wire }: DaemonHands,
  view: View,
  changed: () => void,
): Writer | undefined {
  const { key, node, address, pod, uid } = spec;
  const owner = { pod, uid };
  const options: WriterOptions = {
    key,
    node,
    address,
    owner,
    strategy,
    random,
    wire,
    view,
    changed,
  };
  if (strategy.write === 'none') return undefined;
  return strategy.write === 'update' ? new UpdateWriter(options) : new ApplyWriter(options);
}
