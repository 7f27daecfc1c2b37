// What docs/grove-compatibility.md says of the way back to Grove: by what an operator tells whether
// Grove finds its own hashes, and which names of ours and of Grove's are on the objects.
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { annotation, finalizer, label, podGate } from '#machines/grove/objects/labels.ts';
import { isObject } from '#machines/kubernetes/json.ts';
import { cliqueSet } from '#test/support/samples.ts';
import type { World } from '#test/support/world.ts';
import { root } from '#test/tidy/sources.ts';
import { leftByGrove } from './grove.ts';
import { deployed, progressOf, setImage, setStrategy, statusOf } from './stage.ts';

const page = readFileSync(join(root, 'docs/grove-compatibility.md'), 'utf8');
const wayBack = page.slice(page.indexOf('## The way back'));

/** As the jq of the page does it. */
function isOfGrove(world: World): boolean {
  const raw = world.get('PodCliqueSet', 'demo')?.metadata.annotations?.['grove.io/adopted-hashes'];
  const generations: unknown = JSON.parse(raw ?? '{}').generations ?? {};
  const hash = statusOf(world, 'PodCliqueSet', 'demo')['currentGenerationHash'];
  return isObject(generations) && Object.values(generations).includes(String(hash));
}

describe('The way back to Grove', () => {
  it('finds the hashes of Grove where the template is as at the take-over, and says so', () => {
    const world = deployed(cliqueSet(1));
    expect(isOfGrove(world)).toBe(false);
    leftByGrove(world);
    world.restart();
    world.converge();
    expect(isOfGrove(world)).toBe(true);
    setImage(world, 'busybox:2');
    world.converge(60);
    expect(isOfGrove(world)).toBe(false);
    setImage(world, 'busybox:1');
    world.converge(60);
    expect(isOfGrove(world)).toBe(true);
  });

  it('leaves no update open where the strategy is set to OnDelete first', () => {
    const world = deployed(cliqueSet(2));
    setImage(world, 'busybox:2');
    setStrategy(world, 'OnDelete');
    world.converge();
    expect(progressOf(world, 'PodCliqueSet', 'demo')).toHaveProperty('updateEndedAt');
  });

  it.each(
    [...Object.values(label), ...Object.values(annotation), ...Object.values(finalizer), podGate]
      .filter((name, index, all) => all.indexOf(name) === index)
      .toSorted(),
  )('says what becomes of %s', (name) => {
    expect(wayBack).toContain(`\`${name}\``);
  });

  it('names no label, annotation or finalizer that is not there', () => {
    const known = new Set<string>([
      ...Object.values(label),
      ...Object.values(annotation),
      ...Object.values(finalizer),
      podGate,
    ]);
    const named = [
      ...wayBack.matchAll(/`((?:grove\.io|app\.kubernetes\.io|kai\.scheduler)\/[^`]+)`/g),
    ];
    const unknown = named.map(([, name = '']) => name).filter((name) => !known.has(name));
    expect(unknown).toEqual([]);
  });
});
