// A controller that runs from the image, and sees nothing but its files, deploys a set on the real
// control plane. What is in the image: test/e2e/image/image.test.ts.
import { afterAll, beforeAll, test } from 'vitest';
import { imageSkip, Unpacked } from '../image/unpacked.ts';
import { manifest, twoRoles } from './sets.ts';
import { describeReal } from './stage.ts';

describeReal('The image on the real control plane', (at) => {
  const image = new Unpacked();
  beforeAll(async () => {
    if (imageSkip === '') await image.start();
  });
  afterAll(() => image.end());

  test.skipIf(imageSkip !== '')(`deploys a set as its user${imageSkip}`, async () => {
    const stage = at();
    const here = await stage.namespace('e2e-image');
    await stage.controller({ run: (...args) => stage.run(...image.command(...args)) });
    await stage.kube.create(here, 'podcliquesets', manifest(twoRoles));
    await stage.ready(here, twoRoles);
  });
});
