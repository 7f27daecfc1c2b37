// Somebody changes templates in a simulation: an image or the environment of one PodClique, and
// soon after often something else of it, or back again, while the update still runs. The strategy
// changes on the way, and updates are paused; at the end of the bad day none is held any more.
import type { Random } from '#actors/ports.ts';
import type { Stored } from '#src/devcluster/contract.ts';
import { at, fieldsAt, listAt, numberAt, uidOf } from '../fields.ts';
import { nameOf } from '../oracles/complaints.ts';
import type { World } from '../world/world.ts';
import { cliques, sets } from './addresses.ts';
import { between, namespace, pick } from './workload.ts';

const kind = 'grove.io/podcliquesets';
const pause = 'grove.io/pause-update';
const images = ['registry.example/none:1', 'registry.example/none:2', 'registry.example/none:3'];
/** None, which is not the same as an empty one. */
const environments = [
  undefined,
  [{ name: 'LEVEL', value: 'low' }],
  [{ name: 'LEVEL', value: 'high' }],
];

type Edit = (set: Stored) => object;

export class TemplateEdits {
  readonly #world: World;
  readonly #random: Random;
  readonly #edits: readonly Edit[];

  constructor(world: World) {
    this.#world = world;
    this.#random = world.random('templates');
    const template = (set: Stored): object => this.#template(set);
    const strategy = (): object => this.#strategy();
    const pause = (): object => this.#pause();
    this.#edits = [template, template, template, template, strategy, pause];
  }

  /** Two edits of one set, mostly: the second comes while the first is carried out, or is a change
   *  back. */
  async act(): Promise<void> {
    const set = pick(this.#random, this.#all(kind));
    const edit = pick(this.#random, this.#edits);
    const soonMs = between(this.#random, 100, 6_000);
    const dice = this.#random.next();
    if (set === undefined || edit === undefined) return;
    const before = templateWith(listAt(set, 'spec', 'template', 'cliques'));
    await this.#merge(set, edit(set));
    if (dice < 0.3) return;
    const { clock } = this.#world;
    clock.at(clock.now() + soonMs, () => {
      const now = this.#world.cluster.store.collection(kind).get(namespace, nameOf(set));
      if (this.#world.isHealed || now === undefined || uidOf(now) !== uidOf(set)) return;
      void this.#merge(now, dice < 0.6 ? before : this.#template(now));
    });
  }

  /** Nothing holds an update any more: it is not paused, the controller replaces pods, and every
   *  gang can be placed, which none can that wants fewer pods than its minimum. */
  async makePeace(): Promise<void> {
    for (const set of this.#all(kind)) {
      const isPaused = at(set, 'metadata', 'annotations', pause) !== undefined;
      if (!isPaused && at(set, 'spec', 'updateStrategy') === undefined) continue;
      await this.#merge(set, { ...paused(null), spec: { updateStrategy: null } });
    }
    for (const clique of this.#all('grove.io/podcliques')) {
      const replicas = numberAt(clique, 'spec', 'minAvailable');
      if (numberAt(clique, 'spec', 'replicas') >= replicas) continue;
      await this.#patch(`${cliques}/${nameOf(clique)}/scale`, { spec: { replicas } });
    }
  }

  #all(resource: string): readonly Stored[] {
    return this.#world.cluster.store.collection(resource).list(namespace);
  }

  #template(set: Stored): object {
    const templates = listAt(set, 'spec', 'template', 'cliques');
    const changed = pick(this.#random, templates);
    const fields =
      this.#random.next() < 0.6
        ? { image: pick(this.#random, images) }
        : { env: pick(this.#random, environments) };
    return templateWith(
      templates.map((clique) => (clique === changed ? withFields(clique, fields) : clique)),
    );
  }

  #strategy(): object {
    const type = pick(this.#random, ['OnDelete', 'RollingRecreate']);
    return { spec: { updateStrategy: { type } } };
  }

  #pause(): object {
    return paused(pick(this.#random, ['true', null]) ?? null);
  }

  #merge(set: Stored, body: object): Promise<void> {
    return this.#patch(`${sets}/${nameOf(set)}`, body);
  }

  async #patch(path: string, body: object): Promise<void> {
    const contentType = 'application/merge-patch+json';
    const sent: unknown = JSON.parse(JSON.stringify(body));
    await this.#world.ask({ method: 'PATCH', path, contentType, body: sent });
  }
}

const paused = (value: string | null): object => ({
  metadata: { annotations: { [pause]: value } },
});

/** A merge patch replaces a list as a whole. */
const templateWith = (templates: readonly unknown[]): object => ({
  spec: { template: { cliques: templates } },
});

function withFields(clique: unknown, fields: object): unknown {
  const podSpec = fieldsAt(clique, 'spec', 'podSpec');
  const containers = listAt(podSpec, 'containers').map((one) => ({ ...fieldsAt(one), ...fields }));
  const spec = { ...fieldsAt(clique, 'spec'), podSpec: { ...podSpec, containers } };
  return { ...fieldsAt(clique), spec };
}
