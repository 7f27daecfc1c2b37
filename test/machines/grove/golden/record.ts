// What a run of a scenario did, second by second: deletes and creates as they reached the server,
// and the turns of an update. Order that no rule asks for is not in it: within a second it
// is kept for each name and at the turns, and the rest comes by owner and name. Used by run.ts;
// golden.test.ts writes the records of ten seeds as one text.
import { at, list, text } from '#machines/kubernetes/json.ts';
import type { KubeObject } from '#machines/kubernetes/objects.ts';
import type { WriteIntent } from '#test/support/world-store.ts';

interface Line {
  readonly owner: string;
  readonly verb: string;
  readonly what: string;
}

/** A second in which something happened. */
export interface Moment {
  readonly second: number;
  /** In how many the user has acted so far. */
  readonly acts: number;
  readonly lines: readonly string[];
}

/** Templates are called after their images: `busybox:2` is B. */
export const templateOf = (image: unknown): string =>
  String.fromCodePoint(64 + Number(text(image).replace('busybox:', '')));

const ends = 'the update ends';

const indexLabel = 'grove.io/podcliqueset-replica-index';
const groupLabel = 'grove.io/podcliquescalinggroup';
const groupIndexLabel = 'grove.io/podcliquescalinggroup-replica-index';

export class Record {
  readonly moments: Moment[] = [];
  #lines: Line[] = [];
  #user: string[] = [];
  #acts = 0;
  #turn = '';
  /** What was asked to go, by UID: asked again it is no news. */
  readonly #gone = new Set<string>();

  /** Something that the controller did not do. */
  acted(what: string): void {
    this.#user.push(`* ${what}`);
  }

  written(intent: WriteIntent, one: KubeObject | undefined): void {
    if (intent.type === 'writeStatus' && intent.ref.kind === 'PodCliqueSet') {
      this.#turned(at(intent.status, 'updateProgress'));
    } else if (intent.type === 'createObject') this.#add('create', intent.body);
    else if (intent.type === 'deleteObject' && one !== undefined) {
      const isForced = intent.gracePeriodSeconds === 0;
      const id = `${one.metadata.uid ?? ''}${isForced ? ' by force' : ''}`;
      if (!this.#gone.has(id)) this.#add(isForced ? 'delete by force' : 'delete', one);
      this.#gone.add(id);
    }
  }

  /** Ends a second. */
  close(second: number): void {
    const lines = [...this.#user, ...sorted(this.#lines)];
    if (this.#user.length > 0) this.#acts++;
    if (lines.length > 0) this.moments.push({ second, acts: this.#acts, lines });
    this.#lines = [];
    this.#user = [];
  }

  #turned(progress: unknown): void {
    const [turn] = list(at(progress, 'currentlyUpdating'));
    const ended = at(progress, 'updateEndedAt') !== undefined;
    const index = at(turn, 'replicaIndex');
    const said = ended ? ends : index === undefined ? '' : `turn of replica ${String(index)}`;
    if (said === this.#turn) return;
    this.#turn = said;
    if (said !== '') this.#lines.push({ owner: '', verb: 'turn', what: said });
  }

  #add(verb: string, one: KubeObject): void {
    this.#lines.push({ owner: ownerOf(one), verb, what: nameOf(one) });
  }
}

/** Replicas of groups count as owners of their members. */
function ownerOf({ kind, metadata }: KubeObject): string {
  const { labels = {} } = metadata;
  const place = [indexLabel, groupLabel, groupIndexLabel].map((label) => labels[label] ?? '-');
  return kind === 'Pod' ? `${place.join(' ')} ${labels['grove.io/podclique']}` : place.join(' ');
}

function nameOf(one: KubeObject): string {
  const { kind, metadata, spec } = one;
  const [container] = list(at(kind === 'Pod' ? spec : at(spec, 'podSpec'), 'containers'));
  if (container === undefined) return `${kind} ${metadata.name}`;
  const name = kind === 'Pod' ? text(at(spec, 'hostname')) : metadata.name;
  return `${kind} ${name} ${templateOf(at(container, 'image'))}`;
}

/** The turns of an update divide what comes before from what comes after. Between them owners come
 *  by name, and of one owner first what was first done to each of its children. */
function sorted(lines: readonly Line[]): readonly string[] {
  const cut = lines.findIndex(({ verb }, place) => verb === 'turn' && divides(lines, place));
  const [before, turn] = [lines.slice(0, cut < 0 ? lines.length : cut), lines[cut]];
  const counts = new Map<string, number>();
  const keyed = before.map((line) => {
    if (line.verb === 'turn') return { key: '~', line };
    const child = line.what.replace(/ [A-Z]$/, '');
    const time = counts.get(child) ?? 0;
    counts.set(child, time + 1);
    return { key: `${line.owner} ${time} ${line.verb} ${line.what}`, line };
  });
  const own = keyed
    .toSorted((one, other) => (one.key < other.key ? -1 : 1))
    .map(({ line: { verb, what } }) => (verb === 'turn' ? what : `${verb} ${what}`));
  return turn === undefined ? own : [...own, turn.what, ...sorted(lines.slice(cut + 1))];
}

/** But for an end after which only what is not wanted any more goes. */
const divides = (lines: readonly Line[], place: number): boolean =>
  lines[place]?.what !== ends || lines.slice(place).some(({ verb }) => verb === 'create');
