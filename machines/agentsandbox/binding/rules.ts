// What `spec.additionalPodMetadata` of a claim must be (spec agent-sandbox 2.4.7), one row per
// rule, with examples that the tests go through. Judged by the claim's actor, which says so in its
// status, and by the pool's, which gives no member to a claim that breaks one.
import { own } from '../../kubernetes/json.ts';
import type { StringMap } from '../../kubernetes/json.ts';
import { checkLabelValue, checkQualifiedName } from '../../kubernetes/names.ts';
import { annotation } from '../objects/labels.ts';

export interface PodMetadata {
  readonly labels: StringMap;
  readonly annotations: StringMap;
}

export interface Surroundings {
  /** Domains of labels that claims may put on pods, in lower case. */
  readonly domains: readonly string[];
  /** Of the template; undefined: not known. */
  readonly template: PodMetadata | undefined;
}

interface Example {
  readonly labels?: StringMap;
  readonly annotations?: StringMap;
  readonly template?: Partial<PodMetadata>;
}

export interface MetadataRule {
  readonly id: string;
  /** Continues "It must ...". */
  readonly demands: string;
  readonly check: (asked: PodMetadata, around: Surroundings) => readonly string[];
  readonly accepts: Example;
  /** `also`: rules that cannot but refuse it too. */
  readonly refuses: Example & { readonly says: string; readonly also?: readonly string[] };
}

const each = (map: StringMap, check: (key: string, value: string) => readonly string[]) =>
  Object.entries(map).flatMap(([key, value]) => check(key, value));

const isIn = (domain: string, among: readonly string[]): boolean =>
  among.some((one) => domain === one || domain.endsWith(`.${one}`));

/** In lower case; empty: there is none. */
const domainOf = (key: string): string =>
  key.includes('/') ? (key.split('/')[0] ?? '').toLowerCase() : '';

const keys = (what: string, map: StringMap): readonly string[] =>
  each(map, (key) =>
    checkQualifiedName(key).map((complaint) => `${what} key "${key}": ${complaint}`),
  );

const systemDomains = ['kubernetes.io', 'k8s.io', 'agents.x-k8s.io'];

const conflicts = (what: string, asked: StringMap, there: StringMap = {}): readonly string[] =>
  each(asked, (key, value) => {
    const other = own(there, key);
    return other === undefined || other === value
      ? []
      : [
          `metadata override conflict: ${what} "${key}" is defined in template with value ` +
            `"${String(other)}", but claim requests "${value}"`,
        ];
  });

export const metadataRules: readonly MetadataRule[] = [
  {
    id: 'M1',
    demands: 'have labels whose keys are qualified names',
    check: ({ labels }) => keys('label', labels),
    accepts: { labels: { 'sandbox.users.io/team': 'a' } },
    refuses: {
      labels: { 'sandbox.users.io/-team': 'a' },
      says: 'label key "sandbox.users.io/-team": name part',
    },
  },
  {
    id: 'M2',
    demands: 'have labels whose values are valid',
    check: ({ labels }) =>
      each(labels, (key, value) =>
        checkLabelValue(value).map((complaint) => `value of label "${key}": ${complaint}`),
      ),
    accepts: { labels: { 'sandbox.users.io/team': '' } },
    refuses: {
      labels: { 'sandbox.users.io/team': 'a b' },
      says: 'value of label "sandbox.users.io/team"',
    },
  },
  {
    id: 'M3',
    demands: 'have labels with a domain that the configuration lists, or one below it (R30)',
    check: ({ labels }, { domains }) =>
      each(labels, (key) =>
        isIn(domainOf(key), domains)
          ? []
          : [`label "${key}" has none of the domains that claims may use: ${domains.join(', ')}`],
      ),
    accepts: { labels: { 'eu.sandbox.users.io/team': 'a' } },
    refuses: {
      labels: { 'notsandbox.users.io/team': 'a' },
      says: 'label "notsandbox.users.io/team" has none of the domains',
    },
  },
  {
    id: 'M4',
    demands: 'not make a pod look like the router (R30)',
    check: ({ labels }) =>
      each(labels, (key, value) =>
        key === 'app' && value.toLowerCase() === 'sandbox-router'
          ? ['label "app" must not be "sandbox-router"']
          : [],
      ),
    accepts: { labels: { 'sandbox.users.io/app': 'sandbox-router' } },
    refuses: {
      labels: { app: 'Sandbox-Router' },
      says: 'label "app" must not be "sandbox-router"',
      also: ['M3'],
    },
  },
  {
    id: 'M5',
    demands: 'have annotations whose keys are qualified names',
    check: ({ annotations }) => keys('annotation', annotations),
    accepts: { annotations: { note: 'a b' } },
    refuses: { annotations: { 'a/b/c': '' }, says: 'annotation key "a/b/c"' },
  },
  {
    id: 'M6',
    demands: 'have annotations of no system domain, but for safe-to-evict (R30)',
    check: ({ annotations }) =>
      each(annotations, (key) =>
        key !== annotation.safeToEvict && isIn(domainOf(key), systemDomains)
          ? [`annotation "${key}" has a domain of the system`]
          : [],
      ),
    accepts: { annotations: { [annotation.safeToEvict]: 'false' } },
    refuses: {
      annotations: { 'extensions.agents.x-k8s.io/a': '' },
      says: 'annotation "extensions.agents.x-k8s.io/a" has a domain of the system',
    },
  },
  {
    id: 'M7',
    demands: 'give no label another value than the template (G9)',
    check: ({ labels }, { template }) => conflicts('label', labels, template?.labels),
    accepts: {
      labels: { 'sandbox.users.io/a': '1' },
      template: { labels: { 'sandbox.users.io/a': '1' } },
    },
    refuses: {
      labels: { 'sandbox.users.io/a': '2' },
      template: { labels: { 'sandbox.users.io/a': '1' } },
      says:
        'metadata override conflict: label "sandbox.users.io/a" is defined in template with value ' +
        '"1", but claim requests "2"',
    },
  },
  {
    id: 'M8',
    demands: 'give no annotation another value than the template (G9)',
    check: ({ annotations }, { template }) =>
      conflicts('annotation', annotations, template?.annotations),
    accepts: { annotations: { a: '1' }, template: { annotations: { a: '1' } } },
    refuses: {
      annotations: { a: '2' },
      template: { annotations: { a: '1' } },
      says:
        'metadata override conflict: annotation "a" is defined in template with value "1", ' +
        'but claim requests "2"',
    },
  },
];

/** What is wrong, for people; undefined: nothing. Most claims ask for none. */
export function errorOfMetadata(asked: PodMetadata, around: Surroundings): string | undefined {
  if (Object.keys(asked.labels).length + Object.keys(asked.annotations).length === 0) {
    return undefined;
  }
  const errors = metadataRules.flatMap(({ check }) => check(asked, around));
  return errors.length === 0 ? undefined : `invalid additionalPodMetadata: ${errors.join('; ')}`;
}
