// The lines on which rules of spec compute-domain rest that are about what is persisted and read
// again, and about nodes that are of no clique, of another one, or of a domain that goes.
import type { ListedMutant } from './mutant.ts';

const clique = 'machines/nvidia/clique';
const domain = 'machines/nvidia/computedomain';
const nvidia = 'machines/nvidia';
const agent = 'src/agent';
const crds = 'charts/coppice/charts/nvidia/crds';

const ofPersistence: readonly ListedMutant[] = [
  {
    shows: 'A-30',
    file: `${clique}/join.ts`,
    from: 'clique: ObservedClique): Step {\n  const { asks } = context;\n',
    to: 'own: ObservedClique): Step {\n  const { asks } = context;\n  const clique = { ...own, ...decided(context) };\n',
  },
  {
    shows: 'A-31',
    file: `${clique}/decided.ts`,
    from: 'for (const pod of [...daemons.values(), ...unlabelled]) {',
    to: 'for (const pod of [...daemons.values(), ...unlabelled].filter(({ uid }) => admitted.has(uid))) {',
  },
  {
    shows: 'A-32',
    file: `${clique}/decide.ts`,
    from: 'const slots = new Slots({ maxNodes, rows: there, members });',
    to: 'const slots = new Slots({ maxNodes, rows: there.filter(({ status }) => status === "Ready"), members });',
  },
  {
    shows: 'A-33',
    file: `${clique}/context.ts`,
    from: '  if (!isOwnNews(before, observed)) return context;\n  const still',
    to: '  if (before.uid === observed.uid) return context;\n  const still',
  },
  {
    shows: 'A-34',
    file: `${clique}/decided.ts`,
    from: '(admitted.has(uid) || owners.has(uid))',
    to: 'admitted.has(uid)',
  },
  {
    shows: 'A-74',
    file: `${clique}/context.ts`,
    from: '    vacated: vacated.intersection(unchanged),\n',
    to: '    vacated: new Set(),\n',
  },
  {
    shows: 'A-83',
    file: `${clique}/decide.ts`,
    from: 'return index === undefined ? [] : [renewed(row, index, facts)];',
    to: 'return index === undefined ? [] : [row === there[0] ? renewed(row, index, facts) : row];',
  },
  {
    shows: 'A-96',
    file: `${clique}/reads.ts`,
    from: 'of [...clique.reserved, ...lost, ...mirrored]) {',
    to: 'of [...clique.reserved, ...lost]) {',
  },
  {
    shows: 'HC-23',
    file: `${clique}/write.ts`,
    from: "const version = { resourceVersion, urgency: 'first' } as const;",
    to: "const version = { urgency: 'first' } as const;",
  },
];

const ofNodes: readonly ListedMutant[] = [
  {
    shows: ['A-66', 'HC-40'],
    file: `${nvidia}/routes.ts`,
    from: "  cliqueID === ''\n",
    to: "  domain === ''\n",
  },
  {
    shows: 'HC-28',
    file: `${nvidia}/objects/daemon-pod.ts`,
    from: 'cliqueID: meta.labels[label.clique],',
    to: 'cliqueID: word(meta.labels[label.clique]),',
  },
  {
    shows: 'A-70',
    file: `${clique}/starting.ts`,
    from: 'return others.every((other)',
    to: 'return others.length < 2 || others.every((other)',
  },
  {
    shows: 'Q-15',
    file: `${nvidia}/views/daemons.ts`,
    from: "const isStarting = cliqueID === undefined && node !== '';",
    to: "const isStarting = node !== '';",
  },
  {
    shows: ['A-71', 'HC-45'],
    file: `${nvidia}/routes.ts`,
    from: 'name: cliqueName(domain, cliqueID) });',
    to: "name: cliqueName(domain, '') });",
  },
];

const ofObjects: readonly ListedMutant[] = [
  {
    shows: 'A-95',
    file: 'machines/statechart/define.ts',
    from: "      states.has('active')\n        ? definition.status(",
    to: '      states.size > 0\n        ? definition.status(',
  },
  {
    shows: 'HC-2',
    file: `${domain}/children/table.ts`,
    from: "  mode === 'hostManaged' ? [ofWorkload] : [ofDaemons, daemons, ofWorkload];",
    to: "  mode === 'hostManaged' ? [ofDaemons, ofWorkload] : [ofDaemons, daemons, ofWorkload];",
  },
  {
    shows: 'HC-16',
    file: `${nvidia}/objects/labels.ts`,
    from: '`computedomain-daemon-${uid}`',
    to: '`computedomain-daemon-${uid}-${Math.random()}`',
  },
  {
    shows: 'HC-56',
    file: `${nvidia}/settings.ts`,
    from: 'namespace === driverNamespace || additionalNamespaces.includes(namespace);',
    to: 'namespace === driverNamespace && !additionalNamespaces.includes(namespace);',
  },
  {
    shows: 'HC-59',
    file: `${crds}/computedomains.yaml`,
    from: 'rule: self == oldSelf',
    to: 'rule: self.channel == oldSelf.channel',
  },
  {
    shows: 'HC-74',
    file: `${crds}/computedomains.yaml`,
    from: '                      default: Single\n',
    to: `                      default: '"Single"'\n`,
  },
  {
    shows: 'Q-5',
    file: `${domain}/status.ts`,
    from: 'status: isHostManaged || isReady(domain, nodes) ?',
    to: "status: isHostManaged || context.children.some(({ kind }) => kind === 'DomainDaemonSet') ?",
  },
  {
    shows: 'Q-18',
    file: `${domain}/behaviour.ts`,
    from: "in: ['active.children.missing', 'active.children.complete'] },",
    to: "in: ['active.children.complete'] },",
  },
  {
    shows: 'Q-21',
    file: `${domain}/behaviour.ts`,
    from: "in: ['active.children.missing', 'active.children.complete'] },",
    to: "in: ['active'] },",
  },
];

const ofAgents: readonly ListedMutant[] = [
  {
    shows: 'HC-46',
    file: `${agent}/desired.ts`,
    from: 'if (!hasNames && rows.length !== wanted) {',
    to: 'if (rows.length !== wanted) {',
  },
  {
    shows: 'HC-47',
    file: `${agent}/table.ts`,
    from: 'own: members.find(({ node, ip }) => node === self.node && ip === self.ip),',
    to: 'own: members.find(({ node, ip }) => node === self.node && ip === self.ip) ?? members[0],',
  },
  {
    shows: 'Q-11',
    file: `${agent}/desired.ts`,
    from: "members.map(({ index, ip }) => `${index} ${ip}`).join('\\n');",
    to: "members.map(({ ip }) => ip).toSorted().join('\\n');",
  },
];

export const ofFabric: readonly ListedMutant[] = [
  ...ofPersistence,
  ...ofNodes,
  ...ofObjects,
  ...ofAgents,
];
