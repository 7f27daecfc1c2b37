// What a built page consists of: build.ts writes it as manifest.json into the folder of the page,
// and the inspector's server serves by it. Every file lies there three times: as it is, with `.br`
// and with `.gz` behind its name.
import { readFileSync } from 'node:fs';
import { join } from 'node:path';

export interface PageFile {
  /** `text/javascript; charset=utf-8` */
  readonly type: string;
  readonly bytes: number;
  readonly gzipBytes: number;
  readonly brotliBytes: number;
}

export interface PageManifest {
  /** Of what the page was built from: the same for the same sources. */
  readonly key: string;
  /** Served at every path under `/ui/` that is no asset, and never kept by browsers: its own script
   *  reads the path. */
  readonly index: string;
  /** By name, the index too. All but the index have their hash in the name, are served under
   *  `/ui/assets/`, and may be kept for ever. */
  readonly files: Readonly<Record<string, PageFile>>;
}

export const manifestName = 'manifest.json';

/** Throws where there is no page in the folder. */
export function readManifest(folder: string): PageManifest {
  const manifest: PageManifest = JSON.parse(readFileSync(join(folder, manifestName), 'utf8'));
  return manifest;
}
