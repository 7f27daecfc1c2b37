// The API server without a wire: takes a parsed request and says what to answer. Both transports
// call `handle`; faults and the request log are applied here, so they are the same for both.
import { objectAt, textAt } from '#machines/kubernetes/fields.ts';
import { isObject } from '#machines/kubernetes/json.ts';
import type { JsonObject } from '#machines/kubernetes/objects.ts';
import { adminUser } from '#src/devcluster/auth/user.ts';
import { faultOf } from '#src/devcluster/faults.ts';
import type { Fault, FaultPlan } from '#src/devcluster/faults.ts';
import type { RequestLog } from '#src/devcluster/requests.ts';
import { readDryRun, warningHeader } from './call.ts';
import type { Call, Core } from './call.ts';
import {
  ApiError,
  expired,
  methodNotAllowed,
  noSuchPath,
  statusOf,
  unauthorized,
} from './errors.ts';
import { act, requireVerb } from './verbs/verbs.ts';
import { readWatchOptions } from './verbs/watch.ts';
import type { WatchOptions } from './verbs/watch.ts';
import { mediaTypeOf, objectMediaTypes, readJson } from './wire/body.ts';
import { Documents, isOpen } from './wire/documents.ts';
import { negotiate } from './wire/negotiate.ts';
import type { Form } from './wire/negotiate.ts';
import { own, text } from './wire/reply.ts';
import type { Reply } from './wire/reply.ts';
import { parseAddress, parseTarget } from './wire/request.ts';
import type { Address, ApiRequest, Target } from './wire/request.ts';

/** What becomes of a request. */
export type Answer =
  | { readonly kind: 'reply'; readonly reply: Reply }
  /** Accepted: the transport starts it with `new Watch(call, options, output)`. */
  | {
      readonly kind: 'watch';
      readonly call: Call;
      readonly options: WatchOptions;
      readonly form: Form;
      /** A fault that ends it. */
      readonly drop: Extract<Fault, { kind: 'dropWatch' }> | undefined;
      /** A fault that has it begin, and end, with this Status. */
      readonly failure: JsonObject | undefined;
    }
  /** A fault broke the connection: there is no answer. */
  | { readonly kind: 'dropped' };

export class ApiServer {
  readonly core: Core;
  readonly #faults: FaultPlan;
  readonly #log: RequestLog;
  readonly #documents: Documents;
  readonly #bug: (error: unknown) => void;

  /** `bug` hears of errors that are the server's own fault (answered with 500). */
  constructor(core: Core, faults: FaultPlan, log: RequestLog, bug: (error: unknown) => void) {
    this.core = core;
    this.#faults = faults;
    this.#log = log;
    this.#documents = new Documents(core.registry);
    this.#bug = bug;
  }

  /** Never rejects. Without faults and webhooks all work is done before it returns. */
  async handle(request: ApiRequest): Promise<Answer> {
    const address = parseAddress(request.path);
    const target = parseTarget(request.method, address);
    let answer: Answer;
    try {
      answer = await this.#answer(request, address, target);
    } catch (error) {
      answer = { kind: 'reply', reply: this.#refusal(error) };
    }
    this.#record(request, address, target, answer);
    return answer;
  }

  async #answer(
    request: ApiRequest,
    address: Address,
    target: Target | undefined,
  ): Promise<Answer> {
    if (request.user === undefined && !isOpen(address.pathname)) throw unauthorized();
    if (target === undefined) return this.#document(request, address);
    const { registry } = this.core;
    const resource = registry.find(target.group, target.version, target.plural);
    if (resource === undefined) return { kind: 'reply', reply: this.#unknown(target) };
    const faults = this.#faults.isEmpty ? [] : this.#takeFaults(request, target, resource.kind);
    const call: Call = {
      core: this.core,
      request,
      target,
      query: address.query,
      resource,
      user: request.user ?? adminUser,
      dryRun: readDryRun(address.query.getAll('dryRun'), 'CreateOptions'),
      warnings: resource.deprecation === undefined ? [] : [resource.deprecation],
      behind: faultOf(faults, 'stale')?.versions ?? 0,
    };
    return warned(call, await this.#performOrRefuse(call, faults));
  }

  async #performOrRefuse(call: Call, faults: readonly Fault[]): Promise<Answer> {
    try {
      if (faults.length > 0) return await this.#performFaulty(call, faults);
      return await this.#perform(call);
    } catch (error) {
      return { kind: 'reply', reply: this.#refusal(error) };
    }
  }

  async #perform(call: Call): Promise<Answer> {
    if (call.target.verb === 'watch') return watchAnswer(call, []);
    return { kind: 'reply', reply: await act(call) };
  }

  async #performFaulty(call: Call, faults: readonly Fault[]): Promise<Answer> {
    const delay = faultOf(faults, 'delay');
    if (delay !== undefined) await this.#wait(delay.ms);
    if (faultOf(faults, 'dropRequest') !== undefined) return { kind: 'dropped' };
    const error = faultOf(faults, 'error');
    if (error !== undefined) throw injected(error);
    if (call.target.verb === 'watch') return watchAnswer(call, faults);
    if (faultOf(faults, 'expire') !== undefined) throw expired('too old resource version');
    const answer = await this.#perform(call);
    return faultOf(faults, 'dropReply') === undefined ? answer : { kind: 'dropped' };
  }

  #wait(ms: number): Promise<void> {
    const { clock } = this.core.environment;
    return new Promise((resolve) => clock.at(clock.now() + ms, () => resolve()));
  }

  #takeFaults(request: ApiRequest, target: Target, kind: string): Fault[] {
    const { verb, group, plural, subresource, namespace } = target;
    const name = target.name === '' && verb === 'create' ? sentName(request) : target.name;
    const user = request.user?.name ?? '';
    const subject = { verb, group, plural, kind, subresource, namespace, name, user };
    return this.#faults.take(subject, () => this.core.environment.random.next());
  }

  /** A group that is not built in has nobody who would answer with a Status. */
  #unknown({ group, version }: Target): Reply {
    const { all } = this.core.registry;
    const isOwn = all.some((row) => row.group === group && row.version === version && !row.custom);
    if (isOwn) throw noSuchPath();
    return pageNotFound;
  }

  #document({ method, headers }: ApiRequest, { pathname }: Address): Answer {
    if (method !== 'GET' && method !== 'HEAD') {
      throw methodNotAllowed();
    }
    return {
      kind: 'reply',
      reply: this.#documents.get(pathname, headers['accept']) ?? pageNotFound,
    };
  }

  #refusal(error: unknown): Reply {
    if (!(error instanceof ApiError)) {
      this.#bug(error);
      const why = error instanceof Error ? error.message : String(error);
      const message = `Internal error occurred: ${why}`;
      return own(statusOf({ code: 500, reason: 'InternalError', message }), 500);
    }
    const { retryAfterSeconds } = error.parts;
    const headers: Record<string, string> =
      retryAfterSeconds === undefined ? {} : { 'retry-after': String(retryAfterSeconds) };
    return own(error.toStatus(), error.code, headers);
  }

  #record(request: ApiRequest, address: Address, target: Target | undefined, answer: Answer): void {
    this.#log.record({
      verb: target?.verb ?? request.method.toLowerCase(),
      group: target?.group ?? '',
      resource: target?.plural ?? '',
      subresource: target?.subresource ?? '',
      namespace: target?.namespace ?? '',
      name: target?.name ?? '',
      code: answer.kind === 'reply' ? answer.reply.status : answer.kind === 'watch' ? 200 : 0,
      user: request.user?.name ?? '',
      userAgent: request.headers['user-agent'] ?? '',
      dryRun: address.query.has('dryRun'),
      at: this.core.environment.clock.now(),
    });
  }
}

const pageNotFound: Reply = { ...text('404 page not found\n'), status: 404 };

/** Refusals bring what was warned of too. */
function warned(call: Call, answer: Answer): Answer {
  if (answer.kind !== 'reply' || call.warnings.length === 0) return answer;
  const headers = { ...answer.reply.headers, ...warningHeader(call) };
  return { kind: 'reply', reply: { ...answer.reply, headers } };
}

function watchAnswer(call: Call, faults: readonly Fault[]): Answer {
  requireVerb(call);
  const form = negotiate(call.request.headers['accept']);
  const options = readWatchOptions(call, faultOf(faults, 'lagWatch')?.ms ?? 0);
  const failed = faultOf(faults, 'expire') !== undefined;
  return {
    kind: 'watch',
    call,
    options,
    form,
    drop: faultOf(faults, 'dropWatch'),
    failure: failed ? expired('too old resource version').toStatus() : undefined,
  };
}

function injected(fault: Extract<Fault, { kind: 'error' }>): ApiError {
  const { code, reason = '', message = `injected fault: ${code}`, retryAfterSeconds } = fault;
  return new ApiError({
    code,
    reason,
    message,
    ...(retryAfterSeconds === undefined ? {} : { retryAfterSeconds }),
  });
}

/** The name in the body of a create, as far as it can be read. */
function sentName(request: ApiRequest): string {
  const { body } = request;
  if (body.kind === 'none' || !['', ...objectMediaTypes].includes(mediaTypeOf(request))) return '';
  try {
    const value = readJson(request, objectMediaTypes);
    return isObject(value) ? textAt(objectAt(value, 'metadata'), 'name') : '';
  } catch {
    return '';
  }
}
