// The lines on which the sentences about failing connections rest. Their tests start a controller
// behind the proxies of the fault kit: `npm run mutate -- --listed --slow`.
import type { ListedMutant } from './mutant.ts';

export const ofFailingConnections: readonly ListedMutant[] = [
  {
    shows: 'Lost replies cause no extra pods while a set is deployed',
    file: 'machines/grove/podclique/reduce.ts',
    from: "if (op === 'create' && ref.kind === 'Pod' && code === 'ALREADY_EXISTS') {",
    to: "if (op === 'create' && ref.kind === 'Pod') {",
    says: 'to be 90',
  },
  {
    shows: 'Seeing its own writes half a minute late causes none either',
    file: 'src/kube/write.ts',
    from: "  if (op === 'delete') return deletedOutcome(ref.kind, response);",
    to:
      "  if (op === 'delete') return deletedOutcome(ref.kind, response);\n" +
      "  if (op === 'create' && ref.kind === 'Pod') return { ok: true };",
    says: '409',
  },
  {
    shows: 'Deletions during half-open watches are noticed within 60',
    file: 'src/kube/watch/watch.ts',
    from: '  listen();\n  closeStream = request',
    to: '  closeStream = request',
    says: 'not all noticed after 60000 ms',
  },
  {
    shows: 'When an API server returns from an outage, simultaneous',
    file: 'src/kube/limits.ts',
    from: 'unanswered: 5_000 }',
    to: 'unanswered: 60_000 }',
    says: 'to be less than 15000',
  },
  {
    shows: 'Refusals cost only time, and the controller waits for the time',
    file: 'actors/effects/concurrency.ts',
    from: 'this.#resumeAfter(kind, flow, Math.max(pause, afterMs));',
    to: 'this.#resumeAfter(kind, flow, pause);',
    says: 'ms after',
  },
  {
    shows: 'The children of an object are never mistaken for those of a',
    file: 'actors/mail/cache.ts',
    from: 'const isKnown = known?.uid === uid;',
    to: 'const isKnown = known !== undefined;',
    says: 'not again ready as wanted',
  },
  {
    shows: 'A new token in the file is used when the old one is refused',
    file: 'src/kube/connect/credentials.ts',
    from: 'if (last !== undefined && !wasRefused && isFresh(last.readAt, clock.now())) {',
    to: 'if (last !== undefined) {',
    says: 'not 4 pods ready',
  },
  {
    shows: 'Bytes that are cut anywhere are never misread',
    file: 'src/kube/transport/lines.ts',
    from: "Buffer.concat(this.#begun, this.#bytes).toString('utf8')",
    to: "this.#begun.map((piece) => piece.toString('utf8')).join('')",
    says: '\u{fffd}',
  },
  {
    shows: 'Nothing that NATS does or forgets changes anything in the',
    file: 'bus/nats/options.ts',
    from: '  pingIntervalMs: 4_500,',
    to: '  pingIntervalMs: 10_000,',
    says: 'to be less than 15000',
  },
  {
    shows: 'Work continues without NATS',
    file: 'bus/nats/link.ts',
    from: '    if (this.#live === null || !this.#live.flow.hasRoom) return false;\n',
    to:
      "    if (this.#live === null) throw new Error('not connected');\n" +
      '    if (!this.#live.flow.hasRoom) return false;\n',
    says: 'not alone ready as wanted',
  },
  {
    shows: 'A listener that does not read costs a bounded amount of memory',
    file: 'bus/nats/flow.ts',
    from: '!this.#stopped && this.#unconfirmed < busLimits.unconfirmedBytes',
    to: '!this.#stopped',
  },
  {
    shows: 'Messages that Coppice did not send are refused, counted and',
    file: 'actors/views/wakes.ts',
    from: "    if (mode === 'direct') return 'refused';\n",
    to: '',
    says: 'not forgeries counted',
  },
  {
    shows: 'Messages that Coppice did not send are refused, counted and',
    file: 'bus/handlers.ts',
    from: "return Promise.resolve(refusal('MALFORMED', decodeErrorText(inbound)));",
    to: 'return undefined;',
    says: 'timeout',
  },
];
