// What a Sandbox has of what it is to have, and what stands in its way: found once as long as it
// stands, as charts, steps, status and explanations ask for it.
import type { Reading } from '../../contract/view.ts';
import { isNewer } from '../../kubernetes/versions.ts';
import { object, text } from '../../kubernetes/json.ts';
import type { JsonObject } from '../../kubernetes/objects.ts';
import { ownershipOf, refusalOf, serviceRefusalOf } from '../objects/adoption.ts';
import type {
  Belonging,
  ObservedPod,
  ObservedService,
  ObservedVolume,
} from '../objects/belongings.ts';
import { annotation } from '../objects/labels.ts';
import type { ObservedSandbox } from '../objects/sandbox.ts';
import { unownedByName, unownedKey } from '../views/unowned.ts';
import type { SandboxContext } from './context.ts';

/** A PVC that is to be there. */
export interface WantedVolume {
  readonly name: string;
  /** Of the Sandbox's `volumeClaimTemplates`. */
  readonly template: JsonObject;
  readonly owned: ObservedVolume | undefined;
  /** Nobody's or somebody else's, under that name. */
  readonly other: ObservedVolume | undefined;
}

/** Why something cannot be used or taken over. */
interface Refusal {
  readonly name: string;
  readonly text: string;
}

export interface Situation {
  /** Those that it controls, each once (R49, R50). */
  readonly owned: readonly ObservedPod[];
  /** Nobody's or somebody else's pod where its own is to be; undefined where it has one. */
  readonly other: ObservedPod | undefined;
  readonly service: ObservedService | undefined;
  readonly otherService: ObservedService | undefined;
  readonly volumes: readonly WantedVolume[];
  /** Of each sort, where what stands in the way may not be taken over. */
  readonly refusals: {
    readonly pod: Refusal | undefined;
    readonly service: Refusal | undefined;
    readonly volume: Refusal | undefined;
  };
}

const inputs = ['pods', 'services', 'volumes', 'others'] as const;
const known = new WeakMap<ObservedSandbox, { context: SandboxContext; made: Situation }>();

export function situationOf(context: SandboxContext, own: ObservedSandbox): Situation {
  const last = known.get(own);
  if (last !== undefined && inputs.every((name) => last.context[name] === context[name])) {
    return last.made;
  }
  const made = situationAnew(context, own);
  known.set(own, { context, made });
  return made;
}

function situationAnew(context: SandboxContext, own: ObservedSandbox): Situation {
  const owned = ownedOf(context.pods, own);
  const other = owned.length > 0 ? undefined : otherPod(context, own);
  // What it controls under another name is none of its making.
  const services = context.services.filter(({ name }) => name === own.name);
  const service = ownedOf(services, own)[0];
  const otherService = service ? undefined : (services[0] ?? otherServiceOf(context, own));
  const volumes = volumesOf(context, own);
  const refused = volumes.find(({ other: one }) => one && refusalOf('volume', one, own));
  return {
    owned,
    other,
    service,
    otherService,
    volumes,
    refusals: {
      pod: sayRefusal(other, other && refusalOf('pod', other, own)),
      service: sayRefusal(otherService, otherService && serviceRefusal(otherService, own)),
      volume: sayRefusal(refused?.other, refused?.other && refusalOf('volume', refused.other, own)),
    },
  };
}

const sayRefusal = (one: Belonging | undefined, refusal: string | undefined): Refusal | undefined =>
  one === undefined || refusal === undefined ? undefined : { name: one.name, text: refusal };

/** Without a wish for a Service, only one that somebody else controls is in the way. */
function serviceRefusal(one: ObservedService, own: ObservedSandbox): string | undefined {
  const matters = own.service === true || (own.service === undefined && one.controller);
  return matters ? serviceRefusalOf(one, own) : undefined;
}

function ownedOf<B extends Belonging>(all: readonly B[], own: ObservedSandbox): readonly B[] {
  const byUid = new Map<string, B>();
  for (const one of all) {
    if (ownershipOf(one, own) !== 'owned') continue;
    const twin = byUid.get(one.uid);
    if (twin === undefined || isNewer(one.resourceVersion, twin.resourceVersion)) {
      byUid.set(one.uid, one);
    }
  }
  return [...byUid.values()];
}

/** Empty: the Sandbox does not say. */
export const podNameIn = ({ annotations }: Pick<ObservedSandbox, 'annotations'>): string =>
  text(annotations[annotation.podName]);

/** The pod that the Sandbox names, if nobody controls it, or else the one that has its name. */
function otherPod(context: SandboxContext, own: ObservedSandbox): ObservedPod | undefined {
  const named = podAt(context, own, podNameIn(own) || own.name);
  const isNobodys = named !== undefined && named.controller === undefined;
  return isNobodys ? named : podAt(context, own, own.name);
}

function podAt(
  { pods, others }: SandboxContext,
  own: ObservedSandbox,
  name: string,
): ObservedPod | undefined {
  const found = others.get(unownedKey('SandboxPod', own, name));
  const isPod = found?.kind === 'SandboxPod' || found?.kind === 'AdoptablePod';
  return pods.find((pod) => pod.name === name) ?? (isPod ? found : undefined);
}

function otherServiceOf(
  { others }: SandboxContext,
  own: ObservedSandbox,
): ObservedService | undefined {
  const found = others.get(unownedKey('SandboxService', own, own.name));
  const isService = found?.kind === 'SandboxService' || found?.kind === 'AdoptableService';
  return isService ? found : undefined;
}

function volumesOf(context: SandboxContext, own: ObservedSandbox): readonly WantedVolume[] {
  if (own.volumeClaimTemplates.length === 0) return noVolumes;
  const owned = new Map(ownedOf(context.volumes, own).map((volume) => [volume.name, volume]));
  return own.volumeClaimTemplates.map((template) => {
    const name = volumeName(own, template);
    const found = context.others.get(unownedKey('SandboxVolume', own, name));
    const isVolume = found?.kind === 'SandboxVolume' || found?.kind === 'AdoptableVolume';
    const namesake = context.volumes.find((volume) => volume.name === name);
    const other = owned.has(name) ? undefined : (namesake ?? (isVolume ? found : undefined));
    return { name, template, owned: owned.get(name), other };
  });
}

const noVolumes: readonly WantedVolume[] = [];

export const volumeName = (own: ObservedSandbox, template: JsonObject): string =>
  `${text(object(template['metadata'])['name'])}-${own.name}`;

/** What it must know of others: of nothing that it has already. A member of a warm pool reads the
 *  one Service that might be in its way. */
export function readings(context: SandboxContext, own: ObservedSandbox): readonly Reading[] {
  if (own.deleting) return noReadings;
  const { owned, service, volumes } = situationOf(context, own);
  const at = (kind: Belonging['kind'], name: string): Reading => ({
    view: unownedByName,
    key: unownedKey(kind, own, name),
  });
  const pods = owned.length > 0 ? [] : [...new Set([podNameIn(own) || own.name, own.name])];
  const missing = volumes.filter((volume) => volume.owned === undefined);
  return [
    ...pods.map((name) => at('SandboxPod', name)),
    ...(service === undefined && own.service !== false ? [at('SandboxService', own.name)] : []),
    ...missing.map(({ name }) => at('SandboxVolume', name)),
  ];
}

const noReadings: readonly Reading[] = [];
