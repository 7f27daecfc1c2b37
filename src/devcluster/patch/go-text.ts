// JSON values as Go prints them, which is how some refusals of kube-apiserver show a patch.
import type { Json } from '#machines/kubernetes/objects.ts';

/** `map[spec:map[replicas:3]]`, `[a b]`. */
export function goText(value: Json): string {
  if (value === null) return '<nil>';
  if (Array.isArray(value)) return `[${value.map(goText).join(' ')}]`;
  if (typeof value !== 'object') return String(value);
  const fields = Object.entries(value).toSorted(([a], [b]) => (a < b ? -1 : 1));
  return `map[${fields.map(([name, field]) => `${name}:${goText(field ?? null)}`).join(' ')}]`;
}
