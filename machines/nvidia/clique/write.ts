// Step of a clique: the object is created with its first rows, patched where the decision differs,
// and deleted with its last one. One write at a time, by the runtime; what comes meanwhile rides in
// the next. A patch carries the version that it was decided on.
import { refOf } from '../../contract/address.ts';
import type { Intent } from '../../contract/intents.ts';
import { apiVersionOf } from '../../contract/kinds.ts';
import { deletionOf, patchOf } from '../../contract/object-intents.ts';
import { isEqual } from '../../kubernetes/json.ts';
import type { StringMap } from '../../kubernetes/json.ts';
import type { JsonObject } from '../../kubernetes/objects.ts';
import { idle } from '../../statechart/step.ts';
import type { StepResult } from '../../statechart/step.ts';
import { writeReserved } from '../objects/clique.ts';
import type { ObservedClique, Row } from '../objects/clique.ts';
import { annotation, domainLabel, label } from '../objects/labels.ts';
import type { CliqueContext } from './context.ts';
import { decided } from './decided.ts';
import type { Decided } from './decided.ts';

type Step = StepResult<CliqueContext>;

export function writeClique(context: CliqueContext, clique: ObservedClique): Step {
  const decision = decided(context);
  const intent = clique.uid === '' ? creation(decision, clique) : change(decision, clique);
  if (intent === undefined) return idle;
  const before = new Map(clique.rows.map(({ nodeName, index }) => [nodeName, index]));
  const fresh = decision.rows.filter(({ nodeName, index }) => before.get(nodeName) !== index);
  const isKnown = fresh.every(({ nodeName, index }) => context.given.get(nodeName) === index);
  if (isKnown) return { intents: [intent], changes: {} };
  const more = fresh.map(({ nodeName, index }) => [nodeName, index] as const);
  return { intents: [intent], changes: { given: new Map([...context.given, ...more]) } };
}

/** The object says what is decided. What is forgotten alone rides in a later write. */
export const isAgreed = (
  decision: Decided,
  { uid, rows, owners, outdated, deleting }: ObservedClique,
): boolean =>
  (isLeft(decision) && deleting) ||
  (isEqual(decision.rows, rows) &&
    isEqual(decision.owners, owners) &&
    [...decision.outdated].every((daemon) => outdated.has(daemon)) &&
    (uid === '' || owners.length > 0 || !isLeft(decision)));

function creation(decision: Decided, clique: ObservedClique): Intent | undefined {
  const { rows, owners } = decision;
  if (rows.length === 0) return undefined;
  const { namespace, name, domain, cliqueID } = clique;
  const body = {
    apiVersion: apiVersionOf('ComputeDomainClique'),
    kind: 'ComputeDomainClique',
    metadata: {
      name,
      namespace,
      labels: { [domainLabel]: domain, [label.clique]: cliqueID },
      ...annotationsOf(decision),
      ownerReferences: owners,
    },
    daemons: rows.map(rowOf),
  };
  const reason = `${rows.length} nodes join`;
  return { type: 'createObject', ref: refOf(clique), reason, urgency: 'first', body };
}

/** As the schema has it, with the index always there. */
const rowOf = ({ nodeName, ipAddress, cliqueID, index, status }: Row): JsonObject => ({
  nodeName,
  ipAddress,
  cliqueID,
  index,
  status,
});

/** Written along with a change of the rows; null takes one away. */
function annotationsOf({ reserved, outdated }: Decided): { readonly annotations?: StringMap } {
  const annotations: StringMap = {
    ...(reserved.size > 0 && { [annotation.reserved]: writeReserved(reserved) }),
    ...(outdated.size > 0 && { [annotation.outdated]: JSON.stringify([...outdated]) }),
  };
  return Object.keys(annotations).length === 0 ? {} : { annotations };
}

function change(decision: Decided, clique: ObservedClique): Intent | undefined {
  if (isAgreed(decision, clique)) return undefined;
  const { resourceVersion } = clique;
  if (isLeft(decision)) return { ...deletionOf(clique, 'the last node has left'), resourceVersion };
  const none = { [annotation.reserved]: null, [annotation.outdated]: null };
  const hasAny = Object.keys(none).some((name) => name in clique.annotations);
  const { annotations = {} } = annotationsOf(decision);
  const isAnnotated = hasAny || Object.keys(annotations).length > 0;
  const patch: JsonObject = {
    metadata: {
      ...(isEqual(decision.owners, clique.owners)
        ? {}
        : { ownerReferences: decision.owners.map((owner) => ({ ...owner })) }),
      ...(isAnnotated ? { annotations: { ...none, ...annotations } } : {}),
    },
    daemons: decision.rows.map(rowOf),
  };
  const version = { resourceVersion, urgency: 'first' } as const;
  return patchOf(clique, reasonOf(decision, clique), patch, version);
}

/** No node has a row or a daemon: nothing that the garbage collector would wait for. */
const isLeft = ({ rows, members }: Decided): boolean => rows.length === 0 && members.size === 0;

function reasonOf({ rows, repairs }: Decided, clique: ObservedClique): string {
  const before = new Set(clique.rows.map(({ nodeName }) => nodeName));
  const now = new Set(rows.map(({ nodeName }) => nodeName));
  const joined = [...now].filter((node) => !before.has(node)).length;
  const left = [...before].filter((node) => !now.has(node)).length;
  const parts = [
    ...(joined > 0 ? [`${joined} nodes join`] : []),
    ...(left > 0 ? [`${left} leave`] : []),
    ...(repairs.length > 0 ? [`${repairs.length} indices are repaired`] : []),
  ];
  return parts.length === 0 ? 'readiness or addresses change' : parts.join(', ');
}
