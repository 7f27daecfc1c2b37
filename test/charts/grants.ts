// The permissions that the chart grants, rule by rule: read from the templates as they stand for
// tests without Helm, and from what Helm renders on the real control plane.
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { parseAllDocuments } from 'yaml';
import { at, list, text } from '#machines/kubernetes/json.ts';

export const chartFolder = fileURLToPath(new URL('../../charts/coppice', import.meta.url));

/** One verb on one resource; `name` is empty where all objects are meant. */
export interface Grant {
  /** In all namespaces, or in that of the release. */
  readonly scope: 'cluster' | 'namespace';
  readonly group: string;
  /** Plural, with the subresource after a slash. */
  readonly resource: string;
  readonly name: string;
  readonly verb: string;
  /** Switches of `coppice.on` that must be on, e.g. `authorizer certificates`; empty: always.
   *  `driver`: of the namespaces of NVIDIA's driver, only in that where DaemonSets are made. */
  readonly when: string;
}

/** For comparisons and messages: `[kai] cluster kai.scheduler/topologies get`. */
export const lineOf = ({ scope, group, resource, name, verb, when }: Grant): string =>
  `[${when}] ${scope} ${group}/${resource}${name === '' ? '' : ` "${name}"`} ${verb}`;

/** The same of many, whatever switches them, each once. */
export const withoutWhen = (grants: readonly Grant[]): readonly string[] =>
  [...new Set(grants.map((grant) => lineOf({ ...grant, when: '' })))].toSorted();

/** Secrets that the controller fills by itself, by the switch that grants them. */
const secrets: Readonly<Record<string, string>> = {
  certificates: 'grove-webhook-server-cert',
  questions: 'coppice-questions-cert',
};

/** With the names that values would give. */
export const named = (grants: readonly Grant[]): readonly Grant[] =>
  grants.map((grant) =>
    grant.name === 'rendered' ? { ...grant, name: secrets[grant.when] ?? '' } : grant,
  );

/** All that the templates can grant, with the switches that they ask. */
export function templateGrants(): readonly Grant[] {
  const folder = join(chartFolder, 'templates');
  const files = readdirSync(folder).filter((file) => /role\.yaml$/.test(file));
  return files.flatMap(grantsOfTemplate);
}

/** Those of one. */
export const grantsOfTemplate = (file: string): readonly Grant[] =>
  grantsIn(asYaml(readFileSync(join(chartFolder, 'templates', file), 'utf8')));

/** Of rendered manifests, where all conditions are decided; or of templates as YAML. With an
 *  account only of the roles that are bound to it. */
export function grantsIn(manifests: string, account?: string): readonly Grant[] {
  const objects = parseAllDocuments(manifests).map((document): unknown => document.toJS());
  const bound = new Set(objects.filter(binds(account)).map((each) => roleOf(at(each, 'roleRef'))));
  return objects.flatMap((object) => {
    const kind = text(at(object, 'kind'));
    if (kind !== 'ClusterRole' && kind !== 'Role') return [];
    const isBound = bound.has(`${kind} ${text(at(object, 'metadata', 'name'))}`);
    if (account !== undefined && !isBound) return [];
    const scope = kind === 'Role' ? 'namespace' : 'cluster';
    return list(at(object, 'rules')).flatMap((rule) => grantsOf(rule, scope));
  });
}

const roleOf = (reference: unknown): string =>
  `${text(at(reference, 'kind'))} ${text(at(reference, 'name'))}`;

const binds =
  (account: string | undefined) =>
  (object: unknown): boolean =>
    list(at(object, 'subjects')).some((subject) => at(subject, 'name') === account);

const texts = (rule: unknown, field: string): readonly string[] => list(at(rule, field)).map(text);

function grantsOf(rule: unknown, scope: Grant['scope']): readonly Grant[] {
  const when = text(at(rule, 'when'));
  const names = texts(rule, 'resourceNames');
  return texts(rule, 'apiGroups').flatMap((group) =>
    texts(rule, 'resources').flatMap((resource) =>
      (names.length > 0 ? names : ['']).flatMap((name) =>
        texts(rule, 'verbs').map((verb) => ({ scope, group, resource, name, verb, when })),
      ),
    ),
  );
}

/**
 * A template with everything on, each rule marked with the conditions that it stands under. It
 * understands what our templates have: `if` and `end` on lines of their own, lines that render
 * labels, and single values.
 */
function asYaml(template: string): string {
  const conditions: string[] = [];
  const lines = template.replace(/\{\{- \/\*.*?\*\/ -\}\}\n/s, '').split('\n');
  return lines
    .flatMap((line) => {
      const condition = /^\{\{- if (.*) \}\}$/.exec(line)?.[1];
      if (condition !== undefined) conditions.push(condition.replace(/^\$on\.|^eq \. \$/, ''));
      else if (line === '{{- end }}') conditions.pop();
      if (/^\s*\{\{-/.test(line)) return [];
      const isRule = line.startsWith('  - apiGroups:');
      const mark = isRule ? [`  - when: '${conditions.toSorted().join(' ')}'`] : [];
      const plain = isRule ? line.replace('  - ', '    ') : line;
      return [...mark, plain.replace(/\{\{.*?\}\}/g, 'rendered')];
    })
    .join('\n');
}
