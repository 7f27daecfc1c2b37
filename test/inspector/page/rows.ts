// Rows of made-up actors, and rows as columns.
import type { JsonObject } from '#machines/kubernetes/objects.ts';
import type { ActorColumns, ActorId } from '#src/inspector/protocol.ts';

export interface FakeRow {
  readonly id: ActorId;
  readonly state: string | object;
  readonly parent?: ActorId;
  readonly since?: number;
  readonly restarts?: number;
  readonly isParked?: boolean;
  readonly mailbox?: number;
}

class Table {
  readonly texts: string[] = [];
  readonly #places = new Map<string, number>();

  place(text: string): number {
    const known = this.#places.get(text);
    if (known !== undefined) return known;
    this.#places.set(text, this.texts.length);
    return this.texts.push(text) - 1;
  }
}

export function columnsOf(rows: readonly FakeRow[]): ActorColumns {
  const [kinds, namespaces, states, parents] = [new Table(), new Table(), new Table(), new Table()];
  const keys = rows.map(({ id }) => id.split('/'));
  return {
    kindAt: keys.map(([kind = '']) => kinds.place(kind)),
    namespaceAt: keys.map(([, namespace = '']) => namespaces.place(namespace)),
    name: keys.map(([, , name = '']) => name),
    stateAt: rows.map(({ state }) => states.place(JSON.stringify(state))),
    parentAt: rows.map(({ parent }) => (parent === undefined ? -1 : parents.place(parent))),
    since: rows.map(({ since = 0 }) => since),
    restarts: rows.map(({ restarts = 0 }) => restarts),
    parked: rows.map(({ isParked = false }) => (isParked ? 1 : 0)),
    mailbox: rows.map(({ mailbox = 0 }) => mailbox),
    tables: {
      kind: kinds.texts,
      namespace: namespaces.texts,
      state: states.texts,
      parent: parents.texts,
    },
  };
}

const setReady = {
  active: {
    spec: 'accepted',
    children: 'complete',
    availability: 'available',
    rollout: 'current',
    topology: 'unconstrained',
    readiness: 'ready',
  },
};
const cliqueReady = {
  active: {
    spec: 'accepted',
    scheduling: 'sufficient',
    breach: 'met',
    rollout: 'current',
    readiness: 'ready',
  },
};
const groupReady = {
  active: {
    spec: 'accepted',
    source: 'known',
    scheduling: 'held',
    breach: 'met',
    termination: 'met',
    rollout: 'current',
    readiness: 'ready',
  },
};

/** Regions of a top state, some of them otherwise. */
const but = (state: { readonly active: JsonObject }, other: JsonObject): JsonObject => ({
  active: { ...state.active, ...other },
});
export const states = {
  setReady,
  setUnavailable: but(setReady, { availability: 'unavailable', readiness: 'unavailable' }),
  setUpdating: but(setReady, { rollout: 'replacing', readiness: 'updating' }),
  cliqueReady,
  cliqueUnscheduled: but(cliqueReady, {
    scheduling: 'insufficient',
    breach: 'unscheduled',
    readiness: 'unscheduled',
  }),
  cliqueUnready: but(cliqueReady, { breach: 'unready', readiness: 'unready' }),
  cliqueReplacing: but(cliqueReady, { rollout: 'replacing', readiness: 'updating' }),
  groupReady,
  groupUpdating: but(groupReady, { rollout: 'replacing', readiness: 'updating' }),
  gangReady: { active: { initialization: 'initialized' } },
  gangCollecting: { active: { initialization: 'collecting' } },
} as const;

/** A set with a router and a group of leaders and workers, of so many replicas; all ready. */
export function setOf(
  namespace: string,
  name: string,
  replicas: number,
  groupReplicas: number,
  since: number,
): readonly FakeRow[] {
  const set = `podcliqueset/${namespace}/${name}`;
  const rows: FakeRow[] = [{ id: set, state: setReady, since }];
  for (let replica = 0; replica < replicas; replica++) {
    const base = `${name}-${replica}`;
    const group = `scalinggroup/${namespace}/${base}-engine`;
    rows.push(
      { id: `podgang/${namespace}/${base}`, state: states.gangReady, parent: set, since },
      { id: `podclique/${namespace}/${base}-router`, state: cliqueReady, parent: set, since },
      { id: group, state: groupReady, parent: set, since },
    );
    for (let index = 0; index < groupReplicas; index++) {
      for (const role of ['leader', 'worker']) {
        const id = `podclique/${namespace}/${base}-engine-${index}-${role}`;
        rows.push({ id, state: cliqueReady, parent: group, since });
      }
      if (index > 0) {
        const id = `podgang/${namespace}/${base}-engine-${index - 1}`;
        rows.push({ id, state: states.gangReady, parent: set, since });
      }
    }
  }
  return rows;
}
