// The hash of names that labels carry, by its published vectors: other controllers and clients find
// objects by it.
import { expect, it } from 'vitest';
import { nameHash } from '#machines/agentsandbox/objects/name-hash.ts';

it.each([
  ['', '811c9dc5'],
  ['a', 'e40c292c'],
  ['my-sandbox', '374de8f5'],
  ['test-sandbox', '86489827'],
  ['warmpool', '8c6a35c6'],
  ['template', '694aaa0b'],
  ['warmpool-0', '5317cfd3'],
  ['template-0', 'cd01fec6'],
  ['box-26', '00ac6c41'],
])('NameHash of "%s" is %s (R65)', (name, hash) => {
  expect(nameHash(name)).toBe(hash);
});
