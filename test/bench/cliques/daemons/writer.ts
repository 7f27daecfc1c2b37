// What a strategy adds to a simulated daemon: how it brings its row into the clique and says that
// it is ready. Daemons that only announce themselves have no such writer.
import type { Random } from '#actors/ports.ts';
import type { CliqueKey, Owner } from '../clique.ts';
import type { Strategy } from '../strategies.ts';
import type { Wire } from '../wire.ts';
import type { View } from './view.ts';

export interface WriterOptions {
  readonly key: CliqueKey;
  readonly node: string;
  readonly address: string;
  readonly owner: Owner;
  readonly strategy: Strategy;
  readonly random: Random;
  readonly wire: Wire;
  readonly view: View;
  /** After a write that the server has accepted: the view is newer than the watch. */
  readonly changed: () => void;
}

export interface Writer {
  /** Once, after the daemon has announced itself. */
  start(): void;
  /** At each event of the watch after that. */
  seen(): void;
  /** Its pod became ready. */
  ready(): void;
  close(): void;
}
