// The kinds that people ask about, by any name that they have: kind, plural, short name of the CRD,
// or as the bus calls their actors. Asked by all commands that take a KIND.
import type { ActorKey } from '#machines/contract/address.ts';
import {
  actorKindOf,
  allActorKinds,
  allKinds,
  apiGroup,
  apiKind,
  type Kind,
  isClusterScoped,
  kindRow,
  objectKind,
} from '#machines/kinds.ts';
import { didYouMean } from '#src/config/nearest.ts';
import { PluginError } from './errors.ts';

/** Of the CRDs, and for Sandboxes shorter ones that nothing else of ours has. */
const shortNames: Partial<Record<Kind, readonly string[]>> = {
  PodCliqueSet: ['pcs'],
  PodClique: ['pclq'],
  PodCliqueScalingGroup: ['pcsg'],
  PodGang: ['pg'],
  ClusterTopologyBinding: ['ct'],
  ComputeDomain: ['cd'],
  Sandbox: ['sb'],
  SandboxTemplate: ['st'],
  SandboxClaim: ['sc'],
  SandboxWarmPool: ['swp'],
};

/** Custom resources with a life, in the order in which they are shown. */
export const shownKinds = (): readonly Kind[] =>
  allKinds().filter(
    (kind) => actorKindOf(kind) !== undefined && !isLabelled(kind) && !kindRow(kind).isApart,
  );

/** An object of the core of which only those with a label of ours have an actor. */
const isLabelled = (kind: Kind): boolean => kindRow(kind).labelled !== undefined;

/** The first is the shortest. */
export const namesOf = (kind: Kind): readonly string[] => [
  ...(shortNames[kind] ?? []),
  ...new Set([apiKind(kind).toLowerCase(), kindRow(kind).plural, actorKindOf(kind) ?? '']),
];

/** `podcliquesets.grove.io` */
export const resourceOf = (kind: Kind): string => `${kindRow(kind).plural}.${apiGroup(kind)}`;

/** Throws where nobody has that name. */
export function kindNamed(name: string): Kind {
  const [plain = ''] = name.toLowerCase().split('.');
  const kinds = shownKinds();
  const found =
    kinds.find((kind) => namesOf(kind).includes(plain)) ??
    allActorKinds()
      .map(objectKind)
      .find((kind) => actorKindOf(kind) === plain);
  if (found !== undefined) return found;
  const known = kinds.map((kind) => namesOf(kind).slice(0, 2).join(' or ')).join(', ');
  const meant = didYouMean(plain, kinds.flatMap(namesOf));
  const hint = plain === 'pod' || plain === 'pods' || plain === 'po' ? podHint : '';
  throw new PluginError(
    'usage',
    `"${name}" is no kind of Coppice${meant}; there is ${known}${hint}`,
  );
}

const podHint = ' (a pod has no actor: ask about its podclique or sandbox)';

/** What a command was given: a kind, a name, or neither. */
export interface Wanted {
  readonly kind?: Kind;
  readonly name?: string;
}

/** `pcs demo`, `pcs/demo`, `pcs` or nothing. */
export function wantedIn(words: readonly string[]): Wanted {
  const [first, second] = words;
  if (first === undefined) return {};
  const [kind = '', name, ...more] = first.split('/');
  if (more.length > 0 || (name !== undefined && second !== undefined)) {
    const right = 'KIND NAME or KIND/NAME would be right';
    throw new PluginError('usage', `"${words.join(' ')}" is no object: ${right}`);
  }
  const named = name ?? second;
  if (named === '') throw new PluginError('usage', `"${first}" has no name behind the slash`);
  return { kind: kindNamed(kind), ...(named === undefined ? {} : { name: named }) };
}

/** The actor of one object. */
export function keyIn(words: readonly string[], namespace: string): ActorKey {
  const { kind, name } = wantedIn(words);
  const actor = kind === undefined ? undefined : actorKindOf(kind);
  if (kind === undefined || actor === undefined || name === undefined) {
    const example = `${words[0] ?? 'pcs'} demo`;
    throw new PluginError('usage', `a name is missing: "${example}" would be right`);
  }
  return { kind: actor, namespace: isClusterScoped(kind) ? '' : namespace, name };
}
