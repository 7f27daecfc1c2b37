// What a verb answers, before it is known whether the client sits behind HTTPS or in this process:
// stored objects are passed by reference and only copied or serialised at the very end, once.
import type { Json, JsonObject } from '#machines/kubernetes/objects.ts';
import type { Stored } from '#src/devcluster/contract.ts';
import { textsKept } from '../limits.ts';
import { copyJson } from '../store/copy.ts';

export type Body =
  /** Made for this answer alone. */
  | { readonly kind: 'own'; readonly value: Json }
  /** Belongs to the store. */
  | { readonly kind: 'stored'; readonly object: Stored }
  | {
      readonly kind: 'list';
      readonly head: JsonObject;
      readonly items: readonly Stored[];
      /** Items do not say their kind: lists of built-in kinds. */
      readonly bare: boolean;
    }
  | { readonly kind: 'text'; readonly text: string; readonly contentType: string };

export interface Reply {
  readonly status: number;
  /** Lower-case names. */
  readonly headers: Readonly<Record<string, string>>;
  readonly body: Body;
}

export const own = (value: Json, status = 200, headers: Reply['headers'] = {}): Reply => ({
  status,
  headers,
  body: { kind: 'own', value },
});

export const stored = (object: Stored, status = 200, headers: Reply['headers'] = {}): Reply => ({
  status,
  headers,
  body: { kind: 'stored', object },
});

export const text = (value: string, contentType = 'text/plain; charset=utf-8'): Reply => ({
  status: 200,
  headers: {},
  body: { kind: 'text', text: value, contentType },
});

/** The texts made last; when they are many, those that were not asked for since are dropped. */
let texts = new Map<Stored, string>();
let older = texts;

/** The JSON of a stored object, made once for all clients that read it at about the same time. */
export function jsonOf(object: Stored): string {
  const recent = texts.get(object);
  if (recent !== undefined) return recent;
  const made = older.get(object) ?? JSON.stringify(object);
  if (texts.size >= textsKept) {
    older = texts;
    texts = new Map();
  }
  texts.set(object, made);
  return made;
}

/** The body as it goes over the wire. */
export function bodyText(body: Body): string {
  if (body.kind === 'text') return body.text;
  if (body.kind === 'own') return JSON.stringify(body.value);
  if (body.kind === 'stored') return jsonOf(body.object);
  const head = JSON.stringify(body.head).slice(0, -1);
  return `${head},"items":[${body.items.map(body.bare ? bareJsonOf : jsonOf).join(',')}]}`;
}

/** Objects begin with what is left out here. */
function bareJsonOf(object: Stored): string {
  const { apiVersion, kind, ...rest } = object;
  const start = JSON.stringify({ apiVersion, kind }).slice(0, -1);
  const whole = jsonOf(object);
  return whole.startsWith(start) ? `{${whole.slice(start.length + 1)}` : JSON.stringify(rest);
}

function bareCopyOf(object: Stored): JsonObject {
  const { apiVersion: _version, kind: _kind, ...rest } = object;
  return copyJson<JsonObject>(rest);
}

const isJson = (contentType: string): boolean => contentType.startsWith('application/json');

/** The body for a client in this process: nothing in it is shared with the store. */
export function bodyValue(body: Body): Json {
  if (body.kind === 'text') return isJson(body.contentType) ? JSON.parse(body.text) : body.text;
  if (body.kind === 'own') return body.value;
  if (body.kind === 'stored') return copyJson(body.object);
  return {
    ...body.head,
    items: body.items.map((item) => (body.bare ? bareCopyOf(item) : copyJson(item))),
  };
}

export const contentTypeOf = (body: Body): string =>
  body.kind === 'text' ? body.contentType : 'application/json';
