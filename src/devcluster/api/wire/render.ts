// Objects in the form that the client asked for: as they are, as rows of a Table, or as metadata
// only; single, as a list, or as the events of a watch.
import type { Json, JsonObject } from '#machines/kubernetes/objects.ts';
import type { Stored } from '#src/devcluster/contract.ts';
import { tableOf } from '#src/devcluster/schema/tables.ts';
import type { Call } from '../call.ts';
import { badRequest } from '../errors.ts';
import { apiVersionOf } from '../resources/registry.ts';
import { copyJson } from '../store/copy.ts';
import type { Page } from '../verbs/list.ts';
import type { Form } from './negotiate.ts';
import { own, stored } from './reply.ts';
import type { Reply } from './reply.ts';

const includes = ['Object', 'Metadata', 'None'] as const;
type Include = (typeof includes)[number];

function includeOf(query: URLSearchParams): Include {
  const asked = query.get('includeObject') || 'Metadata';
  const known = includes.find((each) => each === asked);
  if (known !== undefined) return known;
  throw badRequest(
    `unrecognized includeObject value: "${asked}"; supported: Object, Metadata, None`,
  );
}

export function renderObject(call: Call, object: Stored, form: Form, status = 200): Reply {
  if (form === 'table') return own(tableFor(call, [object]), status);
  if (form === 'metadata') return own(partialOf(object), status);
  return stored(object, status);
}

export function renderList(call: Call, page: Page, form: Form): Reply {
  const metadata: JsonObject = { resourceVersion: String(page.version) };
  // Lists of custom resources say so when nothing comes after them.
  if (call.resource.custom) metadata['continue'] = '';
  if (page.continueToken !== undefined) metadata['continue'] = page.continueToken;
  if (page.remaining !== undefined) metadata['remainingItemCount'] = page.remaining;
  if (form === 'table') return own({ ...tableFor(call, page.items), metadata });
  if (form === 'metadata') {
    const items = page.items.map(partialOf);
    const meta = { kind: 'PartialObjectMetadataList', apiVersion: 'meta.k8s.io/v1' };
    return own({ ...meta, metadata, items });
  }
  const { resource } = call;
  const head = { kind: resource.listKind, apiVersion: apiVersionOf(resource), metadata };
  return {
    status: 200,
    headers: {},
    body: { kind: 'list', head, items: page.items, bare: !resource.custom },
  };
}

/** The object of a watch event that is not passed as it is; the first Table names its columns. */
export function renderEvent(call: Call, object: Stored, form: Form, first: boolean): Json {
  if (form === 'metadata') return partialOf(object);
  const table = tableFor(call, [object]);
  return first ? table : { ...table, columnDefinitions: null };
}

function tableFor(call: Call, objects: readonly Stored[]): JsonObject {
  const { resource, core, query } = call;
  const includeObject = includeOf(query);
  const table = tableOf(resource, objects, { includeObject, now: core.environment.clock.now() });
  return { ...table };
}

const partialOf = (object: Stored): JsonObject => ({
  kind: 'PartialObjectMetadata',
  apiVersion: 'meta.k8s.io/v1',
  metadata: copyJson(object.metadata),
});
