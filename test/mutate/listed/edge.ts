// The lines on which the sentences rest that are about the edge: watches, connections, the bus,
// questions, leases on an API server.
import type { ListedMutant } from './mutant.ts';

const reflector = 'src/kube/watch/reflector.ts';
const connections = 'src/http/connections.ts';

export const ofWatches: readonly ListedMutant[] = [
  {
    shows: ['The runtime skips a watch event', 'Skipping these events loses no information'],
    file: 'src/kube/watch/object-index.ts',
    from: 'if (whose === undefined || isAtMost(version, this.version)) return false;',
    to: 'return false;',
  },
  {
    shows: 'The API server guarantees that one watch delivers changes',
    file: 'src/kube/watch/object-index.ts',
    from: '    else if (this.#ends.hasPassed(uid, version)) return [];\n',
    to: '',
  },
  {
    shows: 'Changes that a silent watch withheld are listed',
    file: reflector,
    from: 'const silenceMs = isProving ? limits.provingWatchMs : leftMs;',
    to: 'const silenceMs = isProving ? limits.provingWatchMs : 10 * leftMs;',
  },
  {
    shows: 'The same holds while all watches fail but lists work',
    file: reflector,
    from: 'return this.#watchHealth.isListDue ? this.#list(signal) : this.#watch(signal);',
    to: 'return this.#watch(signal);',
  },
  {
    shows: 'If watches end normally without an event',
    file: 'src/kube/watch/watch-health.ts',
    from: ' || this.#clock.steady() - this.#lastNewsAt >= noNewsMs;',
    to: ';',
  },
  {
    shows: 'A server that was restored from a backup ends the process',
    file: 'src/kube/watch/history.ts',
    from: '    if (now - this.#staleSince >= staleListLimitMs) this.#lose(message);\n',
    to: '',
  },
  {
    shows: 'If one kind finds the server unreachable',
    file: 'src/kube/watch/outages.ts',
    from: 'if (member.askedAfter < this.#answered) void member.ask();',
    to: '',
  },
  {
    shows: 'If the server has meanwhile overtaken the versions',
    file: reflector,
    from: 'if (index.contradicts(object)) history.contradicted(object);\n',
    to: 'if (index.contradicts(object)) return;\n',
  },
  {
    shows: 'An object that was seen only in the reply to a write reveals it too',
    file: 'src/kube/watch/object-index.ts',
    from: '      this.#entries.set(key, { ...entry, newest: later(entry.newest, version) });\n      return {};',
    to: '      return {};',
  },
  {
    shows: 'A pod that was created and lost our label',
    file: 'src/kube/watch/unlabelled.ts',
    from: '    await this.#sweeping;\n',
    to: '',
  },
  {
    shows: 'An object that loses the label by which its kind is watched',
    file: 'src/kube/watch/object-index.ts',
    from: 'return this.#isFiltered ? { ...goneOf(entry), isSure: false, upTo } : goneOf(entry);',
    to: 'return goneOf(entry);',
  },
  {
    shows: 'Input that exceeds any reasonable size or depth',
    file: 'machines/kubernetes/size.ts',
    from: '    if (depth > maxDepth) return `is nested deeper than ${maxDepth}; make it flatter`;\n',
    to: '',
  },
  {
    shows: 'A map with too many entries is cut',
    file: 'src/kube/transport/parse.ts',
    from: 'if (top?.isMap !== true || ++top.entries !== most + 1) break;',
    to: 'if (top?.isMap !== false || ++top.entries !== most + 1) break;',
  },
  {
    shows: 'A credential plugin that hangs is killed',
    file: 'src/kube/connect/credential-plugin.ts',
    from: "process.kill(-pid, 'SIGKILL');",
    to: "process.kill(pid, 'SIGKILL');",
  },
  {
    shows: 'Secrets quoted in errors never appear in a log line',
    file: 'src/log/log.ts',
    from: 'redactText(message));',
    to: 'message);',
  },
];

export const ofServers: readonly ListedMutant[] = [
  {
    shows: 'A client that opens many connections at once',
    file: connections,
    from: 'const size = oldest.since <= ages.settled ? waiting.length : 0;',
    to: 'const size = waiting.length;',
  },
  {
    shows: 'A server at its connection limit first closes connections',
    file: connections,
    from: 'const groups: readonly ((peer: Peer, ages: Ages) => Iterable<Connection>)[] = [\n',
    to: 'const groups: readonly ((peer: Peer, ages: Ages) => Iterable<Connection>)[] = [\n  ({ known }) => known,\n',
  },
  {
    shows: 'Of these, it closes silent ones before one that has begun to send',
    file: connections,
    from: 'since <= greeted && socket.bytesRead === 0),',
    to: 'since <= greeted && socket.bytesRead >= 0),',
  },
  {
    shows: 'and slow ones before a new one',
    file: connections,
    from: 'oldest.since < chosen.since;',
    to: 'oldest.since > chosen.since;',
  },
  {
    shows: 'A peer that sends too slowly is cut off',
    file: connections,
    from: '    connectionsCheckingInterval: limits.checkMs,\n',
    to: '',
  },
  {
    shows: 'and so is one that does not read its answer',
    file: connections,
    from: 'slow = setTimeout(() => connection.socket.destroy(), this.#limits.sendMs).unref();',
    to: '',
  },
  {
    shows: 'A page of `/actors` is collected in slices',
    file: 'src/http/actors.ts',
    from: 'if (slices.isOver) await slices.pause();',
    to: '',
  },
  {
    shows: 'A review that is nested too deeply is refused',
    file: 'src/admission/body.ts',
    from: 'return found.depth > maxBodyDepth;',
    to: 'return false;',
  },
  {
    shows: 'Large reviews are parsed one at a time',
    file: 'src/admission/body.ts',
    from: 'const parsed = this.#last.then(() => {',
    to: 'const parsed = Promise.resolve().then(() => {',
  },
  {
    shows: 'A webhook reports that it is late',
    file: 'src/admission/server.ts',
    from: 'return await Promise.race([ask(), late.promise]);',
    to: 'return await ask();',
  },
];

export const ofMessages: readonly ListedMutant[] = [
  {
    shows: 'A message with a flipped bit is refused and counted',
    file: 'bus/codec.ts',
    from: 'if (!posted.ok || isWhole(bytes)) return posted;',
    to: 'return posted;',
  },
  {
    shows: 'The process remembers its newest facts',
    file: 'actors/history/ring.ts',
    from: '    this.#newest = sequence;\n',
    to: '    this.#newest = 0;\n',
  },
  {
    shows: 'A publisher on the bus cannot park an actor',
    file: 'actors/questions/asking.ts',
    from: '!hasCommands && isCommand(ask.question) ? Promise.resolve(forbidden) : answer(ask);',
    to: 'answer(ask);',
  },
  {
    shows: 'A question reaches the owner',
    file: 'actors/questions/asking.ts',
    from: '  return elsewhere(parts, ask, ownership.shardOf(root), handOn);',
    to: '  return answers.answer(ask);',
  },
  {
    shows: 'A question that starts actors starts one',
    file: 'actors/questions/asking.ts',
    from: 'const root = known ?? (answers.mayRunAlone(ask) ? ask.about : undefined);',
    to: 'const root = known;',
  },
  {
    shows: 'Such an actor lives as long as the question is open',
    file: 'actors/run/actor-runner.ts',
    from: 'if (isOver && (isDone || !questions.isAsked(actor))) supervisor.end(actor, cause);',
    to: 'if (isOver && isDone) supervisor.end(actor, cause);',
  },
  {
    shows: 'A refused question starts nothing',
    file: 'actors/questions/answers.ts',
    from: '    if (refusal !== undefined) return refusal;\n    const error',
    to: '    const error',
  },
  {
    shows: 'It is forwarded only once',
    file: 'src/questions/question.ts',
    from: '    ...(headers[handedOnHeader] === undefined ? {} : { handedOn: true }),\n',
    to: '',
  },
];

export const ofLeases: readonly ListedMutant[] = [
  {
    shows: 'Losing a shard ends its actors; gaining one starts them',
    file: 'actors/shards/ownership.ts',
    from: '      this.#waiting.delete(shard);\n      begin();',
    to: '      this.#waiting.delete(shard);',
  },
  {
    shows: 'Two processes never hold the same shard at once',
    file: 'actors/shards/lease/decide.ts',
    from: 'return Math.min(view.silentFor(member, now), sureForMs) >= terms.durationMs;',
    to: 'return Math.min(view.silentFor(member, now), sureForMs) >= terms.durationMs / 3;',
  },
  {
    shows: 'A shard that was reassigned by hand in an epoch',
    file: 'actors/shards/lease/acts.ts',
    from: 'this.#doubts.get(shard) === version || this.#parts.view.isUsedEpoch(record);',
    to: 'this.#doubts.get(shard) === version;',
  },
  {
    shows: 'A write that waited is checked once more',
    file: 'src/kube/transport/exchange.ts',
    from: '      if (isWanted?.() === false) throw new NotWanted();\n',
    to: '',
  },
  {
    shows: 'Renewals never recreate a lease',
    file: 'src/leases/store.ts',
    from: "        method: 'PATCH',\n        path: pathOf(nameOf(draft)),\n        contentType: 'application/merge-patch+json',",
    to: "        method: 'PATCH',\n        path: pathOf(nameOf(draft)),\n        contentType: 'application/apply-patch+yaml',",
  },
  {
    shows: 'Its next owner begins once it has seen the writes',
    file: 'actors/shards/ownership.ts',
    from: 'if (!hasRead() || (isPatient && !hasSeen(written))) {',
    to: 'if (!hasRead()) {',
  },
  {
    shows: 'A process that takes over a tree reads its pods',
    file: 'actors/shards/ownership.ts',
    from: '    if (refresh === undefined) return look(() => true);\n',
    to: '    return look(() => true);\n',
  },
  {
    shows: 'An idle process writes one renewal every `retrySeconds`',
    file: 'actors/shards/lease/membership.ts',
    from: 'this.#dueAt = sent.steady + this.#parts.terms.retryMs;',
    to: 'this.#dueAt = sent.steady;',
  },
];
