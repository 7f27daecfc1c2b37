// Where two answers differ, after masking of identities, times and versions.
import { isObject } from '#machines/kubernetes/json.ts';
import type { Json } from '#machines/kubernetes/objects.ts';

/** `metadata.labels.x: "1" | undefined`: first the real server's, then the embedded one's. */
export function differences(recorded: unknown, live: unknown): readonly string[] {
  const found: string[] = [];
  compare('', normalized(recorded, ''), normalized(live, ''), found);
  return found;
}

const time = /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(\.\d+)?Z$/;
const uid = /[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}/g;
const letters = /\bkube-api-access-[a-z0-9]{5}\b/g;
const versionInText = /resourceVersion: \d+|resource version: \d+/g;

function normalized(value: unknown, key: string): unknown {
  if (key === 'resourceVersion' || key === 'clusterIP') return value === 'None' ? value : key;
  if (typeof value === 'string') {
    if (time.test(value)) return 'time';
    return value
      .replaceAll(uid, 'uid')
      .replaceAll(letters, 'volume')
      .replaceAll(versionInText, 'version');
  }
  if (Array.isArray(value)) {
    const items = value.map((item) => normalized(item, ''));
    // Their order is that of their times.
    return key === 'managedFields' ? items.toSorted(byText) : items;
  }
  if (!isObject(value)) return value;
  return Object.fromEntries(
    Object.entries(value).map(([name, field]) => [
      name.replaceAll(uid, 'uid'),
      normalized(field, name),
    ]),
  );
}

const byText = (a: unknown, b: unknown): number => {
  const key = (value: unknown): string => {
    const { manager, operation, subresource } = isObject(value) ? value : {};
    return `${String(manager)} ${String(operation)} ${String(subresource)}`;
  };
  return key(a) < key(b) ? -1 : 1;
};

function compare(path: string, there: unknown, here: unknown, found: string[]): void {
  if (isObject(there) && isObject(here)) {
    for (const key of new Set([...Object.keys(there), ...Object.keys(here)])) {
      compare(path === '' ? key : `${path}.${key}`, there[key], here[key], found);
    }
  } else if (Array.isArray(there) && Array.isArray(here) && there.length === here.length) {
    there.forEach((item: Json, index) => compare(`${path}.${index}`, item, here[index], found));
  } else if (JSON.stringify(there) !== JSON.stringify(here)) {
    found.push(`${path}: ${JSON.stringify(there)} | ${JSON.stringify(here)}`);
  }
}
