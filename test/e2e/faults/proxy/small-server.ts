// An API server in miniature for the proxy's own tests: answers every request with the name in its
// path, and tells watchers what the test wants them to hear.
import type { IncomingMessage, ServerResponse } from 'node:http';

export class SmallServer {
  /** Characters of one to four bytes. */
  readonly text = 'aä€😀'.repeat(50);
  /** `GET /path Bearer token`, in the order of arrival. */
  readonly seen: string[] = [];
  readonly #watchers = new Set<ServerResponse>();

  /** Watches that are open. */
  get watches(): number {
    return this.#watchers.size;
  }

  emit(type: string, name: string): void {
    const event = { type, object: { metadata: { namespace: 'here', name } } };
    for (const watcher of this.#watchers) watcher.write(`${JSON.stringify(event)}\n`);
  }

  endWatches(): void {
    for (const watcher of this.#watchers) watcher.end();
  }

  readonly handle = (request: IncomingMessage, response: ServerResponse): void => {
    const { method, url = '', headers } = request;
    this.seen.push(`${method} ${url} ${headers.authorization}`);
    response.setHeader('content-type', 'application/json');
    if (url.includes('watch=true')) return this.#watch(response);
    const chunks: Buffer[] = [];
    request.on('data', (chunk: Buffer) => chunks.push(chunk));
    request.on('end', () => {
      const given: unknown = chunks.length > 0 ? JSON.parse(String(Buffer.concat(chunks))) : {};
      const name = url.split('/').at(-1);
      response.statusCode = method === 'POST' ? 201 : 200;
      response.end(JSON.stringify({ metadata: { name }, ...(given as object), text: this.text }));
    });
  };

  #watch(response: ServerResponse): void {
    response.flushHeaders();
    this.#watchers.add(response);
    response.once('close', () => this.#watchers.delete(response));
  }
}
