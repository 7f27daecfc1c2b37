// A server that speaks the inspector's protocol over made-up actors: for tests of the page alone,
// and for the benchmark, which wants as many changes as it says. Everything is told to it; what it
// does not know is NOT_FOUND.
import { readFileSync } from 'node:fs';
import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import { join } from 'node:path';
import { gzipSync } from 'node:zlib';
import { readManifest } from '#src/inspector/page/manifest.ts';
import type {
  ActorId,
  FactRow,
  HistoryPage,
  Overview,
  Session,
  StreamEvent,
} from '#src/inspector/protocol.ts';
import { idOf, json, pageHeaders, refuse, write } from './replies.ts';
import { type FakeRow, columnsOf } from './rows.ts';

const chartsText = readFileSync(new URL('../../../src/inspector/charts.json', import.meta.url));

export interface FakeOptions {
  /** Where the page was built. */
  readonly folder: string;
  readonly port?: number;
  /** Absent: nobody is asked for one. */
  readonly token?: string;
  readonly process?: string;
  readonly batchMs?: number;
}

export class FakeInspector {
  readonly rows = new Map<ActorId, FakeRow>();
  readonly facts: FactRow[] = [];
  /** Answers of `why` and `state`. */
  readonly why = new Map<ActorId, object>();
  readonly state = new Map<ActorId, object>();
  /** Commands as they came. */
  readonly commands: { id: ActorId; command: string; reason: string }[] = [];
  /** Pages that are served beside the built one, by path. */
  readonly pages = new Map<string, string>();
  overview: Omit<Overview, 'sequence' | 'actors'>;
  older: HistoryPage['older'] = 'begin';
  /** What JetStream has from before this process, newest first. */
  streamed: readonly FactRow[] = [];
  mayCommand = true;
  /** Cannot say who asks, as the API server says nothing. */
  isSilent = false;
  /** Answers nothing, as a port-forward whose other end is gone. */
  isMute = false;
  readonly #options: FakeOptions;
  readonly #server: Server;
  readonly #startedAt = Date.now();
  readonly #streams = new Map<ServerResponse, string>();
  readonly #changed = new Set<ActorId>();
  readonly #gone = new Set<ActorId>();
  #fresh: FactRow[] = [];
  #sequence = 1;
  #timer: NodeJS.Timeout | undefined;

  private constructor(options: FakeOptions) {
    this.#options = options;
    const process = options.process ?? 'coppice-0';
    this.overview = {
      parked: 0,
      restarting: 0,
      backingOff: [],
      answers: {},
      writesPerSecond: 0,
      watches: [],
      shards: [{ shard: 0, holder: process, isHere: true }],
    };
    this.#server = createServer((request, response) => {
      void this.#answer(request, response).catch((error: unknown) => {
        refuse(response, 500, 'ASSERTION', String(error));
      });
    });
  }

  static async start(options: FakeOptions): Promise<FakeInspector> {
    const fake = new FakeInspector(options);
    const { promise, resolve, reject } = Promise.withResolvers<void>();
    fake.#server.once('error', reject).listen(options.port ?? 0, '127.0.0.1', resolve);
    await promise;
    fake.#timer = setInterval(() => fake.#send(), options.batchMs ?? 100);
    return fake;
  }

  get port(): number {
    const address = this.#server.address();
    return typeof address === 'object' && address !== null ? address.port : 0;
  }

  get url(): string {
    return `http://127.0.0.1:${this.port}`;
  }

  get viewers(): number {
    return this.#streams.size;
  }

  async stop(): Promise<void> {
    clearInterval(this.#timer);
    this.#server.closeAllConnections();
    await new Promise((resolve) => this.#server.close(resolve));
  }

  /** Viewers hear of it with the next batch. */
  change(...rows: readonly FakeRow[]): void {
    for (const row of rows) {
      this.rows.set(row.id, row);
      this.#changed.add(row.id);
    }
  }

  remove(id: ActorId): void {
    this.rows.delete(id);
    this.#changed.delete(id);
    this.#gone.add(id);
  }

  note(...facts: readonly FactRow[]): void {
    this.facts.push(...facts);
    this.#fresh.push(...facts);
  }

  /** To all viewers, at once. */
  tell(event: StreamEvent): void {
    for (const stream of this.#streams.keys()) write(stream, event);
  }

  #send(): void {
    const rows = [...this.#changed].flatMap((id) => this.rows.get(id) ?? []);
    const gone = [...this.#gone];
    const facts = this.#fresh;
    this.#changed.clear();
    this.#gone.clear();
    this.#fresh = [];
    if (rows.length + gone.length > 0) {
      this.tell({ type: 'delta', sequence: ++this.#sequence, rows: columnsOf(rows), gone });
    }
    for (const [stream, wanted] of this.#streams) {
      const own = facts.filter(({ about }) => wanted === 'all' || wanted === about);
      if (own.length === 0) continue;
      write(stream, { type: 'facts', sequence: this.#sequence, facts: own, skipped: 0 });
    }
  }

  async #answer(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const url = new URL(request.url ?? '/', this.url);
    const page = this.pages.get(url.pathname);
    const html = { 'content-type': 'text/html; charset=utf-8' };
    if (page !== undefined) return void response.writeHead(200, html).end(page);
    if (url.pathname.startsWith('/ui/')) return this.#page(url.pathname, response);
    if (this.isMute) return;
    if (this.isSilent) return refuse(response, 502, 'SERVER_ERROR', 'no answer within 1500 ms');
    const { token } = this.#options;
    if (token !== undefined && request.headers.authorization !== `Bearer ${token}`) {
      refuse(response, 401, 'UNAUTHORIZED', 'a token is needed: open the link, or give one');
      return;
    }
    const [, , , ...parts] = url.pathname.split('/').map(decodeURIComponent);
    if (request.method === 'POST') return this.#post(parts, token ?? '', request, response);
    this.#get(parts, url.searchParams, response);
  }

  #page(path: string, response: ServerResponse): void {
    const { folder } = this.#options;
    const manifest = readManifest(folder);
    const name = path.startsWith('/ui/assets/') ? path.slice('/ui/assets/'.length) : manifest.index;
    const file = manifest.files[name];
    if (file === undefined) return refuse(response, 404, 'NOT_FOUND', name);
    response
      .writeHead(200, { ...pageHeaders, 'content-type': file.type, 'content-encoding': 'gzip' })
      .end(readFileSync(join(folder, `${name}.gz`)));
  }

  async #post(
    parts: readonly string[],
    token: string,
    request: IncomingMessage,
    response: ServerResponse,
  ): Promise<void> {
    if (parts[0] === 'session') return json(response, { token });
    const [, kind, namespace, name, command = ''] = parts;
    const id = idOf(kind, namespace, name);
    const chunks: Buffer[] = [];
    for await (const chunk of request) chunks.push(chunk);
    const body = JSON.parse(Buffer.concat(chunks).toString());
    if (!this.mayCommand) {
      return refuse(response, 403, 'FORBIDDEN', `kim may not park ${id}: needs the verb park`);
    }
    this.commands.push({ id, command, reason: body.reason });
    const row = this.rows.get(id);
    if (row !== undefined) this.change({ ...row, isParked: command === 'park' });
    json(response, { parked: command === 'park' });
  }

  #get(parts: readonly string[], query: URLSearchParams, response: ServerResponse): void {
    const [first = '', kind, namespace, name, question] = parts;
    switch (first) {
      case 'session':
        return json(response, this.#session());
      case 'overview':
        return json(response, {
          ...this.overview,
          sequence: this.#sequence,
          actors: this.rows.size,
        });
      case 'charts':
        response.writeHead(200, { 'content-type': 'application/json' }).end(chartsText);
        return;
      case 'stream':
        return this.#stream(query, response);
      case 'traces':
        return json(response, {
          trace: kind,
          facts: this.facts.filter(({ trace }) => trace === kind),
          isWhole: true,
        });
      case 'facts':
        return json(response, {
          facts: this.facts.filter(
            ({ at }) => at >= Number(query.get('from')) && at <= Number(query.get('to')),
          ),
          older: this.older,
        });
      case 'actors':
        if (kind === undefined) return this.#list(response);
        return this.#actor(idOf(kind, namespace, name), question, query, response);
      default:
        return refuse(response, 404, 'NOT_FOUND', `no ${first}`);
    }
  }

  #session(): Session {
    const { process = 'coppice-0' } = this.#options;
    return {
      user: 'kim@example.com',
      commands: true,
      version: '0.1.0',
      process,
      startedAt: this.#startedAt,
      now: Date.now(),
      stream: 'none',
      shards: this.overview.shards,
    };
  }

  #list(response: ServerResponse): void {
    const rows = [...this.rows.values()];
    const page = { sequence: this.#sequence, total: rows.length, rows: columnsOf(rows) };
    const body = gzipSync(JSON.stringify(page), { level: 1 });
    const type = { 'content-type': 'application/json', 'content-encoding': 'gzip' };
    response.writeHead(200, type).end(body);
  }

  #actor(
    id: ActorId,
    question: string | undefined,
    query: URLSearchParams,
    response: ServerResponse,
  ): void {
    if (question === 'history') {
      if (query.has('stream')) return json(response, { facts: this.streamed, older: 'begin' });
      const before = Number(query.get('before') ?? Infinity);
      const limit = Number(query.get('limit'));
      const older = this.facts.filter(({ about, sequence }) => about === id && sequence < before);
      const facts = older.slice(-limit).toReversed();
      const isEnd = older.length === facts.length;
      if (isEnd && this.streamed.length > 0) {
        return json(response, { facts, older: 'more', stream: 1 } satisfies HistoryPage);
      }
      return json(response, { facts, older: isEnd ? this.older : 'more' } satisfies HistoryPage);
    }
    const answer = (question === 'why' ? this.why : this.state).get(id);
    if (answer !== undefined) return json(response, answer);
    const row = this.rows.get(id);
    if (row === undefined) return refuse(response, 404, 'NOT_FOUND', `no actor ${id}`);
    json(response, {
      key: id,
      mode: 'alive',
      because: [],
      decisions: [],
      blocked: [],
      wakesAt: null,
    });
  }

  #stream(query: URLSearchParams, response: ServerResponse): void {
    response.writeHead(200, { 'content-type': 'text/event-stream', 'cache-control': 'no-store' });
    this.#streams.set(response, query.get('facts') ?? '');
    response.on('close', () => this.#streams.delete(response));
    write(response, { type: 'ping', now: Date.now() });
    if (Number(query.get('after')) !== this.#sequence) {
      write(response, { type: 'resync', why: 'the sequence is not known' });
    }
  }
}
