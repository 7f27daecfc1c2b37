// The lines on which the rules of spec agent-sandbox rest that are about warm pools and their
// queues.
import type { ListedMutant } from './mutant.ts';

const pool = 'machines/agentsandbox/warmpool';

export const ofPools: readonly ListedMutant[] = [
  {
    shows: 'P5',
    file: `${pool}/population.ts`,
    from: 'Math.max(0, replicas - population(context) - context.orphans.size);',
    to: 'replicas;',
  },
  {
    shows: 'R37',
    file: `${pool}/steps/remove.ts`,
    from: 'if (member !== undefined && isUnschedulable(member)) {',
    to: 'if (member === undefined) {',
  },
  {
    shows: 'R38',
    file: `${pool}/steps/remove.ts`,
    from: '    waits: until === undefined ? [] : [{ until: Math.max(until, now) }],\n',
    to: '',
  },
  {
    shows: ['R40', 'P7'],
    file: `${pool}/status.ts`,
    from: '    selector: `${label.warmPool}=${nameHash(name)}`,',
    to: '    ...(replicas > 0 && { selector: `${label.warmPool}=${nameHash(name)}` }),',
  },
  {
    shows: 'R41',
    file: `${pool}/refill.ts`,
    from: 'if (before !== undefined && level < before) return { level, heldUntil: now + delayMs };',
    to: 'if (level < (before ?? wanted)) return { level, heldUntil: now + delayMs };',
  },
  {
    shows: 'R42',
    file: `${pool}/refill.ts`,
    from: 'const grant = Math.min(wanted, Math.floor(tokens));',
    to: 'const grant = Math.min(wanted, Math.ceil(tokens));',
  },
  {
    shows: 'R43',
    file: `${pool}/refill.ts`,
    from: '  window: 1,\n  pausedUntil: Math.min(',
    to: '  window: 100,\n  pausedUntil: Math.min(',
  },
  {
    shows: ['R44', 'P2'],
    file: 'machines/agentsandbox/objects/blueprint.ts',
    from: "return hash({ spec: podTemplate['spec'], claims, service });",
    to: 'return hash({ podTemplate, claims, service });',
  },
  {
    shows: 'P1',
    file: `${pool}/population.ts`,
    from: "if (template === undefined || pool.strategy !== 'Recreate') return [];",
    to: "if (template === undefined || pool.strategy === 'Recreate') return [];",
  },
  {
    shows: 'R47',
    file: `${pool}/status.ts`,
    from: '    observedGeneration: generation,\n',
    to: '',
  },
  {
    shows: 'R48',
    file: `${pool}/steps/remove.ts`,
    from: 'return removal.causes.excess > 0 && excess < 0 ? keepAgain(context, -excess) : idle;',
    to: 'return idle;',
  },
  {
    shows: 'P9',
    file: `${pool}/steps/refill.ts`,
    from: 'Number(doubtful.has(other)) - Number(doubtful.has(one))',
    to: 'Number(doubtful.has(one)) - Number(doubtful.has(other))',
  },
  {
    shows: ['Q1', 'Q2'],
    file: `${pool}/queue/queue.ts`,
    from: '      before?.age ?? core.nextAge(),',
    to: '      core.nextAge(),',
  },
  {
    shows: ['Q5', 'Q19'],
    file: `${pool}/queue/queue.ts`,
    from: 'this.#version.change(change));',
    to: 'this.#version);',
  },
  {
    shows: 'Q7',
    file: `${pool}/queue/fifo.ts`,
    from: '    this.#link(one.older, one.younger);\n',
    to: '    this.#link(one.older, undefined);\n',
  },
  {
    shows: 'Q9',
    file: `${pool}/queue/spread.ts`,
    from: '    if (queued === undefined) this.byName.delete(name);\n    else {',
    to: '    if (queued !== undefined) {',
  },
  {
    shows: 'Q12',
    file: `${pool}/queue/spread.ts`,
    from: 'return (this.#nodes.first ?? this.#unscheduled).first;',
    to: 'return this.#unscheduled.first ?? this.#nodes.first?.first;',
  },
  {
    shows: 'Q13',
    file: `${pool}/queue/heap.ts`,
    from: 'return size === other ? age < (this.#ages[place] ?? 0) : size > other;',
    to: 'return age < (this.#ages[place] ?? 0);',
  },
  {
    shows: 'Q14',
    file: `${pool}/queue/heap.ts`,
    from: 'return size === other ? age < (this.#ages[place] ?? 0) : size > other;',
    to: 'return size === other ? age > (this.#ages[place] ?? 0) : size > other;',
  },
  {
    shows: 'Q15',
    file: `${pool}/queue/fifo.ts`,
    from: '  remove(one: Queued): void {\n    this.size--;\n',
    to: '  remove(one: Queued): void {\n',
  },
  {
    shows: 'Q16',
    file: `${pool}/queue/spread.ts`,
    from: '    if (before !== undefined) this.#leave(before);\n',
    to: '',
  },
  {
    shows: 'Q18',
    file: `${pool}/members.ts`,
    from: 'queue: isAdoptable ? standing : undefined,',
    to: 'queue: standing,',
  },
  {
    shows: ['Q21', 'Q24'],
    file: `${pool}/members.ts`,
    from: '    member.podIPs.length > 0 && hasPoolLabels(member)',
    to: '    hasPoolLabels(member)',
  },
  {
    shows: ['Q23', 'Q28'],
    file: `${pool}/assigning/reduce.ts`,
    from: '    ? withRefused(withoutClaim(context, claim.name, withMember), { claim, seenAt })',
    to: '    ? withRefused(context, { claim, seenAt })',
  },
  {
    shows: 'Q29',
    file: `${pool}/assigning/serve.ts`,
    from: '  if (needsOwnSandbox(claim)) return parts.assign(context, one, name);\n',
    to: '',
  },
  {
    shows: 'G1',
    file: `${pool}/steps/remove.ts`,
    from: '  resourceVersion: member.resourceVersion,\n',
    to: '',
  },
  {
    shows: 'G2',
    file: `${pool}/members.ts`,
    from: "    ready: queued(after.ready, name, to, 'ready'),\n",
    to: '',
  },
  {
    shows: 'G4',
    file: `${pool}/assigning/serve.ts`,
    from: 'counts.active > assigning.inHand.size;',
    to: 'counts.active < assigning.inHand.size;',
  },
  {
    shows: 'G5',
    file: 'machines/agentsandbox/claim/steps.ts',
    from: '  const isSame = isEqual(own, wanted);\n',
    to: '  const isSame = false;\n',
  },
  {
    shows: 'G7',
    file: `${pool}/population.ts`,
    from: '  counts.active + counts.terminating + refill.creating.size;',
    to: '  counts.active + refill.creating.size;',
  },
];
