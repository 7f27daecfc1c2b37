// The page of the inspector for `coppice dev`: built from the sources when it is opened first, so
// that a start costs nothing, and again when they have changed. A built product has its page.
import { existsSync } from 'node:fs';
import { fileURLToPath } from 'node:url';

const builder = new URL('../inspector/page/build.ts', import.meta.url);

/** Undefined where there are no sources. `folder`: where it is built. */
export function pageBuilder(folder: string): (() => Promise<string>) | undefined {
  if (!existsSync(fileURLToPath(builder))) return undefined;
  let built: Promise<string> | undefined;
  return () => {
    built ??= build(folder).catch((error: unknown) => {
      built = undefined;
      throw error;
    });
    return built;
  };
}

/** By its address, so that a bundle does not take the bundler along. */
async function build(folder: string): Promise<string> {
  const { buildPage }: typeof import('#src/inspector/page/build.ts') = await import(builder.href);
  await buildPage(folder);
  return folder;
}
