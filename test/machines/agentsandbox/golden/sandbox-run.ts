// A scenario of a Sandbox as it runs: `box` is Ready and at rest, then users act and time passes
// (shaken.ts). Its pods are called by letters, in the order in which they were made: all have one
// name.
import { annotation } from '#machines/agentsandbox/objects/labels.ts';
import { conditionsOf } from '#machines/kubernetes/conditions.ts';
import { at, isObject, text } from '#machines/kubernetes/json.ts';
import type { JsonObject, KubeObject } from '#machines/kubernetes/objects.ts';
import { podRef, running, sandboxNamed, sandboxRef } from '#test/support/agentsandbox/samples.ts';
import { AgentSandboxWorld } from '#test/support/agentsandbox/world.ts';
import type { Fate } from '#test/support/late-writes.ts';
import type { WriteIntent } from '#test/support/world-store.ts';
import { checkArrival, checkEnd, checkOwners } from '../sandbox/invariants.ts';
import { Lines } from './record.ts';
import { Shaken } from './shaken.ts';

export class SandboxRun extends Shaken<Lines> {
  readonly #world = new AgentSandboxWorld({
    arrives: checkArrival,
    landed: (intent) => this.#landed(intent),
  });
  /** UIDs, in the order in which they were made. */
  readonly #pods: string[] = [];

  constructor(seed: number) {
    super(new Lines(), seed);
    this.#world.store.create(sandboxNamed('box'));
    this.begin();
  }

  /** Throws where something is not as it should be in the end. */
  check(): void {
    checkEnd(this.#world);
  }

  end(): readonly string[] {
    const pods = this.#world.store.all('Pod').map(({ metadata }) => this.#letterOf(metadata.uid));
    return [`box is ${saidOf(this.#world.store.get('Sandbox', 'box')?.['status'])}`, ...pods];
  }

  // -- what users do ------------------------------------------------------------------------------

  suspend(): void {
    this.#edit('box is suspended', { operatingMode: 'Suspended' });
  }

  resume(): void {
    this.#edit('box is resumed', { operatingMode: 'Running' });
  }

  #edit(what: string, spec: JsonObject): void {
    this.record.acted(what);
    this.#world.store.edit(sandboxRef('box'), { spec });
  }

  // -- the world ----------------------------------------------------------------------------------

  protected get version(): number {
    return this.#world.store.version;
  }

  protected get isQuiet(): boolean {
    return this.#world.store.isQuiet && this.#world.inFlight.length === 0;
  }

  protected get inFlight(): readonly WriteIntent[] {
    return this.#world.inFlight;
  }

  protected deliver(pick: number, isWhole: boolean): void {
    this.#world.deliver(pick, isWhole);
  }

  protected land(pick: number, fate: Fate): void {
    this.#world.land(pick, fate);
    checkOwners(this.#world);
  }

  /** Sandboxes ask for no lists. */
  protected list(): void {}

  /** Pods that are there now start or end; those of this second do so in the next. */
  protected steps(): (() => void)[] {
    const { store } = this.#world;
    return store.all('Pod').map(({ metadata: { name, deletionTimestamp } }) => () => {
      if (deletionTimestamp === undefined) store.edit(podRef(name), { status: running });
      else store.drop(podRef(name));
    });
  }

  protected kill(isLate: (place: number) => boolean): void {
    this.#world.restart(isLate);
  }

  protected tick(): void {
    this.#world.pass(1_000);
  }

  #landed(intent: WriteIntent): void {
    const what = this.#said(intent);
    if (this.isRecorded && what !== undefined) this.record.add('box', what);
  }

  #said(intent: WriteIntent): string | undefined {
    switch (intent.type) {
      case 'createObject':
        return `creates ${this.#letterOf(this.#pod?.metadata.uid)}`;
      case 'deleteObject':
        return `deletes ${this.#letterOf(intent.uid)}`;
      case 'writeStatus':
        return `says ${saidOf(intent.status)}`;
      case 'patchObject': {
        const annotations = at(intent.patch, 'metadata', 'annotations');
        if (!isObject(annotations) || !(annotation.podName in annotations)) return undefined;
        return annotations[annotation.podName] === null ? 'names no pod' : 'names its pod';
      }
    }
  }

  get #pod(): KubeObject | undefined {
    return this.#world.store.get('Pod', 'box');
  }

  #letterOf(uid = ''): string {
    if (!this.#pods.includes(uid)) this.#pods.push(uid);
    return `pod ${String.fromCodePoint(65 + this.#pods.indexOf(uid))}`;
  }
}

function saidOf(status: unknown): string {
  const said = conditionsOf(status)
    .filter(({ type }) => type === 'Ready' || type === 'Suspended')
    .map(({ type, status: is, reason }) => `${text(type)} ${text(is)} ${text(reason)}`);
  return said.toSorted().join(', ');
}
