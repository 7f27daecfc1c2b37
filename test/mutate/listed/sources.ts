// The lines on which those rules of spec activator rest that are about how pods are asked, and what
// an autoscaler is told; and what its tests under load show.
import type { ListedMutant } from './mutant.ts';

const sources = 'src/activator/sources';
const scaling = 'src/activator/scaling';
const admission = 'src/activator/admission';

export const ofSources: readonly ListedMutant[] = [
  {
    shows: 'H-41',
    file: `${sources}/configured.ts`,
    from: '[annotation.early]: String(row.probePath !== undefined),',
    to: "[annotation.early]: 'false',",
  },
  {
    shows: 'H-48',
    file: `${sources}/configured.ts`,
    from: '      [annotation.early]: String(row.probePath !== undefined),\n',
    to: '',
  },
  {
    shows: 'H-43',
    file: `${sources}/probe.ts`,
    from: '  const places = new Places(atOnce);\n',
    to: `  const places = new Places(atOnce);
  const all = new AbortController();
  const { probe } = asker;
  asker = {
    probe: (dest, request) =>
      probe(dest, { ...request, signal: AbortSignal.any([request.signal, all.signal]) }).catch(
        (error: unknown) => {
          all.abort();
          throw error;
        },
      ),
  };
`,
  },
  {
    shows: 'H-55',
    file: `${sources}/probe.ts`,
    from: '{ ...probeLimits, ...limits };',
    to: '{ ...limits, ...probeLimits };',
  },
  {
    shows: 'H-63',
    file: `${sources}/probe.ts`,
    from: 'status === 200 && body === queue;',
    to: 'status === 200;',
  },
  {
    shows: 'H-64',
    file: `${sources}/probe.ts`,
    from: "        ...(question.how === 'path' ? {} : { 'k-network-probe': queue }),\n",
    to: '',
  },
  {
    shows: 'H-65',
    file: `${sources}/probe.ts`,
    from: 'status === 200 && body === queue;',
    to: 'body === queue;',
  },
  {
    shows: 'H-66',
    file: `${sources}/probe.ts`,
    from: "const userAgent = 'Knative-Activator-Probe';",
    to: "const userAgent = 'kube-probe/1.34';",
  },
  {
    shows: 'H-133',
    file: `${sources}/configured.ts`,
    from: "(path.startsWith('/') ? path : `/${path}`);",
    to: 'path;',
  },
  {
    shows: 'H-95',
    file: `${scaling}/knative.ts`,
    from: "run: () => (reports.isOpen ? undefined : 'connection has not yet been established'),",
    to: 'run: () => undefined,',
  },
  {
    shows: 'H-102',
    file: `${scaling}/knative.ts`,
    from: "    this.#options.log('info', 'connected to the autoscaler', { url: this.#options.url });\n",
    to: '',
  },
  {
    shows: 'H-118',
    file: `${scaling}/ledger.ts`,
    from: '    entry.count += 1;\n',
    to: '    if (known === undefined || entry.area > 0) entry.count += 1;\n',
  },
  {
    shows: 'H-122',
    file: `${scaling}/stat.ts`,
    from: '    double(6, uptime),\n',
    to: '    double(6, uptime),\n    double(7, Date.now() / 1_000),\n',
  },
  {
    shows: 'H-124',
    file: `${scaling}/stat.ts`,
    from: 'double(6, uptime),',
    to: 'double(6, Math.floor(uptime)),',
  },
  {
    shows: 'H-125',
    file: 'src/activator/process.ts',
    from: '    isDraining = true;\n    return path.drain();\n',
    to: '    return path.drain();\n',
  },
  {
    shows: 'H-136',
    file: `${scaling}/stat.ts`,
    from: '    text(1, pod),\n',
    to: '    text(1, revision),\n',
  },
];

export const ofLoads: readonly ListedMutant[] = [
  {
    shows: 'B-20',
    file: `${admission}/admission.ts`,
    from: '      if (this.#waiters.size > 0) this.wake(this.#turns.perTurn);\n',
    to: '',
  },
  {
    shows: 'B-22',
    file: `${sources}/probe.ts`,
    from: 'timeoutMs: 300, atOnce: 64 };',
    to: 'timeoutMs: 300, atOnce: 1 };',
  },
  {
    shows: 'B-23',
    file: `${admission}/admission.ts`,
    from: '      this.#overflowed += 1;\n',
    to: '      this.#overflowed += 1;\n      this.#waiters.shift();\n',
  },
  {
    shows: ['B-30', 'B-31', 'B-32'],
    file: 'src/activator/table/slots.ts',
    from: "if (at(this.columns.inFlight, index) === 0) {\n      this.release(index, 'removed');",
    to: "if (at(this.columns.inFlight, index) >= 0) {\n      this.release(index, 'removed');",
  },
  {
    shows: 'B-34',
    file: 'src/activator/proxy/exchange.ts',
    from: "if (wasSent || this.#isRetried) return this.fail(502, 'bad gateway');",
    to: "if (wasSent || !this.#isRetried) return this.fail(502, 'bad gateway');",
  },
  {
    shows: 'B-37',
    file: 'actors/supervision/supervisor.ts',
    from: "    this.#parts.questions.forget(actor, mode === 'parked' ? 'was parked' : 'has crashed');\n",
    to: "    this.#parts.questions.forget(actor, mode === 'parked' ? 'was parked' : 'has crashed');\n    this.#parts.ports.planes?.get(actor.key.kind)?.ended(actor.key);\n",
  },
  {
    shows: 'B-38',
    file: 'src/activator/proxy/start.ts',
    from: '  await wait(limits.drainMs);\n',
    to: '',
  },
];
