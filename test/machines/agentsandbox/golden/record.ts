// What a run of a scenario did, second by second, as it reached the server. Members are called by
// letters, for each claim anew in the order in which it was to have them: the order in which a pool
// picks equal ones is nobody's business. Used by run.ts and sandbox-run.ts.
import { annotation } from '#machines/agentsandbox/objects/labels.ts';
import { at, isObject, list, text } from '#machines/kubernetes/json.ts';
import { controllerOf, type KubeObject } from '#machines/kubernetes/objects.ts';
import { conditionsOf } from '#machines/kubernetes/conditions.ts';
import type { WriteIntent } from '#test/support/world-store.ts';
import type { Moment } from '../../grove/golden/record.ts';

interface Line {
  /** The claim, the Sandbox or `pool`. */
  readonly owner: string;
  readonly what: string;
}

export class Lines {
  readonly moments: Moment[] = [];
  #lines: Line[] = [];
  #user: string[] = [];
  #acts = 0;

  /** Something that the controller did not do. */
  acted(what: string): void {
    this.#user.push(`* ${what}`);
  }

  add(owner: string, what: string): void {
    this.#lines.push({ owner, what });
  }

  /** Ends a second. What users did is a step of its own: it is the same with all seeds. */
  close(second: number): void {
    if (this.#user.length > 0) this.moments.push({ second, acts: ++this.#acts, lines: this.#user });
    const lines = counted(this.#lines);
    if (lines.length > 0) this.moments.push({ second, acts: this.#acts, lines });
    this.#lines = [];
    this.#user = [];
  }
}

/** What was done to claims and members. */
export class Record extends Lines {
  /** By claim: the Sandboxes that it was to have. */
  readonly #letters = new Map<string, string[]>();

  /** `before`: the object as it was. */
  written(intent: WriteIntent, before: KubeObject | undefined): void {
    const { ref, type } = intent;
    if (ref.kind === 'SandboxClaim') return this.#ofClaim(intent);
    if (ref.kind !== 'Sandbox') return;
    if (type === 'createObject') return this.#created(intent.body);
    const owner = before === undefined ? undefined : controllerOf(before);
    if (type === 'deleteObject' && owner?.kind === 'SandboxWarmPool')
      this.add('pool', 'deletes a member');
    else if (type === 'deleteObject')
      this.add(owner?.name ?? '', this.#named('deletes', owner?.name, ref.name));
    const [taker] =
      type === 'patchObject' ? list(at(intent.patch, 'metadata', 'ownerReferences')) : [];
    if (taker === undefined) return;
    const claim = text(at(taker, 'name'));
    this.add(claim, this.#named('takes over', claim, ref.name));
  }

  letterOf(claim: string, sandbox: string): string {
    if (sandbox === claim) return 'a Sandbox of its own';
    const known = this.#letters.get(claim) ?? [];
    this.#letters.set(claim, known);
    if (!known.includes(sandbox)) known.push(sandbox);
    return `member ${String.fromCodePoint(65 + known.indexOf(sandbox))}`;
  }

  #ofClaim(intent: WriteIntent): void {
    const { ref, type } = intent;
    if (type === 'deleteObject') return this.add(ref.name, 'is deleted');
    if (type === 'patchObject') {
      const annotations = at(intent.patch, 'metadata', 'annotations');
      if (!isObject(annotations) || !(annotation.assigned in annotations)) return;
      const sandbox = text(annotations[annotation.assigned]);
      const what =
        sandbox === '' ? 'assignment cleared' : this.#named('assigned', ref.name, sandbox);
      return this.add(ref.name, what);
    }
    if (type !== 'writeStatus') return;
    const ready = conditionsOf(intent.status).find((one) => one['type'] === 'Ready');
    const bound = text(at(intent.status, 'sandbox', 'name'));
    const has = bound === '' ? 'none' : this.letterOf(ref.name, bound);
    this.add(ref.name, `says ${text(ready?.['status'])} ${text(ready?.['reason'])}, ${has}`);
  }

  #created(body: KubeObject): void {
    const owner = controllerOf(body);
    const isMember = owner?.kind === 'SandboxWarmPool';
    this.add(
      isMember ? 'pool' : body.metadata.name,
      isMember ? 'creates a member' : 'creates its own',
    );
  }

  #named(verb: string, claim: string | undefined, sandbox: string): string {
    return `${verb} ${this.letterOf(claim ?? '', sandbox)}`;
  }
}

/** By owner; of a claim in the order in which it came, of the pool what it did how often. */
function counted(lines: readonly Line[]): readonly string[] {
  const rank = ({ owner, what }: Line): string => (owner === 'pool' ? `~${what}` : owner);
  const inOrder = lines.toSorted((one, other) =>
    rank(one) < rank(other) ? -1 : Number(rank(one) > rank(other)),
  );
  const times = Map.groupBy(inOrder, ({ owner, what }) => `${owner} ${what}`);
  return [...times].map(([line, { length }]) => (length > 1 ? `${line} (${length} times)` : line));
}
