// Viewers without a browser: each follows the stream as the page does. What a viewer does with it
// is its own, and these share the cores of the controller: only the first looks into it.
import { get, type IncomingMessage } from 'node:http';
import type { ActorPage, Session } from '#src/inspector/protocol.ts';

export class Viewers {
  readonly #abort = new AbortController();
  /** That came to one of them, or that it was told of as left out. */
  facts = 0;
  /** That came to all of them. */
  bytes = 0;

  /** Resolves when all follow. */
  static async open(url: string, token: string, count: number): Promise<Viewers> {
    const viewers = new Viewers();
    for (let index = 0; index < count; index++) await viewers.#add(url, token, index === 0);
    return viewers;
  }

  close(): void {
    this.#abort.abort();
  }

  async #add(url: string, token: string, isCounted: boolean): Promise<void> {
    const { signal } = this.#abort;
    const headers = { authorization: `Bearer ${token}` };
    const ask = async (path: string): Promise<string> => {
      const response = await fetch(`${url}/api/v1${path}`, { headers, signal });
      const text = await response.text();
      if (!response.ok) throw new Error(`${path}: ${response.status} ${text}`);
      return text;
    };
    const session: Session = JSON.parse(await ask('/session'));
    const page: ActorPage = JSON.parse(await ask('/actors'));
    const query = `after=${page.sequence}&process=${session.process}&facts=all`;
    const stream = await streamOf(`${url}/api/v1/stream?${query}`, headers, signal);
    stream.on('data', (chunk: Buffer) => {
      this.bytes += chunk.length;
      if (isCounted) this.#count(chunk.toString('latin1'));
    });
    stream.on('error', () => {});
  }

  /** By a word that each fact has once. One that two chunks share is not counted. */
  #count(text: string): void {
    this.facts += text.split('"about":').length - 1;
    for (const [, skipped] of text.matchAll(/"skipped":(\d+)/g)) this.facts += Number(skipped);
  }
}

const streamOf = (
  url: string,
  headers: Readonly<Record<string, string>>,
  signal: AbortSignal,
): Promise<IncomingMessage> =>
  new Promise((resolve, reject) => {
    get(url, { headers, signal, agent: false }, (response) =>
      response.statusCode === 200
        ? resolve(response)
        : reject(new Error(`the stream was answered with ${response.statusCode}`)),
    ).on('error', reject);
  });
