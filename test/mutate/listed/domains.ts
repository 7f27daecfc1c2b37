// The lines on which the rules of spec compute-domain rest that are about domains, what they make
// and the agent on each node.
import type { ListedMutant } from './mutant.ts';

const domain = 'machines/nvidia/computedomain';
const nvidia = 'machines/nvidia';
const agent = 'src/agent';

export const ofDomains: readonly ListedMutant[] = [
  {
    shows: ['A-90', 'HC-22'],
    file: `${domain}/status.ts`,
    from: 'const nextAt = (asked?.at ?? -Infinity) + statusIntervalMs;',
    to: 'const nextAt = now;',
  },
  {
    shows: ['A-91', 'Q-2', 'HC-29'],
    file: `${domain}/roll-up.ts`,
    from: '    if (found !== undefined) return [found];\n',
    to: '',
  },
  {
    shows: 'A-92',
    file: `${domain}/status.ts`,
    from: 'wanted.every((node) => isEqual(node, byName.get(Object(node).name)))',
    to: 'wanted.every((node, index) => isEqual(node, [...byName.values()][index]))',
  },
  {
    shows: 'A-93',
    file: `${domain}/status.ts`,
    from: "nodes.every(({ status }) => status === 'Ready');",
    to: "nodes.every(({ name }) => name !== '');",
  },
  {
    shows: ['HC-8', 'HC-30'],
    file: `${domain}/status.ts`,
    from: '  nodes.length >= numNodes && nodes',
    to: '  numNodes >= 0 && nodes',
  },
  {
    shows: 'Q-20',
    file: `${domain}/status.ts`,
    from: '  nodes.length >= numNodes && nodes',
    to: '  nodes.length > 0 && nodes.length >= numNodes && nodes',
  },
  {
    shows: 'A-94',
    file: `${domain}/status.ts`,
    from: '    ...(nodes.length > 0 ? { nodes: nodes.map(entryOf) } : {}),\n',
    to: '    nodes: nodes.map(entryOf),\n',
  },
  {
    shows: 'A-97',
    file: `${domain}/status.ts`,
    from: "  bytes > maxBytes ? 'excessive' : bytes > largeBytes ? 'large' : 'small';",
    to: "  bytes > maxBytes ? 'excessive' : 'small';",
  },
  {
    shows: ['HC-9', 'HC-76'],
    file: `${domain}/children/daemonset.ts`,
    from: "    ...(priorityClassName === '' ? {} : { priorityClassName }),\n",
    to: '',
  },
  {
    shows: ['HC-20', 'HC-66'],
    file: `${domain}/roll-up.ts`,
    from: "  pod.cliqueID !== '' || pod.ip === ''\n",
    to: "  pod.cliqueID !== ''\n",
  },
  {
    shows: 'HC-19',
    file: `${domain}/roll-up.ts`,
    from: "  pod.cliqueID !== '' || pod.ip === ''\n",
    to: "  (pod.cliqueID ?? '') !== '' || pod.ip === ''\n",
  },
  {
    shows: ['HC-31', 'Q-27'],
    file: `${nvidia}/removal.ts`,
    from: '  child.deleting ? withoutFinalizer(child, finalizer, reason) : [];',
    to: '  child.deleting ? [] : withoutFinalizer(child, finalizer, reason);',
  },
  {
    shows: 'HC-51',
    file: `${domain}/children/daemonset.ts`,
    from: 'startupProbe: probe(1, 1200),',
    to: 'startupProbe: probe(1, 12),',
  },
  {
    shows: 'HC-54',
    file: `${nvidia}/removal.ts`,
    from: '    { resourceVersion: node.resourceVersion },\n',
    to: '    {},\n',
  },
  {
    shows: 'HC-55',
    file: `${domain}/context.ts`,
    from: '    ? { ...context, asked: undefined, isStale: true }\n',
    to: '    ? { ...context, isStale: true }\n',
  },
  {
    shows: 'HC-57',
    file: `${domain}/teardown.ts`,
    from: '  unlabelling: ({ nodes }) => nodes.length > 0,\n',
    to: '  unlabelling: () => false,\n',
  },
  {
    shows: 'HC-58',
    file: `${domain}/children/daemonset.ts`,
    from: "['NoSchedule', 'NoExecute', 'PreferNoSchedule']",
    to: "['NoSchedule', 'PreferNoSchedule']",
  },
  {
    shows: 'HC-62',
    file: `${domain}/roll-up.ts`,
    from: "const isAddressAwaited = pod.ip === '' && pod.cliqueID !== undefined;",
    to: 'const isAddressAwaited = false;',
  },
  {
    shows: 'HC-67',
    file: `${domain}/status.ts`,
    from: 'const mixedSince = isMixed ? (listing.mixedSince ?? now) : undefined;',
    to: 'const mixedSince = undefined;',
  },
  {
    shows: 'Q-1',
    file: `${domain}/roll-up.ts`,
    from: '    isOfDriver(settings, namespace);\n',
    to: '    namespace === settings.driverNamespace;\n',
  },
  {
    shows: 'Q-4',
    file: `${domain}/teardown.ts`,
    from: 'all(ownChildren(context).flatMap((child) => deleteChild(',
    to: "all(ownChildren(context).filter(({ kind }) => kind !== 'DomainClaimTemplate').flatMap((child) => deleteChild(",
  },
  {
    shows: 'Q-7',
    file: `${domain}/teardown.ts`,
    from: '  whyStill(`ComputeDomain ${domain.name}`, domain),\n',
    to: '',
  },
  {
    shows: 'HC-10',
    file: `${agent}/settings.ts`,
    from: '  if (uid === undefined) throw new AgentSetupError(noInjection);\n  return uid;',
    to: "  return uid ?? '';",
  },
  {
    shows: 'HC-24',
    file: `${agent}/settings.ts`,
    from: '  if (hasCliques && !hasNames) {',
    to: "  if (hasCliques && !hasNames && uid === '') {",
  },
  {
    shows: 'HC-33',
    file: `${agent}/files.ts`,
    from: "padStart(4, '0')",
    to: "padStart(3, '0')",
  },
  {
    shows: 'HC-43',
    file: `${agent}/decide.ts`,
    from: "return isUp ? { do: 'signal' } :",
    to: "return isUp ? restart('the nodes have changed', false) :",
  },
  {
    shows: 'HC-49',
    file: `${agent}/table.ts`,
    from: '    .toSorted((one, other) => (one.node < other.node ? -1 : 1));',
    to: '    .slice();',
  },
  {
    shows: 'HC-65',
    file: `${agent}/files.ts`,
    from: '`${ips.get(index) ?? nowhere}\\t',
    to: "`${ips.get(index) ?? ''}\\t",
  },
  {
    shows: 'Q-13',
    file: `${agent}/supervisor.ts`,
    from: '    this.#plan = plan;\n',
    to: '    this.#plan ??= plan;\n',
  },
  {
    shows: 'Q-14',
    file: `${agent}/supervisor.ts`,
    from: '    await this.#over.promise;\n',
    to: '',
  },
  {
    shows: 'Q-19',
    file: `${agent}/files.ts`,
    from: 'line !== begin && line !== end && !anySlot.test(line)',
    to: '!anySlot.test(line)',
  },
];
