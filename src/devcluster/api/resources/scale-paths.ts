// Where the replicas of a scalable kind stand: fixed paths for built-in kinds, those of the CRD for
// custom ones. The scale subresource reads them, and every write of a custom object checks them.
import type { FieldError } from '#machines/kubernetes/field-errors.ts';
import { isObject } from '#machines/kubernetes/json.ts';
import type { Json } from '#machines/kubernetes/objects.ts';
import type { ResourceInfo, Stored } from '../../contract.ts';

export interface ScalePaths {
  readonly spec: readonly string[];
  readonly status: readonly string[];
  readonly selector: readonly string[] | undefined;
}

export function scalePathsOf(resource: ResourceInfo): ScalePaths {
  const scale = resource.subresources.find((each) => each.name === 'scale')?.scale;
  return {
    spec: split(scale?.specReplicasPath ?? '.spec.replicas'),
    status: split(scale?.statusReplicasPath ?? '.status.replicas'),
    selector: scale === undefined ? ['spec', 'selector'] : splitSome(scale.labelSelectorPath),
  };
}

const split = (path: string): string[] => path.split('.').filter((part) => part !== '');
const splitSome = (path: string | undefined): string[] | undefined =>
  path === undefined || path === '' ? undefined : split(path);

export const valueAt = (object: Stored, path: readonly string[]): Json | undefined =>
  path.reduce<Json | undefined>((at, key) => (isObject(at) ? at[key] : undefined), object);

/** What keeps a custom object from being scaled: replicas that are no count. */
export function scaleErrors(resource: ResourceInfo, object: Stored): FieldError[] {
  const scale = resource.subresources.find((each) => each.name === 'scale')?.scale;
  if (scale === undefined) return [];
  return [scale.specReplicasPath, scale.statusReplicasPath].flatMap((path) => {
    const value = valueAt(object, split(path));
    const complaint = countError(path, value);
    return complaint === undefined ? [] : [complaint];
  });
}

function countError(field: string, value: Json | undefined): FieldError | undefined {
  if (value === undefined || value === null) return undefined;
  const type = 'FieldValueInvalid';
  if (typeof value !== 'number') {
    const found = typeof value === 'boolean' ? 'bool' : typeof value;
    const why = `${field} accessor error: ${String(value)} is of the type ${found}, expected int64`;
    return { type, field, value: 0, detail: why };
  }
  if (value < 0) return { type, field, value, detail: 'should be a non-negative integer' };
  if (value < 2 ** 31) return undefined;
  return { type, field, value, detail: `should be less than or equal to ${2 ** 31 - 1}` };
}
