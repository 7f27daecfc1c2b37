// The lines on which the rules of spec compute-domain rest that are about the indices of nodes.
import type { ListedMutant } from './mutant.ts';

const clique = 'machines/nvidia/clique';
const nvidia = 'machines/nvidia';

export const ofCliques: readonly ListedMutant[] = [
  {
    shows: 'A-3',
    file: `${clique}/slots.ts`,
    from: '    this.#used.set(index, node);\n',
    to: '',
  },
  {
    shows: 'A-5',
    file: `${nvidia}/objects/daemon-pod.ts`,
    from: '      (one.createdAt ?? 0) - (other.createdAt ?? 0) || (one.node < other.node ? -1 : 1),',
    to: '      one.node < other.node ? -1 : 1,',
  },
  {
    shows: 'A-6',
    file: `${clique}/slots.ts`,
    from: 'for (let index = 0; index < this.#maxNodes; index++) {',
    to: 'for (let index = this.#used.size; index < this.#maxNodes; index++) {',
  },
  {
    shows: 'A-8',
    file: `${nvidia}/objects/clique.ts`,
    from: "index: numberOf(at(source, 'index')) ?? 0,",
    to: "index: numberOf(at(source, 'index')) ?? -1,",
  },
  {
    shows: ['A-9', 'A-44', 'A-54'],
    file: `${clique}/write.ts`,
    from: '(isEqual(decision.rows, rows) &&',
    to: '(decision.rows === rows &&',
  },
  {
    shows: ['A-11', 'A-12'],
    file: `${nvidia}/objects/daemon-pod.ts`,
    from: 'return (live.length > 0 ? live : pods).toSorted(byAge).at(-1);',
    to: 'return pods.toSorted(byAge)[0];',
  },
  {
    shows: ['A-15', 'A-17', 'A-111'],
    file: `${clique}/decide.ts`,
    from: 'const slots = new Slots({ maxNodes, rows: there, members });',
    to: 'const slots = new Slots({ maxNodes, rows: there.map((row, index) => ({ ...row, index })), members });',
  },
  {
    shows: 'A-20',
    file: `${clique}/decide.ts`,
    from: 'isHeld(nodeName) || !vacated.has(nodeName));',
    to: 'isHeld(nodeName));',
  },
  {
    shows: ['A-22', 'A-25'],
    file: `${clique}/decide.ts`,
    from: 'isHeld(nodeName) || !vacated.has(nodeName));',
    to: 'currentOf(members.get(nodeName) ?? [])?.isReady !== false);',
  },
  {
    shows: 'Q-23',
    file: `${clique}/steps.ts`,
    from: 'checked: new Set(suspects) } };',
    to: 'checked: new Set(suspects.slice(0, 1)) } };',
  },
  {
    shows: ['A-26', 'A-80', 'A-82', 'Q-6'],
    file: `${clique}/decide.ts`,
    from: '    pod?.isReady === true &&\n',
    to: '    pod !== undefined &&\n',
  },
  {
    shows: ['A-42', 'A-50'],
    file: `${clique}/write.ts`,
    from: "const version = { resourceVersion, urgency: 'first' } as const;",
    to: "const version = { urgency: 'first' } as const;",
  },
  {
    shows: 'A-52',
    file: `${clique}/join.ts`,
    from: '} else if (!isPauseOver(until, now, unknownMs)) {',
    to: '} else if (until < 0) {',
  },
  {
    shows: 'A-73',
    file: `${clique}/steps.ts`,
    from: 'const isUnderWay = context.checked !== undefined;',
    to: 'const isUnderWay = false;',
  },
  {
    shows: ['A-81', 'Q-10'],
    file: `${clique}/decide.ts`,
    from: '    ipAddress === row.ipAddress &&\n',
    to: '',
  },
  {
    shows: 'HC-41',
    file: `${clique}/decide.ts`,
    from: "joined.push({ nodeName, ipAddress, cliqueID, index, status: 'NotReady' });",
    to: "joined.push({ nodeName, ipAddress, cliqueID, index, status: pod.isReady ? 'Ready' : 'NotReady' });",
  },
  {
    shows: ['A-100', 'Q-22'],
    file: `${clique}/write.ts`,
    from: '    daemons: rows.map(rowOf),\n  };\n  const reason',
    to: '    daemons: rows.slice(0, 1).map(rowOf),\n  };\n  const reason',
  },
  {
    shows: 'A-101',
    file: `${clique}/context.ts`,
    from: '    lost: remembered(context, () => false),\n',
    to: '',
  },
  {
    shows: ['A-102', 'A-104', 'A-124'],
    file: `${clique}/write.ts`,
    from: 'rows.length === 0 && members.size === 0;',
    to: 'rows.length < 0 && members.size === 0;',
  },
  {
    shows: 'A-103',
    file: `${clique}/decide.ts`,
    from: 'isLive && !known.has(uid) && !disowned.has(uid))',
    to: 'isLive && !known.has(uid))',
  },
  {
    shows: 'A-105',
    file: `${clique}/decide.ts`,
    from: "isLive && ip !== '' && (hasCliques || isAgent) && !slots.has(node),",
    to: "isLive && ip !== '' && !slots.has(node),",
  },
  {
    shows: 'A-112',
    file: `${clique}/decide.ts`,
    from: "isLive && ip !== '' && (hasCliques || isAgent) && !slots.has(node),",
    to: 'isLive && (hasCliques || isAgent) && !slots.has(node),',
  },
  {
    shows: 'Q-9',
    file: `${clique}/decide.ts`,
    from: '  const missing = rows\n',
    to: '  const missing = rows\n    .filter(({ nodeName }) => before.every((row) => row.nodeName !== nodeName))\n',
  },
  {
    shows: 'A-117',
    file: `${clique}/slots.ts`,
    from: 'this.#isIndex(index) && !this.#used.has(index) && !taken.has(index);',
    to: 'this.#isIndex(index) && !taken.has(index);',
  },
  {
    shows: 'Q-16',
    file: `${clique}/decided.ts`,
    from: 'return all.length === 0 ? settings.maxNodes : Math.min(...all);',
    to: 'return settings.maxNodes;',
  },
  {
    shows: 'Q-17',
    file: `${clique}/steps.ts`,
    from: 'return [...full, ...inUse, ...repaired];',
    to: 'return [...inUse, ...repaired];',
  },
  {
    shows: ['A-65', 'HC-50'],
    file: 'src/config/compute-domains.ts',
    from: '{ least: 1, most: 10_000 }',
    to: '{ least: 0, most: 100_000 }',
  },
];
