// What tests of the page stand on that want a server for each of them: one browser for all of a
// file, tabs and servers that end with their test. What a page said that is an error fails it.
import type { Page } from 'playwright-core';
import { afterAll, afterEach, beforeAll } from 'vitest';
import { systemClock } from '#src/time/clock.ts';
import { Browsing } from './browser.ts';
import { FakeInspector, type FakeOptions } from './fake.ts';
import { playScene } from './scene.ts';

/** To be called once in a `describe`. */
export function pageStage() {
  let browsing: Browsing;
  const fakes: FakeInspector[] = [];
  beforeAll(async () => {
    browsing = await Browsing.open();
  });
  afterEach(async () => {
    await browsing.closeTabs();
    for (const fake of fakes.splice(0)) await fake.stop();
    const [error] = browsing.errors.splice(0);
    if (error !== undefined) throw new Error(`the page said: ${error}`);
  });
  afterAll(() => browsing?.close());
  /** Without actors. */
  const serve = async (options: Partial<FakeOptions> = {}): Promise<FakeInspector> => {
    const fake = await FakeInspector.start({ folder: browsing.folder, ...options });
    fakes.push(fake);
    return fake;
  };
  const tab = (): Promise<Page> => browsing.tab();
  return {
    serve,
    tab,
    /** With the actors of the scene, and an empty tab. */
    start: async (options: Partial<FakeOptions> = {}) => {
      const fake = await serve(options);
      playScene(fake, systemClock.now());
      return { fake, page: await tab() };
    },
  };
}

/** In a row of the tree. */
export const rowIn = (page: Page, name: string) => page.getByRole('row').filter({ hasText: name });
