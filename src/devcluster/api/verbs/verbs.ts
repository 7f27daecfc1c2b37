// Which function answers which verb of which resource or subresource. The table of resources says
// what is allowed; this says how it is done.
import type { Call } from '../call.ts';
import { methodNotAllowed, noSuchPath } from '../errors.ts';
import { finalize, requestToken } from '../subresources/others.ts';
import { bind, bindNamed, evict, log } from '../subresources/pods.ts';
import { getScale, patchScale, updateScale } from '../subresources/scale.ts';
import type { Reply } from '../wire/reply.ts';
import { create } from './create.ts';
import { remove, removeMany } from './delete.ts';
import { patch } from './patch.ts';
import { get, list } from './read.ts';
import { isReview, review } from './reviews.ts';
import { update } from './update.ts';

type Act = (call: Call) => Reply | Promise<Reply>;
type Acts = Readonly<Record<string, Act>>;

const main: Acts = {
  get,
  list,
  create,
  update,
  patch,
  delete: remove,
  deletecollection: removeMany,
};

/** Subresources that show and change the object itself, each in its own part. */
const own: Acts = { get, update, patch };

const subresources: Readonly<Record<string, Acts>> = {
  status: own,
  resize: own,
  ephemeralcontainers: own,
  scale: { get: getScale, update: updateScale, patch: patchScale },
  binding: { create: bind },
  eviction: { create: evict },
  log: { get: log },
  finalize: { update: finalize },
  token: { create: requestToken },
};

/** Answers everything but a watch; throws the refusals. */
export function act(call: Call): Reply | Promise<Reply> {
  const { resource, target } = call;
  if (target.subresource !== '') return actOn(call, subresources[target.subresource] ?? {});
  if (isReview(resource.group, resource.plural)) return actOn(call, { create: review });
  if (resource.group === '' && resource.plural === 'bindings') return bindings(call);
  return actOn(call, main);
}

/** The old address of bindings has no objects: they can only be posted. */
function bindings(call: Call): Promise<Reply> {
  if (call.target.name !== '') throw noSuchPath();
  if (call.target.verb !== 'create') throw methodNotAllowed();
  return bindNamed(call);
}

function actOn(call: Call, acts: Acts): Reply | Promise<Reply> {
  requireVerb(call);
  const chosen = acts[call.target.verb];
  if (chosen === undefined) throw methodNotAllowed();
  return chosen(call);
}

/** Throws unless the resource (or its subresource) serves the verb at this address. */
export function requireVerb({ resource, target }: Call): void {
  const sub = resource.subresources.find((each) => each.name === target.subresource);
  if (target.subresource !== '' && sub === undefined) throw noSuchPath();
  const verbs = sub?.verbs ?? resource.verbs;
  if (!verbs.includes(target.verb)) throw methodNotAllowed();
  const oneByOne = target.verb === 'update' || target.verb === 'patch';
  if (oneByOne && target.name === '') throw methodNotAllowed();
  const everywhere = target.verb === 'list' || target.verb === 'watch';
  const misplaced = resource.namespaced
    ? target.namespace === '' && !everywhere
    : target.namespace !== '';
  if (misplaced) throw target.verb === 'create' ? methodNotAllowed() : noSuchPath();
}
