// The hard cases of the system whose CRDs we serve: 58 rules that its fixes established, 30 gaps
// that it still had, 16 scenarios (spec controllers 10), a line for each. `npm run rules` prints it
// with the tests whose titles carry its number, e.g. "rule 6" or "(10.2 gap 8)". Those of
// ComputeDomains are in domains.ts, those of agent-sandbox in sandboxes.ts, those of the activator
// in activator.ts.

import { activatorRules } from './activator.ts';
import { deviations, type Deviation } from './deviations.ts';
import { domainRules } from './domains.ts';
import { sandboxRules } from './sandboxes.ts';

export interface Rule {
  /** `rule 6` of section 10.1, `gap 8` of section 10.2 or `scenario 2` of section 10.3. */
  readonly id: string;
  readonly text: string;
  /** Why no test carries its number; only where none does. */
  readonly without?: string;
  /** Where Coppice does something else on purpose. */
  readonly deviation?: Deviation;
}

const fixes: readonly (readonly [text: string, without?: string])[] = [
  ['what is remembered of a set is bound to its UID, so a set of the same name starts afresh'],
  ['pods that are leaving are no candidates of a scale-in'],
  ['a deletion that is seen ends the wait for the creation of the same pod'],
  ['a deletion timestamp alone calls for the replacement'],
  ['pods under way count, by UID, and a restart learns again which are leaving'],
  ['the index of a pod that leaves or has finished is free again, and the hole is filled first'],
  ['labels, annotations and specs are copied into each pod'],
  ['a template is never changed while children are derived from it'],
  ['what is kept for an object is kept by UID'],
  ['pods can be found by their owner before the first plan', 'no index: pods are routed to owners'],
  ['only labelled objects are cached, and nothing relies on seeing others'],
  ['two processes may make the certificate Secret at once: the first one counts'],
  ['a ResourceClaim that is there already is read again, and its spec left alone'],
  ['without the ResourceClaim API PodCliques live and die as ever'],
  ['the init program ends once, quietly, while pod updates still arrive'],
  ['`started` of a container is compared by value'],
  ['a status that says nothing new is not written'],
  ['an error and a pause do not contradict each other', 'one table: machines/contract/errors.ts'],
  ['a PodClique that went in a cascade is nothing to report'],
  ['a PodGang is complete when all PodCliques and all their pods are there'],
  ['scaled gangs wait for scheduled base pods, not for ready ones'],
  ['only our own scheduling gate is taken away'],
  ['what others wrote on a PodGang stays; labels and annotations of the set are mirrored'],
  ['a scaled PodGang takes the constraint of its group, or else of the set'],
  ['an unknown scheduler is an error that is told, not a crash'],
  ['fewer scheduled than the minimum is a breach, also at 0'],
  ['what never was healthy is never recycled'],
  ['a group is breached when complete, unbreached replicas are too few'],
  ['all groups of a recycled replica are marked'],
  ['a mark left on a sibling suppresses no deletion'],
  ['a group without minAvailable has 1'],
  ['a breach within the tolerance of a group recreates that replica only'],
  ['during an update the breach is Unknown'],
  ['the loss of all scheduled pods shows at once'],
  ['old pods in their start-up probe are replaced like other unready ones'],
  ['a PodClique born with the new template needs no update'],
  ['no child updates before its set has a generation hash'],
  ['updated replicas are right again when the progress record was lost'],
  ['counters come before the hashes that depend on them'],
  ['progress holds counts, not names'],
  ['with OnDelete an update starts and ends at once'],
  ['a scale-in prefers pods of an old template'],
  ['the hash is stable, and the order of lists counts'],
  [
    'pods of a member PodClique are found by the label of the set',
    'no lookup: pods are routed to owners',
  ],
  ['an HPA selects by the labels of PodClique and group'],
  ['scale selectors are published always, never for members'],
  ['the service account of the user stays'],
  [
    'the token Secret of an old name goes only when nobody needs it',
    'it goes with its set: Secrets are not read (decision 0021)',
  ],
  ['the controller manager may fill the token Secret although the authorizer is on'],
  ['names that are too short or lack the prefix are refused'],
  ['our environment variables come first and win'],
  ['finalizers are part of the creation'],
  ['a deletion waits for no children'],
  ['lookups over children are linear'],
  ['a ComputeDomain has its claim template in the channel, and a number of nodes'],
  ['a default on update cannot lock an object that may not change'],
  ['admission compares cliques by name'],
  ['a template may not give a group 0 replicas'],
];

const gaps: readonly (readonly [text: string, without?: string])[] = [
  ['names are looked up exactly, not by how they end'],
  ['the init program matches pods by label'],
  ['a PodGang names its PodCliques'],
  ['pods that appear or are scheduled hurry their PodClique'],
  ['a group takes part in an update from the first selection on'],
  ['a scaled group hurries its set'],
  ['nobody waits for the token Secret'],
  ['Services of removed replicas go'],
  ['surplus replicas of a group are found by index'],
  ['surplus PodCliques go whatever else is missing'],
  ['ComputeDomains go with a set that is scaled to 0, and with one whose switch was turned off'],
  ['claims stay while a live pod uses their index'],
  ['errors are all told, and struck when what failed succeeds'],
  ['replicas set at run time stay, decided inside the write'],
  ['conditions and annotations of others on a PodGang stay'],
  ['gates open when the PodGang lists the pod'],
  ['a breach condition that is missing is not healthy'],
  ['leaving PodCliques do not count for gang termination'],
  ['a missing PodClique does not stop the others from being judged'],
  ['an index is given out once, however late the cache'],
  ['finished pods are replaced'],
  ['messages have an order'],
  ['an update ends although pods were scaled in'],
  ['an update that was superseded stops everywhere'],
  ['a change of the strategy ends an update'],
  ['an update has ended when all replicas are back'],
  ['the generation is observed although pods are missing'],
  ['a queue given on cliques alone is honoured'],
  ['the objects of a scheduler backend go with their gang'],
  ['log level, log format and lease namespace are honoured'],
];

const numbered = (word: string, rows: typeof fixes): Rule[] =>
  rows.map(([text, without], index) => {
    const id = `${word} ${index + 1}`;
    const deviation = deviations.find(({ of }) => of === id);
    return {
      id,
      text,
      ...(without === undefined ? {} : { without }),
      ...(deviation === undefined ? {} : { deviation }),
    };
  });

/** Spec controllers 10.3. W1: ten pods that are one gang; W2: a minimum of one of each. Each is
 *  shown on the embedded cluster and on a real control plane. */
const scenarios: typeof fixes = [
  ['W1, one node short: nothing is placed before there is room for all'],
  ['W2, room for three: one of each, then the scaled gang'],
  ['W2, scaled to three: another gang, gated until the base gang is placed'],
  ['W1, a pod is lost and finds no node: the whole replica is recreated'],
  ['W2, a second pod of the clique is lost: the whole replica is recreated'],
  ['W2, the pods of one replica of the group are lost: that replica is recreated'],
  ['what cannot be scheduled from the start is never recycled'],
  ['what is unschedulable after a recycle is not recycled again'],
  ['a rolling update goes pod by pod and replica by replica'],
  ['a rolling update of a group goes replica by replica of the group'],
  ['an update without spare capacity replaces one pod and waits'],
  ['an update ends when the replica under way is scaled in'],
  ['what is scaled out during an update is born with the new template'],
  ['with OnDelete nothing is deleted, and deleted pods come back with the new template'],
  ['in order, PodCliques of a gang become ready one after the other'],
  ['a set deleted and created again under its name comes up promptly'],
];

export const rules: readonly Rule[] = [
  ...numbered('rule', fixes),
  ...numbered('gap', gaps),
  ...numbered('scenario', scenarios),
  ...domainRules,
  ...sandboxRules,
  ...activatorRules,
];
