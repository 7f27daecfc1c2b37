// Applies manifests to a cluster as `kubectl apply --server-side` does: for `coppice dev`, which
// has no kubectl to lean on, and for tests. Whatever the server serves can be applied.
import { readFile } from 'node:fs/promises';
import { parseAllDocuments } from 'yaml';
import { CoppiceError, type ErrorCode } from '#machines/contract/errors.ts';
import { at, isObject, list, text, textOf } from '#machines/kubernetes/json.ts';
import type { KubeTransport } from '#src/kube/transport/transport.ts';

export interface Manifest {
  /** `file.yaml (document 2)`, for messages. */
  readonly origin: string;
  readonly apiVersion: string;
  readonly kind: string;
  readonly name: string;
  readonly namespace: string | undefined;
  readonly body: Readonly<Record<string, unknown>>;
}

const refuse = (origin: string, problem: string, code: ErrorCode = 'MALFORMED'): never => {
  throw new CoppiceError(code, `${origin}: ${problem}`);
};

/** Reads a YAML or JSON file with one or more documents. Throws MALFORMED with file and
 *  document. */
export async function readManifests(file: string): Promise<Manifest[]> {
  const content = await readFile(file, 'utf8').catch((error: unknown) =>
    refuse(file, `cannot be read: ${error instanceof Error ? error.message : String(error)}`),
  );
  const manifests: Manifest[] = [];
  for (const [index, document] of parseAllDocuments(content).entries()) {
    const origin = `${file} (document ${index + 1})`;
    const [error] = document.errors;
    if (error !== undefined) refuse(origin, error.message);
    const body = valueOf(document, origin);
    if (body !== null) manifests.push(manifestOf(origin, body));
  }
  if (manifests.length === 0) refuse(file, 'holds no manifest');
  return manifests;
}

/** Aliases are resolved here, and may lead nowhere. */
function valueOf(document: { toJS(): unknown }, origin: string): unknown {
  try {
    return document.toJS();
  } catch (error) {
    return refuse(origin, error instanceof Error ? error.message : String(error));
  }
}

/** Throws MALFORMED where it is no object of Kubernetes. */
export function manifestOf(origin: string, body: unknown): Manifest {
  if (!isObject(body)) {
    return refuse(origin, 'must be an object with apiVersion, kind and metadata.name');
  }
  const apiVersion = textOf(body['apiVersion']);
  const kind = textOf(body['kind']);
  const name = textOf(at(body, 'metadata', 'name'));
  if (apiVersion === undefined) {
    return refuse(origin, 'apiVersion is missing, e.g. grove.io/v1alpha1');
  }
  if (kind === undefined) return refuse(origin, 'kind is missing, e.g. PodCliqueSet');
  if (name === undefined) return refuse(origin, 'metadata.name is missing');
  const namespace = textOf(at(body, 'metadata', 'namespace'));
  return { origin, apiVersion, kind, name, namespace, body };
}

const rootOf = ({ apiVersion }: Manifest): string =>
  apiVersion.includes('/') ? `/apis/${apiVersion}` : `/api/${apiVersion}`;

/** Server-side apply, forced and strict about unknown fields. Returns the `namespace/name`. Throws
 *  MALFORMED for what the server finds invalid. */
export async function apply(
  transport: KubeTransport,
  manifest: Manifest,
  fieldManager = 'coppice-dev',
): Promise<string> {
  const query = `?fieldManager=${fieldManager}&force=true&fieldValidation=Strict`;
  const resource = await resourceOf(transport, manifest);
  const namespace = manifest.namespace ?? 'default';
  const scope = resource.namespaced ? `/namespaces/${encodeURIComponent(namespace)}` : '';
  const response = await transport.request({
    method: 'PATCH',
    path: `${rootOf(manifest)}${scope}/${resource.name}/${encodeURIComponent(manifest.name)}${query}`,
    contentType: 'application/apply-patch+yaml',
    body: manifest.body,
  });
  if (response.status >= 300) {
    const problem = `the API server answered ${response.status}: ${messageOf(response.body)}`;
    refuse(manifest.origin, problem, codeOf(response.status, response.body));
  }
  return resource.namespaced ? `${namespace}/${manifest.name}` : manifest.name;
}

/** To an apply with a field that the kind does not have, servers answer 500. Webhooks refuse with
 *  403; where they name fields, the manifest is what has to change. */
function codeOf(status: number, body: unknown): ErrorCode {
  if (status === 400 || status === 422 || status === 500) return 'MALFORMED';
  if (status === 403 && namesFields(body)) return 'MALFORMED';
  if (status === 403) return 'FORBIDDEN';
  return status === 404 ? 'NOT_FOUND' : 'SERVER_ERROR';
}

const namesFields = (body: unknown): boolean =>
  list(at(body, 'details', 'causes')).some((cause) => at(cause, 'field') !== undefined);

async function resourceOf(
  transport: KubeTransport,
  manifest: Manifest,
): Promise<{ readonly name: string; readonly namespaced: boolean }> {
  const { origin, apiVersion, kind } = manifest;
  const { body } = await transport.request({ method: 'GET', path: rootOf(manifest) });
  for (const row of list(at(body, 'resources'))) {
    const name = text(at(row, 'name'));
    if (at(row, 'kind') === kind && name !== '' && !name.includes('/')) {
      return { name, namespaced: at(row, 'namespaced') === true };
    }
  }
  return refuse(origin, `the cluster serves no kind ${kind} in ${apiVersion}`);
}

const messageOf = (body: unknown): string => textOf(at(body, 'message')) ?? JSON.stringify(body);
