// Rows by column, as they travel (protocol.ts): built one row at a time, so that whoever walks over
// thousands can leave the event loop to others meanwhile, and written as JSON in pieces for the
// same reason. And back to rows, of what another process sent.
import type { ActorRow } from '#actors/history/history.ts';
import type { ActorColumns } from '#src/inspector/protocol.ts';

/** A row with its state as text. */
export interface ListedRow {
  readonly kind: string;
  readonly namespace: string;
  readonly name: string;
  readonly state: string;
  readonly parent: string | undefined;
  readonly since: number;
  readonly restarts: number;
  readonly parked: boolean;
  readonly mailbox: number;
}

export const listedOf = ({ key, state, machine: _, ...row }: ActorRow): ListedRow => ({
  ...row,
  kind: key.kind,
  namespace: key.namespace,
  name: key.name,
  state: JSON.stringify(state),
});

export const idOf = ({ kind, namespace, name }: Pick<ListedRow, 'kind' | 'namespace' | 'name'>) =>
  `${kind}/${namespace}/${name}`;

/** Values of one piece of a column. */
const pieceLength = 2_000;

class Table {
  readonly values: string[] = [];
  readonly #places = new Map<string, number>();

  at(value: string): number {
    const known = this.#places.get(value);
    if (known !== undefined) return known;
    this.#places.set(value, this.values.length);
    return this.values.push(value) - 1;
  }
}

export class Columns {
  readonly #tables = {
    kind: new Table(),
    namespace: new Table(),
    state: new Table(),
    parent: new Table(),
  };
  readonly #columns = {
    kindAt: [] as number[],
    namespaceAt: [] as number[],
    name: [] as string[],
    stateAt: [] as number[],
    parentAt: [] as number[],
    since: [] as number[],
    restarts: [] as number[],
    parked: [] as number[],
    mailbox: [] as number[],
  };

  get length(): number {
    return this.#columns.name.length;
  }

  add({ kind, namespace, name, state, parent, ...row }: ListedRow): void {
    const own = this.#columns;
    const table = this.#tables;
    own.kindAt.push(table.kind.at(kind));
    own.namespaceAt.push(table.namespace.at(namespace));
    own.name.push(name);
    own.stateAt.push(table.state.at(state));
    own.parentAt.push(parent === undefined ? -1 : table.parent.at(parent));
    own.since.push(row.since);
    own.restarts.push(row.restarts);
    own.parked.push(row.parked ? 1 : 0);
    own.mailbox.push(row.mailbox);
  }

  /** JSON of ActorColumns. */
  *pieces(): Iterable<string> {
    const tables = Object.entries(this.#tables).map(([name, { values }]) => [name, values]);
    yield `{"tables":${JSON.stringify(Object.fromEntries(tables))}`;
    for (const [name, values] of Object.entries(this.#columns)) {
      yield `,"${name}":[`;
      for (let start = 0; start < values.length; start += pieceLength) {
        const piece = JSON.stringify(values.slice(start, start + pieceLength));
        yield `${start === 0 ? '' : ','}${piece.slice(1, -1)}`;
      }
      yield ']';
    }
    yield '}';
  }
}

/** Of what a process of ours sent. */
export function* rowsIn(columns: ActorColumns): Iterable<ListedRow> {
  const { tables } = columns;
  for (const [index, name] of columns.name.entries()) {
    yield {
      name,
      kind: tables.kind[columns.kindAt[index] ?? -1] ?? '',
      namespace: tables.namespace[columns.namespaceAt[index] ?? -1] ?? '',
      state: tables.state[columns.stateAt[index] ?? -1] ?? 'null',
      parent: tables.parent[columns.parentAt[index] ?? -1],
      since: columns.since[index] ?? 0,
      restarts: columns.restarts[index] ?? 0,
      parked: columns.parked[index] === 1,
      mailbox: columns.mailbox[index] ?? 0,
    };
  }
}
