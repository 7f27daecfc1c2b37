// One webhook of a configuration object, decoded, with the question whether it wants to hear of a
// request. Pure.
import { listAt, numberAt, objectAt, objectsAt, textAt } from '#machines/kubernetes/fields.ts';
import type { JsonObject } from '#machines/kubernetes/objects.ts';
import type { AdmissionAttempt } from '#src/devcluster/api/admission.ts';
import { parseSelectorObject } from '#src/devcluster/api/verbs/selectors.ts';
import type { ResourceInfo, Stored } from '#src/devcluster/contract.ts';

export interface Webhook {
  readonly name: string;
  /** Absent: `clientConfig.service`, then `service` says which. */
  readonly url: string | undefined;
  readonly service: JsonObject | undefined;
  /** PEM, decoded. */
  readonly caBundle: string | undefined;
  readonly rules: readonly JsonObject[];
  readonly failOpen: boolean;
  readonly exact: boolean;
  readonly reinvoke: boolean;
  readonly timeoutSeconds: number;
  readonly hasSideEffects: boolean;
  readonly reviewVersions: readonly string[];
  readonly namespaceSelector: JsonObject;
  readonly objectSelector: JsonObject;
  readonly conditions: readonly { readonly name: string; readonly expression: string }[];
}

const texts = (object: JsonObject, key: string): string[] =>
  listAt(object, key).filter((each) => typeof each === 'string');

function decode(webhook: JsonObject): Webhook {
  const client = objectAt(webhook, 'clientConfig') ?? {};
  const bundle = textAt(client, 'caBundle');
  return {
    name: textAt(webhook, 'name'),
    url: textAt(client, 'url') || undefined,
    service: objectAt(client, 'service'),
    caBundle: bundle === '' ? undefined : Buffer.from(bundle, 'base64').toString('utf8'),
    rules: objectsAt(webhook, 'rules'),
    failOpen: textAt(webhook, 'failurePolicy') === 'Ignore',
    exact: textAt(webhook, 'matchPolicy') === 'Exact',
    reinvoke: textAt(webhook, 'reinvocationPolicy') === 'IfNeeded',
    timeoutSeconds: numberAt(webhook, 'timeoutSeconds') ?? 10,
    hasSideEffects: !['None', 'NoneOnDryRun'].includes(textAt(webhook, 'sideEffects')),
    reviewVersions: texts(webhook, 'admissionReviewVersions'),
    namespaceSelector: objectAt(webhook, 'namespaceSelector') ?? {},
    objectSelector: objectAt(webhook, 'objectSelector') ?? {},
    conditions: objectsAt(webhook, 'matchConditions').map((condition) => ({
      name: textAt(condition, 'name'),
      expression: textAt(condition, 'expression'),
    })),
  };
}

/** The webhooks of all configurations, in the order of calls: by name, then place. */
export function webhooksOf(configurations: readonly Stored[]): Webhook[] {
  const byName = (a: Stored, b: Stored): number =>
    textAt(a.metadata, 'name') < textAt(b.metadata, 'name') ? -1 : 1;
  return configurations
    .toSorted(byName)
    .flatMap((configuration) => objectsAt(configuration, 'webhooks').map(decode));
}

/** What matching needs to look up. */
export interface MatchLookups {
  /** Labels of a namespace; undefined when there is none of that name. */
  readonly namespaceLabels: (name: string) => JsonObject | undefined;
  /** All served versions of a resource, itself included. */
  readonly versionsOf: (resource: ResourceInfo) => readonly ResourceInfo[];
}

/**
 * The version of the resource in which the webhook wants the request, undefined where it does not.
 * With matchPolicy Equivalent a rule for another version counts; the object is then sent as that.
 */
export function matchedVersion(
  webhook: Webhook,
  attempt: AdmissionAttempt,
  lookups: MatchLookups,
): ResourceInfo | undefined {
  // A configuration must stay repairable, so no webhook ever sees one.
  if (attempt.resource.group === 'admissionregistration.k8s.io') return undefined;
  if (!selectsNamespace(webhook, attempt, lookups) || !selectsObject(webhook, attempt)) {
    return undefined;
  }
  const matches = (resource: ResourceInfo): boolean =>
    webhook.rules.some((rule) => ruleMatches(rule, attempt, resource));
  if (matches(attempt.resource)) return attempt.resource;
  return webhook.exact ? undefined : lookups.versionsOf(attempt.resource).find(matches);
}

function ruleMatches(rule: JsonObject, attempt: AdmissionAttempt, resource: ResourceInfo): boolean {
  const has = (key: string, value: string): boolean => {
    const values = texts(rule, key);
    return values.includes('*') || values.includes(value);
  };
  const scope = textAt(rule, 'scope');
  if (scope === 'Namespaced' && attempt.namespace === '') return false;
  if (scope === 'Cluster' && attempt.namespace !== '') return false;
  return (
    has('operations', attempt.operation) &&
    has('apiGroups', resource.group) &&
    has('apiVersions', resource.version) &&
    texts(rule, 'resources').some((each) => coversResource(each, resource.plural, attempt))
  );
}

/** `pods`, `pods/status`, `pods/*`, a star for all of them; a star alone: no subresource. */
function coversResource(pattern: string, plural: string, attempt: AdmissionAttempt): boolean {
  const [resource, subresource = ''] = pattern.split('/');
  if (resource !== '*' && resource !== plural) return false;
  return subresource === '*' || subresource === attempt.subresource;
}

function selectsNamespace(
  webhook: Webhook,
  attempt: AdmissionAttempt,
  lookups: MatchLookups,
): boolean {
  if (Object.keys(webhook.namespaceSelector).length === 0) return true;
  const isNamespace = attempt.resource.group === '' && attempt.resource.plural === 'namespaces';
  if (!isNamespace && attempt.namespace === '') return true;
  const own = objectAt((attempt.object ?? attempt.oldObject)?.metadata, 'labels');
  const labels = isNamespace ? own : lookups.namespaceLabels(attempt.namespace);
  return parseSelectorObject(webhook.namespaceSelector)({ metadata: { labels: labels ?? {} } });
}

/** One of the two objects is enough, so that a webhook hears of a label that is taken away. */
function selectsObject(webhook: Webhook, attempt: AdmissionAttempt): boolean {
  if (Object.keys(webhook.objectSelector).length === 0) return true;
  const selects = parseSelectorObject(webhook.objectSelector);
  return [attempt.object, attempt.oldObject].some(
    (object) => object !== undefined && selects(object),
  );
}
