// The user of a walk: creates the set, takes one step after another as somebody with kubectl would,
// and holds the API server to the answers that it must give. Used by run.ts.
import fc from 'fast-check';
import type { Random } from '#actors/ports.ts';
import { fieldErrorTexts } from '#machines/kubernetes/field-errors.ts';
import type { JsonObject } from '#machines/kubernetes/objects.ts';
import { findSetErrors } from '#src/admission/validate.ts';
import { viewSet } from '#src/admission/view.ts';
import type { Stored } from '#src/devcluster/contract.ts';
import type { KubeRequest, KubeResponse } from '#src/kube/transport/transport.ts';
import { baseSettings, replaced } from '#test/admission/examples.ts';
import { validSets } from '#test/admission/generate.ts';
import { fieldsAt, numberAt, textAt } from '../fields.ts';
import { sets } from '../users/addresses.ts';
import { namespace } from '../users/workload.ts';
import type { World } from '../world/world.ts';
import { drawStep, lastEdit, type Step } from './edits.ts';
import { ScaleWatch } from './scale-watch.ts';

const size = { replicas: 2, cliques: 4, pods: 3, groupReplicas: 2 };

/** Fast-check's first values are simple ones. */
const warmUp = 12;

export const drawSet = (seed: number): JsonObject =>
  fc.sample(validSets(size), { seed, numRuns: warmUp }).at(-1) ?? {};

/** Somebody else may write in between; a person would try again as often. */
const mostAttempts = 20;

export class Walker {
  readonly #world: World;
  readonly #random: Random;
  readonly #watch: ScaleWatch;
  readonly #name: string;

  constructor(world: World, set: JsonObject) {
    this.#world = world;
    this.#random = world.random('walk');
    this.#name = textAt(set, 'metadata', 'name');
    this.#watch = new ScaleWatch(world.cluster.store, (what) => this.#violate(what));
  }

  async create(set: JsonObject): Promise<void> {
    this.#watch.template(set);
    const { status, body } = await this.#world.ask({ method: 'POST', path: sets, body: set });
    if (status !== 201) this.#violate(`a valid set is refused: ${textAt(body, 'message')}`);
  }

  async step(): Promise<void> {
    const set = this.#set();
    if (set === undefined) return this.#violate('the set is gone');
    const step = drawStep(this.#random, this.#world.cluster.store, set);
    const { clock, trace } = this.#world;
    trace.note(clock.now(), `walks: ${JSON.stringify(step)}`);
    if (step.type === 'scale') return this.#scale(step);
    const before = JSON.stringify(desiredOf(set));
    const { sent, answer } = await this.#replace(set, step.values);
    if (step.type === 'refused') return this.#judgeRefusal(step, sent, answer, before);
    if (answer.status !== 200) {
      this.#violate(
        `an edit is refused: ${JSON.stringify([step, textAt(answer.body, 'message')])}`,
      );
    }
  }

  async finish(): Promise<void> {
    const set = this.#set();
    if (set !== undefined) await this.#replace(set, lastEdit);
  }

  /** As `kubectl edit`: what was read is sent back changed, and again after a conflict. */
  async #replace(set: Stored, values: Parameters<typeof replaced>[1]) {
    const path = `${sets}/${this.#name}`;
    let sent = replaced(copyOf(set), values);
    this.#watch.template(sent);
    let answer = await this.#world.ask({ method: 'PUT', path, body: sent });
    for (let n = 1; n < mostAttempts && answer.status === 409; n++) {
      sent = replaced(copyOf(this.#set() ?? set), values);
      answer = await this.#world.ask({ method: 'PUT', path, body: sent });
    }
    return { sent, answer };
  }

  async #scale(step: Extract<Step, { type: 'scale' }>): Promise<void> {
    const { path, name, replicas, how, refused } = step;
    if (refused === undefined) this.#watch.scaled(name, replicas);
    const send = (request: Omit<KubeRequest, 'path'>): Promise<KubeResponse> =>
      this.#world.ask({ path: `${path}/scale`, ...request });
    let answer: KubeResponse;
    let attempts = 0;
    do {
      if (how === 'patch') {
        const contentType = 'application/merge-patch+json';
        answer = await send({ method: 'PATCH', contentType, body: { spec: { replicas } } });
      } else {
        const { body } = await send({ method: 'GET' });
        answer = await send({
          method: 'PUT',
          body: replaced(copyOf(body), { 'spec.replicas': replicas }),
        });
      }
    } while (answer.status === 409 && ++attempts < mostAttempts);
    const message = textAt(answer.body, 'message');
    const isRight =
      answer.status === (refused?.status ?? 200) && message.includes(refused?.says ?? '');
    if (!isRight)
      this.#violate(`${JSON.stringify(step)} is answered with ${answer.status} ${message}`);
  }

  /** By that rule, in its words, and nothing is changed. */
  #judgeRefusal(
    step: Extract<Step, { type: 'refused' }>,
    sent: JsonObject,
    { status, body }: KubeResponse,
    before: string,
  ): void {
    const message = textAt(body, 'message');
    const what = `${JSON.stringify(step)} is answered with ${status} ${message}`;
    const set = this.#set();
    if (JSON.stringify(desiredOf(set)) !== before) this.#violate(`${what}, and is stored`);
    if (!message.includes(step.says)) this.#violate(what);
    if (step.rule === 'schema') return status === 422 ? undefined : this.#violate(what);
    const found = findSetErrors({
      set: viewSet(sent),
      old: viewSet(copyOf(set)),
      settings: baseSettings,
      found: {},
    });
    const isByWebhook =
      status === 403 &&
      message.includes('pcs.validating.webhooks.grove.io') &&
      found.every(({ error }) => message.includes(fieldErrorTexts([error])));
    const isByRule = found.some(({ rule }) => rule === step.rule);
    // What schema and CEL can decide is decided there, before the webhook is asked.
    if (isByRule && (isByWebhook || status === 422)) return;
    this.#violate(`${what}, by ${found.map(({ rule }) => rule).join(', ')}`);
  }

  #set(): Stored | undefined {
    return this.#world.cluster.store
      .collection('grove.io/podcliquesets')
      .get(namespace, this.#name);
  }

  #violate(what: string): void {
    this.#world.oracles.violate(`walk: ${what}`);
  }
}

/** As JSON has it. */
export const copyOf = (value: unknown): JsonObject =>
  JSON.parse(JSON.stringify(value ?? {})) as JsonObject;

/** What the user wants of it. */
export function desiredOf(set: unknown): JsonObject {
  const own = Object.entries(fieldsAt(set, 'metadata', 'annotations')).filter(
    ([key]) => !key.startsWith('foreign/'),
  );
  return copyOf({
    spec: fieldsAt(set, 'spec'),
    labels: fieldsAt(set, 'metadata', 'labels'),
    annotations: Object.fromEntries(own),
  });
}

export const replicasOf = (object: unknown): number => numberAt(object, 'spec', 'replicas');
