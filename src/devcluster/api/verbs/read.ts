// GET of one object and of a list, as an object, a Table or metadata alone. Called by verbs.ts.
import type { Stored } from '#src/devcluster/contract.ts';
import { collectionOf } from '../call.ts';
import type { Call } from '../call.ts';
import { once, type Soon } from '../conversion.ts';
import { notFound, versionTooLarge } from '../errors.ts';
import { nameOf } from '../store/collection.ts';
import { shownAs } from '../store/versions.ts';
import { negotiate } from '../wire/negotiate.ts';
import { renderList, renderObject } from '../wire/render.ts';
import type { Reply } from '../wire/reply.ts';
import { readVersion } from './list-options.ts';
import { listPage } from './list.ts';

export function get(call: Call): Soon<Reply> {
  const form = negotiate(call.request.headers['accept']);
  const version = readVersion(call.query.get('resourceVersion') ?? '', 'other') ?? 0;
  const current = call.core.store.version;
  if (version > current) throw versionTooLarge(version, current);
  const object = find(call);
  if (object === undefined) throw notFound(call.resource, call.target.name);
  return once(shownAs(call, object), (shown) => renderObject(call, shown, form));
}

/** The live object, or an older one when a fault has the server lag behind. */
function find(call: Call): Stored | undefined {
  const { namespace, name } = call.target;
  if (call.behind === 0) return collectionOf(call).get(namespace, name);
  const version = Math.max(1, call.core.store.version - call.behind);
  const then = collectionOf(call).listAt(version, namespace);
  return then?.find((object) => nameOf(object) === name);
}

export function list(call: Call): Soon<Reply> {
  const form = negotiate(call.request.headers['accept']);
  return once(listPage(call), (page) => renderList(call, page, form));
}
