// What the client can read: plain objects, server-side Tables or only their metadata, by the Accept
// header. Protobuf alone is refused; with JSON beside it, JSON is what it gets.
import { notAcceptable } from '../errors.ts';

export type Form = 'object' | 'table' | 'metadata';

const readable = ['application/json', 'application/yaml', '*/*', 'application/*'];

/** The first form in the header that the server can make; no header: plain objects. */
export function negotiate(accept: string | undefined): Form {
  if (accept === undefined || accept.trim() === '') return 'object';
  for (const range of accept.split(',')) {
    const [type = '', ...parameters] = range.split(';').map((part) => part.trim());
    if (!readable.includes(type.toLowerCase())) continue;
    const form = formOf(new Map(parameters.map(splitParameter)));
    if (form !== undefined) return form;
  }
  throw notAcceptable(['application/json', 'application/yaml']);
}

const splitParameter = (parameter: string): [string, string] => {
  const equals = parameter.indexOf('=');
  return equals < 0
    ? [parameter, '']
    : [parameter.slice(0, equals).trim(), parameter.slice(equals + 1).trim()];
};

function formOf(parameters: ReadonlyMap<string, string>): Form | undefined {
  const as = parameters.get('as');
  if (as === undefined) return 'object';
  if (parameters.get('g') !== 'meta.k8s.io') return undefined;
  const version = parameters.get('v');
  if (as === 'Table') return version === 'v1' ? 'table' : undefined;
  const metadata = as === 'PartialObjectMetadata' || as === 'PartialObjectMetadataList';
  return metadata && version === 'v1' ? 'metadata' : undefined;
}

/** True when the client would rather have YAML. */
export const wantsYaml = (accept: string | undefined): boolean =>
  accept !== undefined && (accept.split(',')[0] ?? '').trim().startsWith('application/yaml');
