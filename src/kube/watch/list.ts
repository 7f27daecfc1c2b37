// A complete list of a kind, page by page. The reflector calls it at the start and whenever a watch
// cannot be resumed; pages are handed over as they come, so no whole list is ever in memory.
import type { Clock } from '#actors/ports.ts';
import { apiVersionOf, useVersion, versionsOf, type Kind } from '#machines/kinds.ts';
import { object, textOf } from '#machines/kubernetes/json.ts';
import type { KubeObject } from '#machines/kubernetes/objects.ts';
import { failureOf, isSuccess, notAnswered, unreachable, type Failure } from '../errors.ts';
import { listPageTimeoutMs } from '../limits.ts';
import { listPath, type Scope } from '../paths.ts';
import type { KubeResponse, KubeTransport } from '../transport/transport.ts';
import { abortable } from './abortable.ts';
import { prune } from './prune.ts';

export interface ListRequest {
  readonly transport: KubeTransport;
  readonly clock: Clock;
  readonly kind: Kind;
  readonly pageSize: number;
  /** Absent: all objects of the kind that Coppice manages. */
  readonly scope?: Scope | undefined;
  readonly signal: AbortSignal;
  /** Asked at the last moment before a page is asked for; false: it is not, and the list fails with
   *  NOT_OWNER. */
  readonly isWanted?: (() => boolean) | undefined;
  /** The version that all pages will have, before the first of them. A failure ends the list. */
  readonly begin: (version: string) => Failure | undefined;
  /** `raw`: as it came. */
  readonly object: (object: KubeObject, raw: unknown) => void;
}

export type ListOutcome = { readonly ok: true; readonly version: string } | Failure;

/** Never rejects. GONE: the continue token expired half way, the list must start again. NOT_FOUND:
 *  the kind is served in no version that would do. */
export async function listAll(list: ListRequest): Promise<ListOutcome> {
  const refused = new Set<string>();
  for (;;) {
    const asked = apiVersionOf(list.kind);
    const outcome = await pages(list);
    if (outcome.ok || outcome.code !== 'NOT_FOUND') return outcome;
    refused.add(asked);
    if (!tryAnother(list.kind, asked, refused)) {
      const right = versionsOf(list.kind).join(' or ');
      return { ...outcome, message: `${outcome.message}; served should be ${right}` };
    }
  }
}

/**
 * Makes the best version that was not refused the one that all address. False where none is left:
 * then it is the best of all again, for the next attempt. One that another list has chosen
 * meanwhile stands.
 */
export function tryAnother(kind: Kind, asked: string, refused: ReadonlySet<string>): boolean {
  const versions = versionsOf(kind);
  const next = versions.find((version) => !refused.has(version));
  if (apiVersionOf(kind) === asked) useVersion(kind, next ?? versions[0]);
  return next !== undefined;
}

async function pages(list: ListRequest): Promise<ListOutcome> {
  let version: string | undefined;
  let token: string | undefined;
  do {
    const response = await page(list, token);
    if ('ok' in response) return response;
    const body = object(response.body);
    const metadata = object(body['metadata']);
    const { items } = body;
    const pageVersion = textOf(metadata['resourceVersion']);
    if (pageVersion === undefined || (items !== null && !Array.isArray(items))) {
      return noList(list.kind, response);
    }
    if (version === undefined) {
      const refused = list.begin(pageVersion);
      if (refused !== undefined) return refused;
    }
    version ??= pageVersion;
    for (const item of items ?? []) {
      const object = prune(list.kind, item);
      if (object !== undefined) list.object(object, item);
    }
    token = textOf(metadata['continue']);
  } while (token !== undefined && token !== '');
  return { ok: true, version };
}

/** The version at which a list would be now, for the price of one object. Never rejects. */
export async function probe(
  request: Omit<ListRequest, 'pageSize' | 'begin' | 'object'>,
): Promise<ListOutcome> {
  let version: string | undefined;
  const outcome = await listAll({
    ...request,
    pageSize: 1,
    begin: (of) => {
      version = of;
      return enough;
    },
    object: () => {},
  });
  return version === undefined ? outcome : { ok: true, version };
}

/** Ends a list after its first page. */
const enough = unreachable('no more was asked for');

const noList = (kind: Kind, response: KubeResponse): Failure => ({
  ok: false,
  code: 'SERVER_ERROR',
  message: `the answer (${response.status}) to a list of ${kind} objects held no list`,
});

/** The page, or a failure at the deadline or the abort even where the transport heeds no signal: a
 *  reflector must not hang on one lost answer. */
async function page(list: ListRequest, token: string | undefined): Promise<KubeResponse | Failure> {
  const { clock, transport, kind, pageSize, scope, signal, isWanted } = list;
  const path = listPath(kind, pageSize, token, scope);
  const outcome = await abortable<KubeResponse | Failure>(signal, (done) => {
    const giveUp = new AbortController();
    const cancelTimer = clock.at(clock.now() + listPageTimeoutMs, () => {
      giveUp.abort();
      done(unreachable(`a page of a list had no answer within ${listPageTimeoutMs} ms`));
    });
    void transport
      .request({ method: 'GET', path, signal: giveUp.signal, ...(isWanted && { isWanted }) })
      .then((response) => (isSuccess(response) ? response : failureOf(response)), notAnswered)
      .then(done)
      .finally(cancelTimer);
    return () => {
      cancelTimer();
      giveUp.abort();
    };
  });
  return outcome ?? unreachable('the list was stopped');
}
