// What the build of the page leaves: names by content, compressed copies, a manifest, nothing that
// the policy of the page forbids, and no more than a phone loads in a moment.
import { mkdtempSync, readdirSync, readFileSync, rmSync, statSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { brotliDecompressSync, gunzipSync } from 'node:zlib';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { buildPage } from '#src/inspector/page/build.ts';
import { type PageManifest, readManifest } from '#src/inspector/page/manifest.ts';

/** All scripts and styles, those too that are loaded when they are wanted. */
const maxGzipBytes = 60_000;

describe('The built page', () => {
  const folder = mkdtempSync(join(tmpdir(), 'coppice-built-'));
  let manifest: PageManifest;
  beforeAll(async () => {
    manifest = await buildPage(folder);
  });
  afterAll(() => rmSync(folder, { recursive: true }));

  it('is there three times: as it is, and compressed in two ways', () => {
    for (const [name, { bytes }] of Object.entries(manifest.files)) {
      const plain = readFileSync(join(folder, name));
      expect(plain.length).toBe(bytes);
      expect(gunzipSync(readFileSync(join(folder, `${name}.gz`)))).toEqual(plain);
      expect(brotliDecompressSync(readFileSync(join(folder, `${name}.br`)))).toEqual(plain);
    }
    expect(readManifest(folder)).toEqual(manifest);
  });

  it('is left as it is where the sources are the same', async () => {
    const before = readdirSync(folder).map((name) => statSync(join(folder, name)).mtimeMs);
    expect(await buildPage(folder)).toEqual(manifest);
    expect(readdirSync(folder).map((name) => statSync(join(folder, name)).mtimeMs)).toEqual(before);
  });

  it('has its assets under names by content, and no script or style within the page', () => {
    const index = readFileSync(join(folder, manifest.index), 'utf8');
    const named = Array.from(index.matchAll(/"\/ui\/assets\/([^"]+)"/g), ([, name]) => name);
    expect(named).toHaveLength(3);
    for (const name of named) {
      expect(Object.keys(manifest.files)).toContain(name);
      expect(name).toMatch(/-[\w-]{8}\.(?:js|css|svg)$/);
    }
    expect(index).not.toMatch(/<style|style=|<script[^>]*>[^<]|onload=/);
  });

  it('is small', () => {
    const loaded = Object.entries(manifest.files).filter(([name]) => /\.(?:js|css)$/.test(name));
    const sum = loaded.reduce((total, [, { gzipBytes }]) => total + gzipBytes, 0);
    expect(sum).toBeLessThan(maxGzipBytes);
  });
});
