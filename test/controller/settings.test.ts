// The part of the configuration that machines depend on: the init container's image.
import { describe, expect, it } from 'vitest';
import { initImage } from '#src/controller/settings.ts';

describe('the image of the init container', () => {
  it.each([
    [undefined, 'coppice:1.2.3'],
    ['', 'coppice:1.2.3'],
    ['example.org/grove-initc', 'example.org/grove-initc:1.2.3'],
    ['example.org:5000/initc', 'example.org:5000/initc:1.2.3'],
    ['example.org:5000/initc:7', 'example.org:5000/initc:7'],
    ['initc@sha256:ab', 'initc@sha256:ab'],
  ])('named %j is %j', (given, image) => {
    expect(initImage(given, '1.2.3')).toBe(image);
  });
});
