// Objects nested so deeply that whatever reads them by recursion would run out of stack.
import { describe, expect, test } from 'vitest';
import type { Json } from '#machines/kubernetes/objects.ts';
import { depthLimit } from '#src/devcluster/api/limits.ts';
import { isTooDeep } from '#src/devcluster/api/wire/depth.ts';
import { configMap, configMaps, withBench } from '../support.ts';

function nested(depth: number): Json {
  let value: Json = 'bottom';
  for (let level = 0; level < depth; level++) value = level % 2 === 0 ? [value] : { a: value };
  return value;
}

describe('An object', () => {
  test('is too deep beyond the limit, and not within, whatever its depth', () => {
    expect(isTooDeep(nested(depthLimit))).toBe(false);
    expect(isTooDeep(nested(depthLimit + 1))).toBe(true);
    expect(isTooDeep(nested(200_000))).toBe(true);
  });

  test('that is too deep is refused in words', () =>
    withBench(async (bench) => {
      const body = { ...configMap('a'), data: nested(depthLimit + 1) };
      const answer = await bench.post(configMaps, body);
      expect(answer.status).toBe(400);
      expect(answer.body['message']).toContain(`nested deeper than ${depthLimit}`);
    }));
});
