// Who controls an object, by group and kind whatever the version: objects of before an upgrade keep
// the older one in their references (spec agent-sandbox 1.9, R20).
import { apiVersionOf } from '../../contract/kinds.ts';
import { text } from '../../kubernetes/json.ts';
import type { Meta } from '../../kubernetes/meta.ts';
import { controllerOf } from '../../kubernetes/objects.ts';
import type { JsonObject, KubeObject, OwnerReference } from '../../kubernetes/objects.ts';
import { extensionsGroup, group } from './labels.ts';

export interface Controller {
  readonly kind: 'Sandbox' | 'SandboxClaim' | 'SandboxWarmPool' | 'SandboxTemplate' | 'other';
  /** As the reference says it. */
  readonly says: string;
  readonly name: string;
  readonly uid: string;
}

const kinds = new Map<string, Controller['kind']>([
  [`${group}/Sandbox`, 'Sandbox'],
  [`${extensionsGroup}/SandboxClaim`, 'SandboxClaim'],
  [`${extensionsGroup}/SandboxWarmPool`, 'SandboxWarmPool'],
  [`${extensionsGroup}/SandboxTemplate`, 'SandboxTemplate'],
]);

/** Undefined: nobody controls it. */
export function readController(source: KubeObject): Controller | undefined {
  const owner = controllerOf(source);
  if (owner === undefined) return undefined;
  const says = text(owner.kind);
  const ownerGroup = text(owner.apiVersion).split('/')[0];
  const kind = kinds.get(`${ownerGroup}/${says}`) ?? 'other';
  return { kind, says, name: text(owner.name), uid: text(owner.uid) };
}

/** By which the owner controls what it makes or takes over. */
export const controllerReference = ({
  kind,
  name,
  uid,
}: Pick<Meta, 'name' | 'uid'> & {
  readonly kind: Exclude<Controller['kind'], 'other'>;
}): OwnerReference & JsonObject => ({
  apiVersion: apiVersionOf(kind),
  kind,
  name,
  uid,
  controller: true,
  blockOwnerDeletion: true,
});
