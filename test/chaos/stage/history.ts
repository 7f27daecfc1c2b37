// One history of the cluster: what is recorded from some moment until the cluster is restored from
// a backup, or the day is over. Its store is what the user looks at and what the end is judged by.
import { join } from 'node:path';
import { EtcdTape } from '../recording/etcd.ts';
import {
  type Answered,
  type Committed,
  type Note,
  steadyNow,
  versionShown,
} from '../recording/records.ts';
import type { Judged } from '../judge/judge.ts';
import { RecordedStore } from '../judge/store.ts';
import { recordsIn } from '../judge/tape.ts';

export class History {
  readonly store = new RecordedStore();
  readonly #etcd: EtcdTape;
  readonly #folder: string;
  readonly #changes: Committed[] = [];
  readonly #answers: Answered[] = [];
  readonly #notes: Note[] = [];
  readonly #tapes = new Map<number, string>();
  #from = 0;
  #until = Infinity;
  readonly #begun = { begunAt: steadyNow(), timeOfDay: Date.now() };

  constructor(etcdUrl: string, folder: string) {
    this.#folder = folder;
    this.#etcd = new EtcdTape(etcdUrl, (change) => {
      this.#changes.push(change);
      this.store.take(change);
    });
  }

  async start(): Promise<void> {
    this.#from = await this.#etcd.start();
  }

  /** Whatever is recorded from now on belongs to the next one. */
  stop(): Promise<void> {
    this.#until = Math.min(this.#until, steadyNow());
    return this.#etcd.stop();
  }

  /** The file that a new process writes to. */
  tapeOf(life: number): string {
    const file = join(this.#folder, `controller-${life}.jsonl`);
    this.#tapes.set(life, file);
    return file;
  }

  /** Of etcd, as far as it has told, also of what the store leaves out. */
  get version(): number {
    return this.#etcd.version;
  }

  /** The process was shown a change that came after this version. */
  hasShown(life: number, version: number): boolean {
    const file = this.#tapes.get(life);
    return file !== undefined && recordsIn(file).some((line) => versionShown(line) > version);
  }

  answered(one: Answered): void {
    this.#answers.push(one);
  }

  note(one: Omit<Note, 't'>): void {
    this.#notes.push({ ...one, t: steadyNow() });
  }

  /** Writes that the server has answered with success, so far. */
  get writes(): number {
    return this.#answers.filter(({ status }) => status < 300).length;
  }

  recording(configured: Pick<Judged, 'graceMs' | 'maxNodes'>): Judged {
    const [tapes, answers, changes, notes] = [
      this.#tapes,
      this.#answers,
      this.#changes,
      this.#notes,
    ];
    return {
      ...this.#begun,
      from: this.#from,
      until: this.#until,
      ...configured,
      tapes,
      answers,
      changes,
      notes,
    };
  }
}
