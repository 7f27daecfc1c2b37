// The files of the page, as its build has left them (src/inspector/page/manifest.ts): looked up by
// name in the manifest, so that no path leads anywhere else. Every path under `/ui/` that is no
// asset is the page itself, whose script reads the path. Read once, at the first request.
import { readFile } from 'node:fs/promises';
import type { IncomingMessage, ServerResponse } from 'node:http';
import { join } from 'node:path';
import { refusal } from '#bus/answers.ts';
import { type PageManifest, readManifest } from '#src/inspector/page/manifest.ts';
import { malformed } from './query.ts';
import { safeHeaders, sendReply, takes } from './replies.ts';

/** By what a client takes, best first; the file as it is last. */
const encodings = [
  { name: 'br', ending: '.br' },
  { name: 'gzip', ending: '.gz' },
  { name: '', ending: '' },
];

const assets = '/ui/assets/';

const forEver = 'public, max-age=31536000, immutable';

interface Built extends PageManifest {
  readonly folder: string;
}

export class Page {
  readonly #folder: () => Promise<string>;
  readonly #onMissing: (error: unknown) => void;
  #manifest: Built | undefined;
  readonly #files = new Map<string, Promise<Buffer>>();

  /** Asked while there is no page yet; `onMissing` hears why there is none. */
  constructor(folder: () => Promise<string>, onMissing: (error: unknown) => void) {
    this.#folder = folder;
    this.#onMissing = onMissing;
  }

  /** Any path under `/ui`, and `/`, which leads there. */
  async send(path: string, request: IncomingMessage, response: ServerResponse): Promise<void> {
    if (request.method !== 'GET' && request.method !== 'HEAD') {
      const headers = { allow: 'GET, HEAD' };
      const wrong = malformed(`${request.method} is not allowed here`);
      return sendReply(request, response, wrong, { status: 405, headers });
    }
    if (path === '/' || path === '/ui') {
      response.writeHead(308, { ...safeHeaders, location: '/ui/' }).end();
      return;
    }
    const manifest = await this.#read();
    if (manifest === undefined) {
      const missing = 'there is no page here: `npm run build` makes it';
      return sendReply(request, response, refusal('NOT_FOUND', `${missing}; the API is served`));
    }
    const isAsset = path.startsWith(assets);
    const name = isAsset ? path.slice(assets.length) : manifest.index;
    const file = Object.hasOwn(manifest.files, name) ? manifest.files[name] : undefined;
    if (file === undefined || (isAsset && name === manifest.index)) {
      return sendReply(request, response, refusal('NOT_FOUND', 'the page has no such file'));
    }
    const encoding = encodings.find(({ name }) => name === '' || takes(request, name));
    const body = await this.#load(join(manifest.folder, `${name}${encoding?.ending ?? ''}`));
    response.writeHead(200, {
      ...safeHeaders,
      'content-type': file.type,
      'content-length': body.length,
      'cache-control': isAsset ? forEver : 'no-store',
      vary: 'accept-encoding',
      ...(encoding?.name ? { 'content-encoding': encoding.name } : {}),
    });
    response.end(request.method === 'HEAD' ? undefined : body);
  }

  /** Undefined: there is none yet. */
  async #read(): Promise<Built | undefined> {
    if (this.#manifest !== undefined) return this.#manifest;
    try {
      const folder = await this.#folder();
      this.#manifest = { ...readManifest(folder), folder };
      return this.#manifest;
    } catch (error) {
      this.#onMissing(error);
      return undefined;
    }
  }

  #load(file: string): Promise<Buffer> {
    const known = this.#files.get(file) ?? readFile(file);
    this.#files.set(file, known);
    return known;
  }
}
