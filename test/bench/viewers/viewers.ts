// Viewers without a browser: each follows the stream as the page does and counts the facts in it.
import type { ActorPage, Session } from '#src/inspector/protocol.ts';

export class Viewers {
  readonly #abort = new AbortController();
  readonly #reading: Promise<void>[] = [];
  /** That came, and that they were told of as left out, of all of them. */
  facts = 0;

  /** Resolves when all follow. */
  static async open(url: string, token: string, count: number): Promise<Viewers> {
    const viewers = new Viewers();
    for (let index = 0; index < count; index++) await viewers.#add(url, token);
    return viewers;
  }

  close(): void {
    this.#abort.abort();
  }

  async #add(url: string, token: string): Promise<void> {
    const { signal } = this.#abort;
    const headers = { authorization: `Bearer ${token}` };
    const ask = async (path: string): Promise<Response> => {
      const response = await fetch(`${url}/api/v1${path}`, { headers, signal });
      if (!response.ok) throw new Error(`${path}: ${response.status} ${await response.text()}`);
      return response;
    };
    const session: Session = JSON.parse(await (await ask('/session')).text());
    const page: ActorPage = JSON.parse(await (await ask('/actors')).text());
    const query = `after=${page.sequence}&process=${session.process}&facts=all`;
    const stream = await ask(`/stream?${query}`);
    this.#reading.push(this.#read(stream).catch(() => {}));
  }

  /** Facts are counted by a word that each has once; what a viewer does with them is its own. */
  async #read(response: Response): Promise<void> {
    if (response.body === null) return;
    const decoder = new TextDecoder();
    for await (const chunk of response.body) {
      const text = decoder.decode(chunk, { stream: true });
      this.facts += text.split('"about":').length - 1;
      for (const [, skipped] of text.matchAll(/"skipped":(\d+)/g)) this.facts += Number(skipped);
    }
  }
}
