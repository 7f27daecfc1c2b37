// The lines on which the sentences on ordering, observation, delivery and priority rest.
import type { ListedMutant } from './mutant.ts';

const scheduler = 'actors/run/scheduler.ts';
const runner = 'actors/effects/runner.ts';
const lists = 'actors/effects/lists.ts';
const queue = 'actors/effects/queue.ts';
const cache = 'actors/mail/cache.ts';
const wakes = 'actors/views/wakes.ts';

export const ofOrdering: readonly ListedMutant[] = [
  {
    shows: 'An actor processes its mail in order of arrival',
    file: 'actors/mail/mailbox.ts',
    from: "this.#mail.push({ type: 'signal', event, cause });",
    to: "this.#mail.unshift({ type: 'signal', event, cause });",
  },
  {
    shows: 'A tick first delivers all mail',
    file: scheduler,
    from: "      this.#phase = 'mail';\n      this.#turn = this.#mail;\n      this.#mail = [];",
    to: "      this.#phase = 'mail';\n      this.#turn = this.#mail.splice(0, 1);",
  },
  {
    shows: 'An owner plans once per tick',
    file: scheduler,
    from: 'if (isFirst || isYielding) this.#touched[urgency].push(actor);',
    to: 'this.#touched[urgency].push(actor);\n    if (!isFirst) this.#parts.work.reconcile(actor, cause);',
  },
  {
    shows: 'Anything that arrives while actors reconcile',
    file: scheduler,
    from: '    this.#turn = [...this.#touched.news, ...this.#touched.retry];\n    this.#touched = { news: [], retry: [] };',
    to: '    this.#turn = this.#touched.news;',
  },
  {
    shows: 'What is observed between two slices of a tick',
    file: scheduler,
    from: 'mayPlan || work.hasNews();',
    to: 'mayPlan;',
  },
  {
    shows: 'Under load, ticks keep a minimum distance',
    file: scheduler,
    from: "this.#phase === 'rest' ? this.#throttle.take() : 0;",
    to: '0;',
  },
  {
    shows: 'The first ticks of a burst follow immediately',
    file: 'actors/run/tick-throttle.ts',
    from: 'this.#due - (this.#burst - 1) * distance - now;',
    to: 'this.#due - now;',
  },
  {
    shows: 'Actors reconcile only after all initial lists are in',
    file: scheduler,
    from: "    if (!this.#isOpen) {\n      this.#phase = 'rest';\n      this.#turn = [];\n      return;\n    }\n",
    to: '',
  },
  {
    shows: 'The object in a reply is observed before the actor is notified',
    file: runner,
    from: '    for (const seen of observations) this.#observe(seen, work.actor.shard, link);\n',
    to: '',
  },
  {
    shows: 'Of a list that an actor asks for, everything is observed',
    file: lists,
    from: '    if (outcome.ok) this.#observe(list, outcome);\n    else this.#later',
    to: '    if (!outcome.ok) this.#later',
  },
  {
    shows: 'Such a list shows what is there when it arrives',
    file: lists,
    from: '    for (const object of objects) {\n',
    to: '    for (const object of objects.slice(1)) {\n',
  },
  {
    shows: 'Actors that ask for the same list before it is sent share it',
    file: lists,
    from: 'request.list = entryOf(this.#queue, key, () => {',
    to: 'request.list = this.#flying.get(key) ?? entryOf(this.#queue, key, () => {',
  },
  {
    shows: 'An actor never hears of a list that it asked for before it crashed',
    file: 'actors/supervision/supervisor.ts',
    from: "'has crashed');\n    this.#parts.lists.forget(actor);",
    to: "'has crashed');",
  },
  {
    shows: 'Writes on one object are serial',
    file: runner,
    from: '(writes.flying ?? writes.pause) !== undefined ||',
    to: 'writes.pause !== undefined ||',
  },
  {
    shows: 'An instruction to a data plane is carried out at once',
    file: 'actors/run/actor-runner.ts',
    from: 'plane.carryOut(key, instruction);',
    to: 'queueMicrotask(() => plane.carryOut(key, instruction));',
  },
];

export const ofObservation: readonly ListedMutant[] = [
  {
    shows: 'Only the newest version of each object counts',
    file: cache,
    from: '    if (before !== undefined && !isNewer(resourceVersion, before.version)) return undefined;\n',
    to: '',
  },
  {
    shows: 'A late event does not bring a deleted object back',
    file: cache,
    from: 'if (this.#tombstones.has(uid) || this.#isFromBefore',
    to: 'if (this.#isFromBefore',
  },
  {
    shows: 'An object that a 404 names stays gone',
    file: 'actors/effects/verdict.ts',
    from: 'const observations = [isSure ? gone : { ...gone, isSure }];',
    to: 'const observations = [{ ...gone, isSure: false }];',
  },
  {
    shows: 'If a 404 does not name the object',
    file: cache,
    from: 'if (isSure) this.#entomb(uid);',
    to: 'this.#entomb(uid);',
  },
  {
    shows: 'Kinds that select different objects of one API kind',
    file: cache,
    from: 'const lostKey = (kind: Kind, uid: string): string => `${kind} ${uid}`;',
    to: 'const lostKey = (_kind: Kind, uid: string): string => uid;',
  },
  {
    shows: 'An actor that no longer receives an object',
    file: 'actors/mail/router.ts',
    from: 'if (left.length > 0) routedEvents.push(...this.#removals(known, left));',
    to: '',
  },
  {
    shows: 'An object that was never readable is parked',
    file: 'actors/mail/intake.ts',
    from: 'if (actor !== undefined) supervisor.park(actor, new Unreadable(why), cause);',
    to: '',
  },
  {
    shows: 'An object that becomes unreadable is reported',
    file: 'actors/mail/router.ts',
    from: '      targets.push(...known.targets.filter((old) => old.route === route));\n',
    to: '',
  },
  {
    shows: 'An object of another UID under the same name is another actor',
    file: 'actors/mail/intake.ts',
    from: '    if (actor.uid !== undefined && actor.uid !== known.uid) {\n      supervisor.end(actor, cause);\n      return;\n    }\n',
    to: '',
  },
];

export const ofDelivery: readonly ListedMutant[] = [
  {
    shows: 'A message is delivered at most once and states only',
    file: 'actors/run/actor-runner.ts',
    from: '    if (!this.#readViews(actor, cause)) return;\n    const step',
    to: '    const step',
  },
  {
    shows: 'A receiver cannot tell whether a message was delivered directly',
    file: wakes,
    from: "    scheduler.touch(reader, cause, 'news');\n",
    to: '',
  },
  {
    shows: 'A write is done at least as often as it is wanted',
    file: 'actors/effects/work.ts',
    from: "metadata: { ...object(patch['metadata']), uid, ...version } };",
    to: "metadata: { ...object(patch['metadata']), ...version } };",
  },
  {
    shows: 'Without a bus, messages are delivered directly',
    file: wakes,
    from: "if (mode === 'nats' && bus.tell(envelope)) return",
    to: "bus.tell(envelope);\n    if (mode === 'nats') return",
  },
  {
    shows: 'If the bus accepts and loses a message',
    file: wakes,
    from: "      if (reader.mode === 'alive') this.#touch(reader, cause);\n",
    to: '',
  },
  {
    shows: 'A message with a stale epoch',
    file: wakes,
    from: 'if (!lease.holds(shard) || lease.epoch(shard) !== epoch) return',
    to: 'if (!lease.holds(shard)) return',
  },
  {
    shows: 'With `delivery: direct`, a message',
    file: wakes,
    from: "    if (mode === 'direct') return 'refused';\n",
    to: '',
  },
  {
    shows: 'A write whose reply was lost is not done twice',
    planted: 'create-doubled',
    says: 'share an index',
  },
  {
    shows: 'An intent on a busy or backing-off object is dropped',
    file: 'actors/effects/completion.ts',
    from: 'for (const [actor, cause] of waiters) sink.signal(actor, event, cause, true);',
    to: '',
  },
  {
    shows: 'A status that equals the one stored',
    file: runner,
    from: '      return isEqual(flying.status, intent.status);\n',
    to: '      return false;\n',
  },
  {
    shows: 'Facts about one change form one trace',
    file: 'actors/mail/intake.ts',
    from: 'if (link !== undefined) remember(routed.known, link);',
    to: '',
  },
];

export const ofPriority: readonly ListedMutant[] = [
  {
    shows: 'Actors touched by new information reconcile before those that only retry',
    file: scheduler,
    from: '[...this.#touched.news, ...this.#touched.retry];',
    to: '[...this.#touched.retry, ...this.#touched.news];',
  },
  {
    shows: 'Writes that existing objects wait for go first',
    file: queue,
    from: "const usual: readonly Place[] = ['finish', 'first', 'child', 'root', 'status',",
    to: "const usual: readonly Place[] = ['finish', 'first', 'status', 'child', 'root',",
  },
  {
    shows: 'So replicas come up one by one',
    file: 'actors/effects/work.ts',
    from: "return actor.isRoot ? 'root' : 'child';",
    to: "return actor.isRoot ? 'child' : 'root';",
  },
  {
    shows: 'A root is never starved',
    file: queue,
    from: '    if (pick % rootEvery === 0) return rootsFirst;\n',
    to: '',
  },
  {
    shows: 'Statuses are never starved',
    file: queue,
    from: 'statusEvery >> 1 ? statusFirst : usual;',
    to: 'statusEvery ? statusFirst : usual;',
  },
  {
    shows: 'Trees take turns, and so do kinds',
    file: queue,
    from: '    trees.delete(root);\n    const work = pickLine(line);\n    if (line.from < line.works.length) trees.set(root, line);',
    to: '    const work = pickLine(line);\n    if (line.from >= line.works.length) trees.delete(root);',
  },
  {
    shows: 'A lazy status is written at most once a second',
    file: 'actors/effects/status-throttle.ts',
    from: "if (rank === 'lazy' || !isUpdate(intent)) return rank === 'lazy';",
    to: "if (rank === 'lazy' || !isUpdate(intent)) return false;",
  },
  {
    shows: 'It waits until there has been no other write for a second',
    file: 'actors/effects/status-throttle.ts',
    from: 'if (isLazy && isBusy && waited < limits.lazyStatusMaxMs)',
    to: 'if (isLazy && isBusy)',
  },
];
