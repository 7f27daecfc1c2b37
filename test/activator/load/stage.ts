// A world under load that ends with its test.
import { onTestFinished } from 'vitest';
import { LoadWorld, type LoadOptions } from './world.ts';

/** With so many pods in the table. */
export async function start(options: LoadOptions, pods = 0): Promise<LoadWorld> {
  const world = await LoadWorld.start(options);
  onTestFinished(() => world.stop());
  await world.addAll(pods);
  return world;
}
