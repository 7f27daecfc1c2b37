// What a ComputeDomain owns, as a table: of each child which object counts as it, and how it is
// made. What is there is used as it is and never changed, as daemons of a running job depend on it.
import type { Kind } from '../../../contract/kind.ts';
import type { KubeObject } from '../../../kubernetes/objects.ts';
import type { ObservedChild } from '../../objects/children.ts';
import type { ObservedDomain } from '../../objects/domain.ts';
import { daemonsName } from '../../objects/labels.ts';
import type { Target } from '../../objects/labels.ts';
import { isOfDriver } from '../../settings.ts';
import type { NvidiaSettings } from '../../settings.ts';
import { daemonTemplate, workloadTemplate } from './claim-template.ts';
import { daemonSet } from './daemonset.ts';

/** All that was found by the label, of which only some are ours. */
export interface Present {
  readonly settings: NvidiaSettings;
  readonly children: readonly ObservedChild[];
}

export interface ChildType {
  readonly kind: Kind;
  readonly what: string;
  readonly isThere: (present: Present, domain: ObservedDomain) => boolean;
  readonly build: (domain: ObservedDomain, settings: NvidiaSettings) => KubeObject;
  /** Made only once this one is there. */
  readonly after?: ChildType;
}

const templates = ({ children }: Present, target: Target): readonly ObservedChild[] =>
  children.filter((child) => child.kind === 'DomainClaimTemplate' && child.target === target);

/** Wherever they are: somebody may have copied one. */
export const workloadTemplates = (present: Present): readonly ObservedChild[] =>
  templates(present, 'Workload');

export const daemonTemplates = (present: Present): readonly ObservedChild[] =>
  templates(present, 'Daemon').filter(({ namespace }) => isOfDriver(present.settings, namespace));

export const daemonSets = ({ settings, children }: Present): readonly ObservedChild[] =>
  children.filter(
    ({ kind, namespace }) => kind === 'DomainDaemonSet' && isOfDriver(settings, namespace),
  );

const ofDaemons: ChildType = {
  kind: 'DomainClaimTemplate',
  what: 'claim template of the daemons',
  isThere: (present, { uid }) => {
    const { driverNamespace } = present.settings;
    const isOurs = ({ namespace, name }: ObservedChild): boolean =>
      namespace === driverNamespace && name === daemonsName(uid);
    const sets = daemonSets(present);
    // A DaemonSet of an older installation has a template of its own.
    return daemonTemplates(present).some(isOurs) || (sets.length > 0 && !sets.some(isOurs));
  },
  build: daemonTemplate,
};

const daemons: ChildType = {
  kind: 'DomainDaemonSet',
  what: 'DaemonSet',
  isThere: (present) => daemonSets(present).length > 0,
  build: daemonSet,
  after: ofDaemons,
};

/** Pods name it, so no other will do. */
const ofWorkload: ChildType = {
  kind: 'DomainClaimTemplate',
  what: 'claim template of the workload',
  isThere: (present, { namespace, templateName }) =>
    workloadTemplates(present).some(
      (child) => child.namespace === namespace && child.name === templateName,
    ),
  build: workloadTemplate,
};

const childTypes = ({ mode }: NvidiaSettings): readonly ChildType[] =>
  mode === 'hostManaged' ? [ofWorkload] : [ofDaemons, daemons, ofWorkload];

/** Those of which there is none, in the order in which they are made. */
export const missingTypes = (present: Present, domain: ObservedDomain): readonly ChildType[] =>
  childTypes(present.settings).filter(({ isThere }) => !isThere(present, domain));

/** All that is ours and goes with the domain: what the workload has first. */
export const ownChildren = (present: Present): readonly ObservedChild[] =>
  present.settings.mode === 'hostManaged'
    ? workloadTemplates(present)
    : [...workloadTemplates(present), ...daemonTemplates(present), ...daemonSets(present)];
