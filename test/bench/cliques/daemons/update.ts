// The daemon as NVIDIA ships it (S1), and with a random index (S2): makes sure that the clique is
// there, puts its row in by a PUT of the whole object that is guarded by its version, and later a
// PUT of its status. A conflict is tried again at the next event of the watch, or after a back-off.
import { object } from '#machines/kubernetes/json.ts';
import type { KubeRequest } from '#src/kube/transport/transport.ts';
import { cliqueName, cliqueObject, cliquesIn, type Row, withRows } from '../clique.ts';
import { firstIndex } from '../choice.ts';
import type { Writer, WriterOptions } from './writer.ts';
import { WorkQueue } from './work-queue.ts';

export class UpdateWriter implements Writer {
  readonly #options: WriterOptions;
  readonly #queue: WorkQueue;
  readonly #collection: string;

  constructor(options: WriterOptions) {
    this.#options = options;
    this.#queue = new WorkQueue(options.random);
    this.#collection = cliquesIn(options.key.namespace);
  }

  start(): void {
    this.#queue.add('cdclique', () => this.#ensure());
    // What the first list shows counts as an event.
    if (this.#options.view.clique !== undefined) this.seen();
  }

  seen(): void {
    this.#queue.add('cdclique', () => this.#sync());
  }

  ready(): void {
    this.#queue.add('pod', () => this.#tellReady());
  }

  close(): void {
    this.#queue.close();
  }

  /** That another was faster is an error as any other: the event of its create comes next. */
  async #ensure(): Promise<void> {
    const { view, key, owner } = this.#options;
    if (view.clique !== undefined) return;
    const body = cliqueObject(key, [owner], undefined);
    await this.#write({ method: 'POST', path: this.#collection, body });
  }

  async #sync(): Promise<void> {
    const { view, node, address, key, strategy, random } = this.#options;
    const { own, rows } = view;
    if (view.clique === undefined || own?.ipAddress === address) return;
    if (own !== undefined) {
      return this.#put(rows.map((row) => (row === own ? { ...row, ipAddress: address } : row)));
    }
    const index = firstIndex(rows, strategy, random);
    if (index === undefined) throw new Error('no index is left');
    const { cliqueId: cliqueID } = key;
    const added: Row = { nodeName: node, ipAddress: address, cliqueID, index, status: 'NotReady' };
    await this.#put([...rows, added]);
  }

  async #tellReady(): Promise<void> {
    const { own, rows } = this.#options.view;
    if (own === undefined) throw new Error('the row is not in yet');
    if (own.status === 'Ready') return;
    await this.#put(rows.map((row) => (row === own ? { ...row, status: 'Ready' } : row)));
  }

  #put(rows: readonly Row[]): Promise<void> {
    const { view, key, owner } = this.#options;
    const body = withRows(object(view.clique), rows, [owner]);
    const path = `${this.#collection}/${cliqueName(key)}`;
    return this.#write({ method: 'PUT', path, body });
  }

  async #write(request: KubeRequest): Promise<void> {
    this.#options.view.take(await this.#options.wire.must(request));
    this.#options.changed();
  }
}
