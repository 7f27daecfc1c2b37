// The manifest for krew, held to what `krew install` and the index of krew ask of one: the fields
// of v1alpha2, as a JSON schema with krew's own patterns.
import { expect, test } from 'vitest';
import { parse } from 'yaml';
import { joinedManifest, krewManifest } from '#src/bundle/krew.ts';
import { isObject, list, object } from '#machines/kubernetes/json.ts';

interface Schema {
  readonly type: 'object' | 'array' | 'string';
  readonly pattern?: RegExp;
  readonly properties?: Readonly<Record<string, Schema>>;
  readonly required?: readonly string[];
  readonly items?: Schema;
}

const text = (pattern = /./): Schema => ({ type: 'string', pattern });
const all = (properties: Readonly<Record<string, Schema>>): Schema => ({
  type: 'object',
  properties,
  required: Object.keys(properties),
});

const file = all({ from: text(), to: text() });
const platform = all({
  selector: all({
    matchLabels: all({ os: text(/^(?:linux|darwin|windows)$/), arch: text(/^(?:amd64|arm64)$/) }),
  }),
  uri: text(/^https:\/\/\S+\.(?:tar\.gz|zip)$/),
  sha256: text(/^[a-f0-9]{64}$/),
  bin: text(/^[^/\s]+$/),
  files: { type: 'array', items: file },
});
const schema = all({
  apiVersion: text(/^krew\.googlecontainertools\.github\.com\/v1alpha2$/),
  kind: text(/^Plugin$/),
  metadata: all({ name: text(/^[\w-]+$/) }),
  spec: all({
    version: text(/^v\d+\.\d+\.\d+/),
    homepage: text(/^https:\/\//),
    shortDescription: text(/^.{1,50}[^.]$/),
    description: text(),
    platforms: { type: 'array', items: platform },
  }),
});

/** What of the value is not as the schema says. */
function problems(value: unknown, { type, ...is }: Schema, path = ''): readonly string[] {
  if (type === 'string') {
    return typeof value === 'string' && is.pattern?.test(value) === true ? [] : [path];
  }
  if (type === 'array') {
    const { items } = is;
    if (!Array.isArray(value) || value.length === 0 || items === undefined) return [path];
    return list(value).flatMap((item, index) => problems(item, items, `${path}[${index}]`));
  }
  if (!isObject(value)) return [path];
  const unknown = Object.keys(value).filter((name) => !Object.hasOwn(is.properties ?? {}, name));
  return [
    ...unknown.map((name) => `${path}.${name}`),
    ...Object.entries(is.properties ?? {}).flatMap(([name, one]) =>
      problems(object(value)[name], one, `${path}.${name}`),
    ),
  ];
}

const sha256 = 'a'.repeat(64);
const archives = [
  { platform: 'linux', arch: 'x64', name: 'kubectl-coppice-linux-x64.tar.gz', sha256 },
  { platform: 'darwin', arch: 'arm64', name: 'kubectl-coppice-darwin-arm64.tar.gz', sha256 },
  { platform: 'win32', arch: 'x64', name: 'kubectl-coppice-win32-x64.tar.gz', sha256 },
];

test('The manifest for krew is as krew wants it', () => {
  const manifest: unknown = parse(krewManifest('1.2.3', 'https://example.com/r/', archives));
  expect(problems(manifest, schema)).toEqual([]);
  expect(problems({ ...object(manifest), more: 1 }, schema)).toEqual(['.more']);
  expect(manifest).toMatchObject({
    spec: {
      platforms: [
        { uri: 'https://example.com/r/kubectl-coppice-linux-x64.tar.gz', bin: 'kubectl-coppice' },
        { selector: { matchLabels: { os: 'darwin', arch: 'arm64' } } },
        { selector: { matchLabels: { os: 'windows' } }, bin: 'kubectl-coppice.exe' },
      ],
    },
  });
});

test('The manifests of all platforms become one, and only of one release', () => {
  const of = (version: string, at: number): string =>
    krewManifest(version, 'https://example.com/r/', archives.slice(at, at + 1));
  const joined = joinedManifest([of('1.2.3', 0), of('1.2.3', 1), of('1.2.3', 2)]);
  expect(parse(joined)).toEqual(parse(krewManifest('1.2.3', 'https://example.com/r/', archives)));
  expect(() => joinedManifest([of('1.2.3', 0), of('1.2.4', 1)])).toThrow('not of one release');
});
