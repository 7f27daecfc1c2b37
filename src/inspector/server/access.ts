// Who looks, and what they may: a token is reviewed by the API server, and what it says is believed
// for a minute at most (limits.ts). The token of the link of `npm start` is reviewed here. Commands
// are asked about each time. Made by start.ts.
import { createHash } from 'node:crypto';
import { putNewest } from '#actors/maps.ts';
import type { Answer, Clock } from '#actors/ports.ts';
import { refusal, type RefusedAnswer } from '#bus/answers.ts';
import { actorId, type ActorKey } from '#machines/contract/address.ts';
import type { KubeTransport } from '#src/kube/transport/transport.ts';
import {
  type Identity,
  notValid,
  type ResourceAttributes,
  reviewing,
  reviews,
} from '#src/questions/review.ts';
import { reviewBurst, reviewedMs, reviewRefillMs, viewersKnown } from './limits.ts';
import type { LocalAccess } from './local.ts';
import { Rates } from './rates.ts';
import { attributesOf, type Place, Rights } from './rights.ts';

export interface Viewer {
  readonly user: string;
  readonly token: string;
  /** May do everything, until the process ends. */
  readonly isLocal: boolean;
  /** As they were at the last review. */
  readonly rights: Rights;
}

type Known = Omit<Viewer, 'token'>;

/** Knows the user by name, and no token. */
const mayOf =
  (transport: KubeTransport, clock: Clock, who: Identity) =>
  async (attributes: ResourceAttributes): Promise<boolean> => {
    const asked = await reviewing(clock, async (signal) => {
      const { allowed } = await reviews(transport, signal).access(who, attributes);
      return { ok: true as const, allowed };
    });
    if (asked.ok) return asked.allowed;
    throw new Error(asked.answer.message);
  };

const digestOf = (token: string): string => createHash('sha256').update(token).digest('base64');

export type Entered =
  | { readonly ok: true; readonly viewer: Viewer }
  | { readonly ok: false; readonly answer: RefusedAnswer };

interface Options {
  readonly transport: KubeTransport;
  readonly clock: Clock;
  /** Undefined: only tokens of the cluster are taken. */
  readonly local?: LocalAccess | undefined;
}

export class Access {
  readonly #options: Options;
  /** By digest of the token: who reads the memory of the process shall find no token that nobody
   *  uses any more (S-3). */
  readonly #known = new Map<string, { readonly until: number; readonly viewer: Known }>();
  /** So that many requests with a new token make one review. */
  readonly #underWay = new Map<string, Promise<Entered>>();
  readonly #reviews: Rates;

  constructor(options: Options) {
    this.#options = options;
    this.#reviews = new Rates(options.clock, reviewBurst, reviewRefillMs);
  }

  /** Never rejects, as all of these. */
  async enter(token: string): Promise<Entered> {
    const { local, clock } = this.#options;
    if (local?.isSession(token) === true) return { ok: true, viewer: localViewer(token) };
    if (local?.isOfLink(token) === true) return { ok: false, answer: spent };
    const known = this.#known.get(digestOf(token));
    if (known !== undefined && known.until > clock.steady()) {
      return { ok: true, viewer: { ...known.viewer, token } };
    }
    if (!this.#underWay.has(token) && !this.#reviews.take('')) {
      return { ok: false, answer: refusal('THROTTLED', 'too many tokens are being reviewed') };
    }
    return this.renew(token);
  }

  /** Reviews the token anew; what was known of its user is forgotten. */
  renew(token: string): Promise<Entered> {
    const underWay = this.#underWay.get(token);
    if (underWay !== undefined) return underWay;
    this.#known.delete(digestOf(token));
    const review = this.#review(token).finally(() => this.#underWay.delete(token));
    this.#underWay.set(token, review);
    return review;
  }

  /** The one-time token for that of a session. One of the cluster stays as it is. */
  async trade(token: string): Promise<Answer> {
    const session = this.#options.local?.trade(token);
    if (session !== undefined) return { ok: true, data: { token: session } };
    const entered = await this.enter(token);
    return entered.ok ? { ok: true, data: { token } } : entered.answer;
  }

  /** Undefined: the user may list in all of these places that they may list in at all. */
  async learn({ rights }: Viewer, places: Iterable<Place>): Promise<RefusedAnswer | undefined> {
    try {
      return await rights.learn(places);
    } catch (error) {
      const why = error instanceof Error ? error.message : String(error);
      return refusal('SERVER_ERROR', why);
    }
  }

  /** Undefined: the user may do this with the object. */
  async refusal(viewer: Viewer, about: ActorKey, verb: string): Promise<RefusedAnswer | undefined> {
    const { isLocal, rights } = viewer;
    if (isLocal || (verb === 'get' && rights.mayGet(about))) return undefined;
    const judged = await this.#asking(viewer.token, async (who, may) => {
      if (who === undefined) return { ok: false as const, answer: notValid };
      const attributes = attributesOf(about, verb, about.name);
      if (await may(who, attributes)) return { ok: true as const };
      const what = `${who.name} may not ${verb} ${attributes.resource}`;
      const message = `${what}, which is needed for ${actorId(about)}`;
      return { ok: false as const, answer: refusal('FORBIDDEN', message) };
    });
    if (!judged.ok) return judged.answer;
    if (verb === 'get') rights.gets(about);
    return undefined;
  }

  async #review(token: string): Promise<Entered> {
    const { transport, clock } = this.#options;
    const entered = await this.#asking(token, (who): Promise<Entered> => {
      if (who === undefined) return Promise.resolve({ ok: false, answer: notValid });
      const may = mayOf(transport, clock, who);
      const viewer = { user: who.name, token, isLocal: false, rights: new Rights(may) };
      return Promise.resolve({ ok: true, viewer });
    });
    if (!entered.ok) return entered;
    const until = clock.steady() + reviewedMs;
    const { token: _, ...viewer } = entered.viewer;
    putNewest(this.#known, digestOf(token), { until, viewer }, viewersKnown);
    return entered;
  }

  #asking<T>(
    token: string,
    judge: (
      who: Identity | undefined,
      may: (who: Identity, attributes: ResourceAttributes) => Promise<boolean>,
    ) => Promise<T>,
  ): Promise<T | { readonly ok: false; readonly answer: RefusedAnswer }> {
    const { transport, clock } = this.#options;
    return reviewing(clock, async (signal) => {
      const api = reviews(transport, signal);
      const may = async (who: Identity, attributes: ResourceAttributes): Promise<boolean> =>
        (await api.access(who, attributes)).allowed;
      return judge(await api.identify(token), may);
    });
  }
}

const spent = refusal(
  'UNAUTHORIZED',
  'the link of `npm start` lets one browser in, once: start it again for another link',
);

const localViewer = (token: string): Viewer => ({
  user: 'local',
  token,
  isLocal: true,
  rights: new Rights(),
});
