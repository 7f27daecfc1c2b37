// The lines on which those rules of spec activator rest that are about a request on its way to a
// pod: whom it is for, what the pod gets of it, and what its client gets of the answer.
import type { ListedMutant } from './mutant.ts';

const proxy = 'src/activator/proxy';

export const ofRequests: readonly ListedMutant[] = [
  {
    shows: 'H-40',
    file: `${proxy}/exchange.ts`,
    from: '      pod: this.dest,\n',
    to: '      pod: String(this.#index),\n',
  },
  {
    shows: 'H-60',
    file: `${proxy}/headers.ts`,
    from: "if (passthroughHost !== undefined) made.push('host', passthroughHost, 'k-passthrough-lb', 'true');",
    to: "if (passthroughHost !== undefined) made.push('host', passthroughHost);",
  },
  {
    shows: 'H-62',
    file: `${proxy}/dial.ts`,
    from: "host: host.startsWith('[') ? host.slice(1, -1) : host,",
    to: "host: 'localhost',",
  },
  {
    shows: 'H-75',
    file: `${proxy}/dial.ts`,
    from: "const colon = dest.lastIndexOf(':');",
    to: "const colon = dest.indexOf(':');",
  },
  {
    shows: 'H-76',
    file: `${proxy}/route.ts`,
    from: 'const requests = target && shared.plane.find(target.namespace, target.name);',
    to: 'const find = () => target && shared.plane.find(target.namespace, target.name);\n  const requests = find() && find();',
  },
  {
    shows: 'H-94',
    file: `${proxy}/route.ts`,
    from: 'shared.plane.find(target.namespace, target.name);',
    to: "shared.plane.find(target.namespace, host.split('.')[0] ?? '');",
  },
  {
    shows: 'H-77',
    file: `${proxy}/rules.ts`,
    from: '    this.#rules.delete(`${namespace}/${name}`);\n',
    to: '',
  },
  {
    shows: 'H-78',
    file: `${proxy}/identify.ts`,
    from: "const [given] = rest.join('.').split(':');",
    to: "const given = rest.join('.');",
  },
  {
    shows: 'H-79',
    file: `${proxy}/start.ts`,
    from: "options.clusterDomain ?? 'cluster.local'",
    to: "'cluster.local'",
  },
  {
    shows: 'H-80',
    file: `${proxy}/probes.ts`,
    from: '"${escaped(value)}"',
    to: '"${value}"',
  },
  {
    shows: 'H-81',
    file: `${proxy}/headers.ts`,
    from: "if (headers['k-original-host'] === undefined) made.push('k-original-host', host);",
    to: "made.push('k-original-host', host);",
  },
  {
    shows: 'H-82',
    file: `${proxy}/headers.ts`,
    from: "name.startsWith(':') || listed?.has(name) === true) continue;",
    to: "name.startsWith(':')) continue;",
  },
  {
    shows: 'H-83',
    file: `${proxy}/attempts/node.ts`,
    from: "if (this.#exchange.hasBody && this.#exchange.request.headers['content-length'] === undefined) {",
    to: "if (this.#exchange.request.headers['content-length'] === undefined) {",
  },
  {
    shows: 'H-84',
    file: `${proxy}/http1.ts`,
    from: '    process.nextTick(flush, response);\n',
    to: '',
  },
  {
    shows: 'H-85',
    file: `${proxy}/http1.ts`,
    from: '    tunnel.pipe(socket);\n',
    to: '',
  },
  {
    shows: 'H-86',
    file: `${proxy}/attempts/client.ts`,
    from: '    controller.pause();\n',
    to: '',
  },
  {
    shows: 'H-88',
    file: `${proxy}/http1.ts`,
    from: 'const isEarly = this.hasBody && !request.complete && !routed.rules.isFullDuplex;',
    to: 'const isEarly = this.hasBody && !request.complete;',
  },
  {
    shows: 'H-89',
    file: `${proxy}/exchange.ts`,
    from: "if (isSame) return this.fail(502, 'bad gateway');",
    to: 'if (isSame) return this.fail(502, `${dest} cannot be reached`);',
  },
  {
    shows: 'H-93',
    file: `${proxy}/exchange.ts`,
    from: "if (wasSent || this.#isRetried) return this.fail(502, 'bad gateway');",
    to: "if (this.#isRetried) return this.fail(502, 'bad gateway');",
  },
  {
    shows: 'H-96',
    file: `${proxy}/probes.ts`,
    from: 'return { status: 500, body: `${wrong}\\n`, headers: [] };',
    to: "return { status: 500, body: '', headers: [] };",
  },
  {
    shows: 'H-97',
    file: `${proxy}/probes.ts`,
    from: 'return bad(`unexpected probe header value: "${escaped(value)}"\\n`);',
    to: 'return undefined;',
  },
  {
    shows: 'H-98',
    file: `${proxy}/probes.ts`,
    from: "one(headers['user-agent'])?.startsWith('kube-probe/') === true ||",
    to: '',
  },
  {
    shows: 'H-100',
    file: `${proxy}/headers.ts`,
    from: "  if (traceParent !== undefined) made.push('traceparent', traceParent);\n",
    to: '',
  },
  {
    shows: 'H-101',
    file: `${proxy}/exchange.ts`,
    from: "    if (this.#state === 'queued') this.routed.figures.queued -= 1;\n",
    to: '',
  },
  {
    shows: 'H-121',
    file: `${proxy}/headers.ts`,
    from: "    'k-proxy-request',\n    'activator',\n",
    to: '',
  },
  {
    shows: 'H-137',
    file: `${proxy}/route.ts`,
    from: '  const probe = answerProbe(headers, path, shared.probes);\n  if (probe !== undefined) return probe;\n  const target = targetOf(headers, host, shared.clusterDomain);\n',
    to: '  const target = targetOf(headers, host, shared.clusterDomain);\n  if (target !== undefined) shared.figures.of(target.namespace, target.name).begun();\n  const probe = answerProbe(headers, path, shared.probes);\n  if (probe !== undefined) return probe;\n',
  },
];
