// A connection to the inspector of a Node process: for profiles, and for what it can say of its
// heap and its event loop.
import { at, count } from '#machines/kubernetes/json.ts';

/** Requests and their answers; events of the inspector are not looked at. */
export class InspectorSession {
  readonly #socket: WebSocket;
  readonly #waiting = new Map<number, PromiseWithResolvers<unknown>>();
  #ids = 0;

  private constructor(socket: WebSocket) {
    this.#socket = socket;
    socket.addEventListener('message', ({ data }) => this.#take(JSON.parse(String(data))));
    socket.addEventListener('close', () => this.#fail());
  }

  static async connect(url: string): Promise<InspectorSession> {
    const socket = new WebSocket(url);
    const opened = Promise.withResolvers<void>();
    socket.addEventListener('open', () => opened.resolve());
    socket.addEventListener('error', () => opened.reject(new Error(`no inspector at ${url}`)));
    await opened.promise;
    return new InspectorSession(socket);
  }

  post(method: string, params: object = {}): Promise<unknown> {
    const id = ++this.#ids;
    const answer = Promise.withResolvers<unknown>();
    this.#waiting.set(id, answer);
    this.#socket.send(JSON.stringify({ id, method, params }));
    return answer.promise;
  }

  close(): void {
    this.#socket.close();
  }

  #take(message: unknown): void {
    const id = count(at(message, 'id')) ?? 0;
    const answer = this.#waiting.get(id);
    this.#waiting.delete(id);
    const error = at(message, 'error');
    if (error === undefined) answer?.resolve(at(message, 'result'));
    else answer?.reject(new Error(JSON.stringify(error)));
  }

  #fail(): void {
    for (const { reject } of this.#waiting.values()) reject(new Error('the process has ended'));
  }
}
