// Between what is read of the clique and IMEX: each look is judged, what is new is said, and a plan
// is handed on. What was read last counts alone. run.ts makes one.
import { at } from '#machines/kubernetes/json.ts';
import type { Plan, Seen } from './desired.ts';
import { judge } from './desired.ts';
import type { AgentLog } from './log.ts';
import type { AgentSettings } from './settings.ts';
import type { Row } from './table.ts';
import { domainRows, rowsIn } from './table.ts';

interface RowsPorts {
  readonly log: AgentLog;
  readonly hand: (plan: Plan) => void;
  /** After each look: whether our own row is there. */
  readonly looked: (isThere: boolean) => void;
}

/** Where the rows are: the collection, and the name of the one object in it. */
export function placeOfRows({ hasCliques, clique, pod, domain }: AgentSettings): {
  readonly collection: string;
  readonly name: string;
} {
  const of = (namespace: string, plural: string): string =>
    `/apis/resource.nvidia.com/v1beta1/namespaces/${namespace}/${plural}`;
  return hasCliques
    ? { collection: of(pod.namespace, 'computedomaincliques'), name: clique }
    : { collection: of(domain.namespace, 'computedomains'), name: domain.name };
}

const none: Seen = { rows: [], wanted: 0 };

export class Rows {
  readonly #settings: AgentSettings;
  readonly #ports: RowsPorts;
  #isOwnThere = false;
  #said = '';

  constructor(settings: AgentSettings, ports: RowsPorts) {
    this.#settings = settings;
    this.#ports = ports;
  }

  /** The object as the API server shows it; undefined: it is not there, which changes nothing for
   *  an IMEX that runs. */
  seen(object: unknown): void {
    this.#isOwnThere = this.#look(object === undefined ? none : this.#read(object));
    this.#ports.looked(this.#isOwnThere);
  }

  /** Rows of the answer to our question, which may come before the watch shows them. They are of
   *  no use where it has shown them already: those may be newer. */
  joined(rows: readonly Row[]): void {
    if (this.#settings.hasCliques && !this.#isOwnThere) this.#look({ rows, wanted: 0 });
  }

  #read(object: unknown): Seen {
    const { hasCliques, domain } = this.#settings;
    if (hasCliques) return { rows: rowsIn(at(object, 'daemons')), wanted: 0 };
    // Another one of the same name is not ours.
    return at(object, 'metadata', 'uid') === domain.uid ? domainRows(object) : none;
  }

  #look(seen: Seen): boolean {
    const { plan, missing, ignored } = judge(seen, this.#settings);
    const waiting = missing === undefined ? [] : [`waiting for ${missing}`];
    const news = [...waiting, ...ignored].join('; ');
    if (news !== this.#said && news !== '') {
      const { length } = ignored;
      this.#ports.log(length > 0 ? 'warn' : 'info', 'rows of the clique', { problem: news });
    }
    this.#said = news;
    if (plan !== undefined) this.#ports.hand(plan);
    return missing !== 'own row';
  }
}
