// The lines on which the sentences on supervision, ownership and shutdown rest.
import type { ListedMutant } from './mutant.ts';

const scheduler = 'actors/run/scheduler.ts';
const runner = 'actors/effects/runner.ts';
const lists = 'actors/effects/lists.ts';
const supervisor = 'actors/supervision/supervisor.ts';
const decide = 'actors/shards/lease/decide.ts';

export const ofSupervision: readonly ListedMutant[] = [
  {
    shows: 'A step that throws has no effect',
    file: 'actors/run/tree.ts',
    from: 'return { ...nothing, before, thrown: { error } };',
    to: 'throw error;',
  },
  {
    shows: 'A crashed actor restarts after a pause',
    file: supervisor,
    from: '      actor.mailbox.news(known.key, events, false, known.lastWrite ?? cause);\n',
    to: '',
  },
  {
    shows: 'An actor reads after its restart what was published',
    file: 'actors/run/actor-runner.ts',
    from: '    if (!this.#readViews(actor, cause)) return;\n    const step',
    to: '    const step',
  },
  {
    shows: 'More than five restarts in a minute park it',
    file: 'actors/supervision/strategy.ts',
    from: "  if (recent.length >= strategy.intensity) return { act: 'park', crashes };\n",
    to: '',
  },
  {
    shows: 'Where the kind has no status',
    file: supervisor,
    from: "if (own === undefined || parking === undefined || !writes.includes('status')) return;",
    to: 'if (own === undefined || parking === undefined) return;',
  },
  {
    shows: 'A parked actor comes back with a new generation of its object',
    file: 'actors/mail/intake.ts',
    from: "if (generation !== actor.parking?.generation) supervisor.unpark(actor, 'generation', cause);\n    else scheduler",
    to: 'scheduler',
  },
  {
    shows: 'An actor ends when nothing of it is left in the cluster',
    file: 'actors/run/actor-runner.ts',
    from: 'const isLeft = !cache.isAddressed(actor.id) && behaviour.isHeld?.(snapshot) !== true;',
    to: 'const isLeft = false;',
  },
  {
    shows: 'Only a behaviour whose readings hold it',
    file: 'actors/run/actor-runner.ts',
    from: 'const isLeft = !cache.isAddressed(actor.id) && behaviour.isHeld?.(snapshot) !== true;',
    to: 'const isLeft = !cache.isAddressed(actor.id);',
  },
  {
    shows: 'An actor that is parked when its object is deleted comes back',
    file: 'actors/mail/intake.ts',
    from: "if (cache.isAddressed(id)) supervisor.unpark(actor, 'deletion', cause);\n      else if",
    to: 'if',
  },
  {
    shows: 'No other actor is touched',
    file: supervisor,
    from: '    actor.restarts++;\n    this.#silence(actor, ',
    to: '    actor.restarts++;\n    for (const other of trees.all()) other.restarts = actor.restarts;\n    this.#silence(actor, ',
  },
  {
    shows: 'Even an error in the runtime itself does not stop a tick',
    file: scheduler,
    from: '      this.#parts.work.broken(error, actor);\n',
    to: '      this.#parts.work.broken(error, actor);\n      throw error;\n',
  },
  {
    shows: 'What a kind has beside its actors goes on while one crashes',
    file: 'actors/supervision/supervisor.ts',
    from: 'ports.planes?.get(actor.key.kind)?.ended(actor.key);',
    to: '',
  },
];

export const ofOwnership: readonly ListedMutant[] = [
  {
    shows: 'A late write of a former owner',
    file: 'actors/effects/work.ts',
    from: 'uid: known.uid, resourceVersion: known.version };',
    to: 'uid: known.uid };',
  },
  {
    shows: 'A starting process finds everything it needs',
    file: 'actors/effects/work.ts',
    from: "  isEqual(known.object['status'] ?? {}, intent.status);",
    to: "  isEqual(known.object['status'], intent);",
  },
  {
    shows: 'Nothing is written unless the shard',
    file: runner,
    from: 'return lease.holds(actor.shard) && lease.epoch(actor.shard) === epoch;',
    to: 'return lease.epoch(actor.shard) === epoch;',
  },
  {
    shows: 'Neither is a list sent that an actor asked for',
    file: lists,
    from: '    if (!isWanted()) return Promise.resolve(notOwner);\n',
    to: '',
  },
  {
    shows: 'A write decided in an earlier epoch is not sent',
    file: runner,
    from: 'return lease.holds(actor.shard) && lease.epoch(actor.shard) === epoch;',
    to: 'return lease.holds(actor.shard);',
  },
  {
    shows: 'A shard does not bounce between processes',
    file: decide,
    from: 'const agreed = living.length < members.length ? ownersAmong(terms, members) : owners;',
    to: 'const agreed = owners;',
  },
  {
    shows: 'It does not return at once to the process that gave it away',
    file: decide,
    from: 'return isBack && isNew && !leaving ? undefined :',
    to: 'return isBack && isNew && leaving ? undefined :',
  },
  {
    shows: 'A process that was stopped or blocked finds',
    file: 'actors/shards/lease/keeper.ts',
    from: 'return this.#holdings.isOpen(shard) && this.#standing.isSure(this.#now());',
    to: 'return this.#holdings.isOpen(shard);',
  },
  {
    shows: 'The same goes for a process whose machine slept',
    file: 'actors/shards/lease/standing.ts',
    from: 'Math.max(to.steady - from.steady, to.wall - from.wall);',
    to: 'to.steady - from.steady;',
  },
  {
    shows: 'The same goes for a process whose loop was blocked,',
    file: 'actors/shards/lease/standing.ts',
    from: 'return this.#renewed !== undefined && passed(this.#renewed, now) < sureMs(this.#terms);',
    to: 'return this.#renewed !== undefined;',
  },
  {
    shows: 'whose clock runs at half the rate,',
    file: 'actors/shards/lease/terms.ts',
    from: 'export const clockRateRatio = 2;',
    to: 'export const clockRateRatio = 1;',
  },
  {
    shows: 'Shards leave a process that stays one after the other',
    file: 'actors/shards/lease/keeper.ts',
    from: '      this.#holdings.isMoving &&\n',
    to: '      false &&\n',
  },
  {
    shows: 'A shard is handed over after its last write is answered',
    file: 'actors/shards/lease/acts.ts',
    from: 'const written = await holdings.drain(shard);',
    to: 'const [written] = [undefined, holdings.drain(shard)];',
  },
  {
    shows: 'While the API server is away, no process is declared dead',
    file: 'actors/shards/lease/keeper.ts',
    from: 'sureForMs: this.#standing.sureFor(now),',
    to: 'sureForMs: now.steady,',
  },
  {
    shows: 'After `stop` no new write is sent',
    file: runner,
    from: '    this.#isStopping = true;\n',
    to: '',
  },
  {
    shows: 'It does not wait longer than its limit',
    file: runner,
    from: 'clock.at(clock.now() + this.#limits.stopMs, resolve);',
    to: '() => undefined;',
  },
  {
    shows: 'Until it is sent, a write can be withdrawn',
    file: runner,
    from: 'const isWanted = (): boolean => !isGivenUp() && this.#isOurs(current.work);',
    to: 'const isWanted = (): boolean => this.#isOurs(current.work);',
  },
  {
    shows: 'A process that was declared dead cannot renew',
    file: 'src/leases/store.ts',
    from: 'const preconditions = { uid, ...(version === undefined ? {} : { resourceVersion: version }) };',
    to: 'const preconditions = { uid };',
  },
];
