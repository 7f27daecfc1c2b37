// Calls the webhook that converts custom resources, as a CustomResourceDefinition names it. Each
// object is converted once for all that read it in the same version. cluster.ts calls it once.
import { at, isObject, list, text } from '#machines/kubernetes/json.ts';
import type { JsonObject } from '#machines/kubernetes/objects.ts';
import type { PostReview } from './admission/index.ts';
import type { Convert } from './api/conversion.ts';
import { unexplained } from './api/errors.ts';
import type { ResourceInfo, Stored } from './contract.ts';

export interface ConversionWorld {
  readonly post: PostReview;
  /** An id for a review. */
  readonly newUid: () => string;
}

/** As long as a real server waits. */
const timeoutSeconds = 30;

type Known = Map<string, Promise<Stored>>;

export function webhookConversion(world: ConversionWorld): Convert {
  /** By the CRD's way to convert, so that another one begins anew. */
  const known = new WeakMap<JsonObject, WeakMap<Stored, Known>>();
  return async (resource, object, apiVersion) => {
    const { converter = {} } = resource.storage ?? {};
    const ofConverter = known.get(converter) ?? new WeakMap<Stored, Known>();
    known.set(converter, ofConverter);
    const ofObject: Known = ofConverter.get(object) ?? new Map();
    ofConverter.set(object, ofObject);
    const present = ofObject.get(apiVersion) ?? ask(world, { resource, object, apiVersion });
    ofObject.set(apiVersion, present);
    present.catch(() => ofObject.delete(apiVersion));
    return structuredClone(await present);
  };
}

interface Asked {
  readonly resource: ResourceInfo;
  readonly object: Stored;
  readonly apiVersion: string;
}

async function ask(world: ConversionWorld, asked: Asked): Promise<Stored> {
  const { resource, object, apiVersion } = asked;
  const of = `${text(object['apiVersion'])}, Kind=${resource.kind}`;
  const uid = world.newUid();
  const request = { uid, desiredAPIVersion: apiVersion, objects: [object] };
  const review = { kind: 'ConversionReview', apiVersion: 'apiextensions.k8s.io/v1', request };
  let answer: unknown;
  try {
    answer = await send(world, resource.storage?.converter ?? {}, review);
  } catch (error) {
    throw unexplained(`conversion webhook for ${of} failed: ${reasonOf(error)}`);
  }
  const complaint = complaintAbout(answer, uid);
  if (complaint !== undefined) {
    throw unexplained(`conversion webhook for ${of} failed: ${complaint}`);
  }
  const objects = list(at(answer, 'response', 'convertedObjects'));
  if (objects.length !== 1) {
    const count = `returned ${objects.length} objects, expected 1`;
    throw unexplained(`conversion webhook for ${of} ${count}`);
  }
  return checked(objects[0], asked, of);
}

async function send(
  { post }: ConversionWorld,
  converter: JsonObject,
  review: JsonObject,
): Promise<unknown> {
  const bundle = text(converter['caBundle']);
  const base = text(converter['url']);
  if (base === '') throw new Error('a Service cannot be reached: pods of this cluster do not run');
  const url = new URL(base);
  url.searchParams.set('timeout', `${timeoutSeconds}s`);
  const caBundle = bundle === '' ? undefined : Buffer.from(bundle, 'base64').toString('utf8');
  try {
    return await post({ url: url.href, caBundle, timeoutMs: timeoutSeconds * 1000 }, review);
  } catch (error) {
    throw new Error(`Post "${url.href}"`, { cause: error });
  }
}

function reasonOf(error: unknown): string {
  if (!(error instanceof Error)) return String(error);
  return error.cause === undefined ? error.message : `${error.message}: ${reasonOf(error.cause)}`;
}

function complaintAbout(answer: unknown, uid: string): string | undefined {
  if (at(answer, 'kind') !== 'ConversionReview') return 'the answer is no ConversionReview';
  const response = at(answer, 'response');
  if (!isObject(response)) return 'no response provided';
  const answered = text(response['uid']);
  if (answered !== uid) return `expected response.uid="${uid}", got "${answered}"`;
  const status = text(at(response, 'result', 'status'));
  if (status === 'Success') return undefined;
  const message = text(at(response, 'result', 'message'));
  return message === '' ? `response.result.status was '${status}', not 'Success'` : message;
}

/** What a webhook may not change, and what of metadata it may: labels and annotations. */
function checked(converted: unknown, { object, apiVersion }: Asked, of: string): Stored {
  const refuse = (why: string): never => {
    throw unexplained(`conversion webhook for ${of} returned invalid object: ${why}`);
  };
  if (!isObject(converted)) return refuse('it is no object');
  const got = text(converted['apiVersion']);
  if (got !== apiVersion) {
    refuse(`invalid groupVersion (expected ${apiVersion}, received ${got})`);
  }
  const { metadata } = converted;
  if (!isObject(metadata)) return refuse('missing metadata in converted object');
  const same: readonly (readonly [string, unknown, unknown])[] = [
    ['kind', object['kind'], converted['kind']],
    ...(['name', 'namespace'] as const).map(
      (field) => [field, object.metadata[field], metadata[field]] as const,
    ),
    ['UID', object.metadata['uid'], metadata['uid']],
  ];
  for (const [what, before, after] of same) {
    if (text(before) !== text(after)) {
      refuse(`must have the same ${what}: ${text(before)} != ${text(after)}`);
    }
  }
  const kept = { ...object.metadata };
  for (const field of ['labels', 'annotations'] as const) {
    const value = metadata[field];
    if (isObject(value) && Object.keys(value).length > 0) kept[field] = value;
    else delete kept[field];
  }
  return { ...converted, metadata: kept };
}
