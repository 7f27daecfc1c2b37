// Steps of a clique besides its write: a live list before a row goes, daemons that must restart
// because their index was repaired, and what people are told.
import type { Intent } from '../../contract/intents.ts';
import { deletionOf, type Target, warning } from '../../contract/object-intents.ts';
import { idle } from '../../statechart/step.ts';
import type { StepResult } from '../../statechart/step.ts';
import type { ObservedClique } from '../objects/clique.ts';
import type { ObservedDaemon } from '../objects/daemon-pod.ts';
import { domainLabel } from '../objects/labels.ts';
import type { CliqueContext } from './context.ts';
import { decided } from './decided.ts';
import { noIndex } from './explain.ts';

type Step = StepResult<CliqueContext>;

/** A row goes only after a list that the server made after its daemon was missed: a watch
 *  may be late, and another node would get the index of a daemon that runs. Where the domain goes
 *  the object goes with its owners, and one list for each of its cliques would tell nobody
 *  anything. */
export function checkSuspects(context: CliqueContext, { domain }: ObservedClique): Step {
  const { suspects } = decided(context);
  if (suspects.length === 0 || context.domain?.deleting === true) return idle;
  const { driverNamespace, additionalNamespaces } = context.settings;
  const list: Intent = {
    type: 'listObjects',
    id: 'daemons',
    kind: 'DaemonPod',
    labels: { [domainLabel]: domain },
    namespaces: [driverNamespace, ...additionalNamespaces],
  };
  const isUnderWay = context.checked !== undefined;
  return { intents: [list], changes: isUnderWay ? {} : { checked: new Set(suspects) } };
}

/** They run with an index that another node has by now: peers and they would disagree. */
export function restartOutdated(context: CliqueContext, { outdated }: ObservedClique): Step {
  if (outdated.size === 0) return idle;
  const { live } = decided(context);
  const intents = live
    .filter(({ uid }) => outdated.has(uid))
    .map((pod) => deletionOf(pod, 'its index was repaired, and it does not notice'));
  return { intents, changes: {} };
}

/** Once for each number of nodes: a fact on the bus, as an Event would be a write. */
export function announceComplete(
  { completeWith }: CliqueContext,
  { rows, cliqueID }: ObservedClique,
): Step {
  if (rows.length === completeWith) return idle;
  const why = `all ${rows.length} daemons have an index and are ready`;
  return {
    intents: [{ type: 'decide', what: `clique ${cliqueID} is complete`, why }],
    changes: { completeWith: rows.length },
  };
}

/** Once for each daemon and repair, on the pod and on the domain. */
export function tell(context: CliqueContext, clique: ObservedClique): Step {
  const { told } = context;
  const news = newsOf(context, clique);
  const now = new Set(news.map(({ key }) => key));
  const fresh = news.filter(({ key }) => !told.has(key));
  const intents = fresh.flatMap(({ reason, note, pod }) =>
    subjects(context, pod).map((regarding) => warning(regarding, reason, note)),
  );
  const isSame = fresh.length === 0 && now.size === told.size;
  return { intents, changes: isSame ? {} : { told: now } };
}

interface News {
  readonly key: string;
  readonly reason: 'CliqueFull' | 'CliqueAddressInUse' | 'CliqueIndexRepaired';
  readonly note: string;
  readonly pod: ObservedDaemon | undefined;
}

function newsOf(context: CliqueContext, { name, uid, cliqueID }: ObservedClique) {
  const { refused, blocked, repairs, maxNodes, live } = decided(context);
  const full = refused.map((pod): News => ({
    key: `full ${pod.uid}`,
    reason: 'CliqueFull',
    note: `node ${pod.node} gets no index in clique ${cliqueID}: ${noIndex(maxNodes)}`,
    pod,
  }));
  const inUse = blocked.map((pod): News => ({
    key: `address ${pod.uid} ${pod.ip}`,
    reason: 'CliqueAddressInUse',
    note: `IP ${pod.ip} of node ${pod.node} is that of another node in clique ${cliqueID}`,
    pod,
  }));
  const repaired = repairs.map(({ node, was, index }): News => ({
    key: `repair ${uid} ${node} ${was}`,
    reason: 'CliqueIndexRepaired',
    note:
      `index ${was} of node ${node} in ${name} was in use twice or out of range: ` +
      (index === undefined ? 'the row goes, as there is no other' : 'it gets another one'),
    pod: live.find((pod) => pod.node === node),
  }));
  return [...full, ...inUse, ...repaired];
}

function subjects({ domain }: CliqueContext, pod: ObservedDaemon | undefined): readonly Target[] {
  const ofPod = pod === undefined ? [] : [pod];
  if (domain === undefined) return ofPod;
  const { namespace, name, uid } = domain;
  return [...ofPod, { kind: 'ComputeDomain', namespace, name, uid }];
}
