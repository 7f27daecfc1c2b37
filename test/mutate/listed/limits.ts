// The lines on which those rules of spec activator rest that are about how long a request, a
// connection and the activator itself may take, and how each of them ends.
import type { ListedMutant } from './mutant.ts';

const proxy = 'src/activator/proxy';

export const ofLimits: readonly ListedMutant[] = [
  {
    shows: ['H-4', 'H-11', 'B-39'],
    file: `${proxy}/exchange.ts`,
    from: 'if (this.#ticket !== undefined) this.routed.requests.admission.cancel(this.#ticket);',
    to: '',
  },
  {
    shows: 'H-12',
    file: `${proxy}/exchange.ts`,
    from: "return this.fail(503, 'pending request queue full', retryAfter);",
    to: "return this.fail(504, 'activator request timeout');",
  },
  {
    shows: 'H-52',
    file: `${proxy}/pods.ts`,
    from: '    } finally {\n      this.giveBack(client);',
    to: '    } finally {\n      this.#end(client);',
  },
  {
    shows: 'H-87',
    file: `${proxy}/pods.ts`,
    from: '    stack.push(client);\n',
    to: '',
  },
  {
    shows: 'H-67',
    file: `${proxy}/pods.ts`,
    from: '        if (size < mostOfBody) chunks.push(chunk);\n',
    to: '        if (size < mostOfBody) chunks.push(chunk);\n        else break;\n',
  },
  {
    shows: 'H-90',
    file: `${proxy}/pods.ts`,
    from: 'stack.length >= idlePerPod || this.#idleCount >= idle',
    to: 'stack.length >= podLimits.idlePerPod || this.#idleCount >= podLimits.idle',
  },
  {
    shows: 'H-91',
    file: `${proxy}/dial.ts`,
    from: "made.once('error', failed);",
    to: "made.on('error', () => undefined);",
  },
  {
    shows: 'H-92',
    file: `${proxy}/listeners.ts`,
    from: 'headersTimeout: headerMs,',
    to: 'headersTimeout: 0,',
  },
  {
    shows: ['H-103', 'H-105'],
    file: `${proxy}/exchange.ts`,
    from: "this.fail(504, 'activator request timeout');",
    to: "this.fail(502, 'activator request timeout');",
  },
  {
    shows: 'H-104',
    file: `${proxy}/exchange.ts`,
    from: 'if (idleMs > 0) this.#watchIdle(this.#timers, idleMs);',
    to: '',
  },
  {
    shows: ['H-106', 'H-107'],
    file: `${proxy}/exchange.ts`,
    from: "    this.#state = 'over';\n",
    to: '',
  },
  {
    shows: 'H-108',
    file: `${proxy}/deadlines.ts`,
    from: '    else one.previous.next = one.next;\n',
    to: '',
  },
  {
    shows: 'H-109',
    file: `${proxy}/timers.ts`,
    from: '  begun(): void {\n    clearTimeout(this.start);\n',
    to: '  begun(): void {\n',
  },
  {
    shows: 'H-110',
    file: `${proxy}/exchange.ts`,
    from: "    this.#timeOut('timeoutSeconds');\n",
    to: "    if (!this.hasBegunAnswer) this.#timeOut('timeoutSeconds');\n",
  },
  {
    shows: 'H-111',
    file: `${proxy}/exchange.ts`,
    from: '{ ...target, limit, hasBegunAnswer, pod: dest }',
    to: '{ ...target, hasBegunAnswer, pod: dest }',
  },
  {
    shows: 'H-129',
    file: `${proxy}/start.ts`,
    from: 'for (const exchange of underWay.all()) if (exchange.isUpgraded) exchange.leave();',
    to: '',
  },
  {
    shows: 'H-138',
    file: `${proxy}/start.ts`,
    from: 'for (const each of open) each.close();\n    servers.closeIdle();',
    to: 'open[0]?.close();\n    servers.closeIdle();',
  },
  {
    shows: 'H-139',
    file: `${proxy}/secure.ts`,
    from: "({ cert, key, minVersion: 'TLSv1.3' }) as const;",
    to: '({ cert, key }) as const;',
  },
  {
    shows: 'H-140',
    file: `${proxy}/secure.ts`,
    from: '      server.setSecureContext(secureOf(next));\n',
    to: '',
  },
];
