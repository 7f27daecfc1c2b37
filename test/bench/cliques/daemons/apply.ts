// Daemons that own their row alone (S3, S5): server-side apply with a field manager each. Rows
// never conflict, but indices do: whoever sees its own shared moves, as the strategy says, and the
// process that uses the names waits until no index is shared.
import { applyType } from '../wire.ts';
import { cliqueName, cliqueObject, cliquesIn, type Row } from '../clique.ts';
import { firstIndex, nextIndex } from '../choice.ts';
import type { Writer, WriterOptions } from './writer.ts';
import { WorkQueue } from './work-queue.ts';

export class ApplyWriter implements Writer {
  readonly #options: WriterOptions;
  readonly #queue: WorkQueue;

  constructor(options: WriterOptions) {
    this.#options = options;
    this.#queue = new WorkQueue(options.random);
  }

  start(): void {
    this.seen();
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

  async #sync(): Promise<void> {
    const { view, strategy, random } = this.#options;
    const { own, rows } = view;
    if (own === undefined) {
      const index = firstIndex(rows, strategy, random);
      if (index === undefined) throw new Error('no index is left');
      return this.#apply(index, 'NotReady');
    }
    const index = nextIndex(rows, own, strategy, random);
    // Without a write nobody is told of anything: the choice is made again after the back-off.
    if (index === own.index) throw new Error('the index is still shared');
    if (index !== undefined) await this.#apply(index, own.status);
  }

  async #tellReady(): Promise<void> {
    const { own } = this.#options.view;
    if (own === undefined) throw new Error('the row is not in yet');
    if (own.status !== 'Ready') await this.#apply(own.index, 'Ready');
  }

  async #apply(index: number, status: Row['status']): Promise<void> {
    const { key, node, address, owner, wire, view, changed } = this.#options;
    const { cliqueId: cliqueID } = key;
    const row: Row = { nodeName: node, ipAddress: address, cliqueID, index, status };
    const query = `fieldManager=cd-writer-${node}&force=true`;
    const answer = await wire.must({
      method: 'PATCH',
      path: `${cliquesIn(key.namespace)}/${cliqueName(key)}?${query}`,
      contentType: applyType,
      body: cliqueObject(key, [owner], [row]),
    });
    view.take(answer);
    changed();
  }
}
