// Fields that stand twice in the text of an object, at any depth.
import { expect, test } from 'vitest';
import { duplicateFields } from '#src/devcluster/schema/duplicates.ts';

const cases: readonly (readonly [string, string[]])[] = [
  ['{"a":1,"b":{"a":1}}', []],
  ['{"a":1,"a":2}', ['a']],
  ['{"spec":{"replicas":1, "replicas" : 2}}', ['spec.replicas']],
  ['{"l":[{"x":1},{"x":1,"y":[1,2],"x":2}],"m":[["a"],{"k":"l","k":1}]}', ['l[1].x', 'm[1].k']],
  ['{"a":"{\\"b\\":1,\\"b\\":2}","b":"x: \\"y\\""}', []],
  ['{"a\\u0062":1,"ab":2}', ['ab']],
];

test.each(cases)('duplicateFields of %s are %j', (text, expected) => {
  expect(duplicateFields(text)).toEqual(expected);
});
