// More lines on which the rules of spec agent-sandbox rest that are about warm pools and their
// queues.
import type { ListedMutant } from './mutant.ts';

const pool = 'machines/agentsandbox/warmpool';
const views = 'machines/agentsandbox/views';

export const ofPoolRules: readonly ListedMutant[] = [
  {
    shows: 'R34',
    file: `${pool}/population.ts`,
    from: 'counts.active + counts.terminating + refill.creating.size;',
    to: 'counts.active + counts.terminating;',
  },
  {
    shows: 'R36',
    file: `${pool}/reduce.ts`,
    from: 'removal: { ...unsent(removal, ref.name), ...slow } };',
    to: 'removal: { ...removal, ...slow } };',
  },
  {
    shows: ['R39', 'P6'],
    file: `${pool}/steps/remove.ts`,
    from: '  Number(isReady(a)) - Number(isReady(b)) ||\n',
    to: '',
  },
  {
    shows: ['R46', 'G3'],
    file: `${pool}/status.ts`,
    from: '    readyReplicas: counts.ready,',
    to: "    readyReplicas: context.members.values().filter((one) => one.ready?.['status'] === 'True').length,",
  },
  {
    shows: 'R69',
    file: `${pool}/reduce.ts`,
    from: '    removal: withoutChosen(removal, name),\n    refill: awaited(',
    to: '    refill: awaited(',
  },
  {
    shows: 'H1',
    file: `${pool}/reduce.ts`,
    from: '(annotations[annotation.pool] ?? key.name) === key.name,',
    to: 'true || (annotations[annotation.pool] ?? key.name) === key.name,',
  },
  {
    shows: ['P3', 'Q25'],
    file: `${views}/orphans.ts`,
    from: 'return sandbox.controller === undefined && hash !== undefined',
    to: 'return hash !== undefined',
  },
  {
    shows: 'P8',
    file: `${pool}/steps/refill.ts`,
    from: 'Math.min(deficit(context, pool), most - refill.creating.size, careful)',
    to: 'Math.min(deficit(context, pool), most, careful)',
  },
  {
    shows: 'P11',
    file: `${pool}/reduce.ts`,
    from: '  return { ...next, refill: spared(well, ref.name) };\n',
    to: '  return { ...next, refill: well };\n',
  },
  {
    shows: 'P12',
    file: `${pool}/reduce.ts`,
    from: "const isPruned = pool !== undefined && pool.status['conditions'] === undefined;",
    to: 'const isPruned = false;',
  },
  {
    shows: 'G13',
    file: `${pool}/behaviour.ts`,
    from: '  status: writeStatus,\n',
    to:
      '  status: (context, ...rest) =>\n' +
      '    context.refill.failure === undefined ? writeStatus(context, ...rest) : undefined,\n',
  },
  {
    shows: ['M2', 'Q17'],
    file: `${pool}/reduce.ts`,
    from: 'return countedAnew(context, { ...seen, pool, refill: noRefill });',
    to: 'return { ...context, ...seen, pool, refill: noRefill };',
  },
  {
    shows: ['Q3', 'Q4'],
    file: `${pool}/queue/queue.ts`,
    from: 'const emptyVersion = () => new Version<Spread, Change>(new Spread());',
    to: 'const spread = new Spread();\nconst emptyVersion = () => new Version<Spread, Change>(spread);',
  },
  {
    shows: 'Q8',
    file: `${pool}/queue/queue.ts`,
    from: '    if (queued === undefined) return this;\n',
    to: '    if (queued === undefined) return new WarmQueue(this.size, this.#version);\n',
  },
  {
    shows: 'Q10',
    file: `${pool}/queue/spread.ts`,
    from: '    return (this.#nodes.first ?? this.#unscheduled).first;\n',
    to:
      '    const { first } = this.#nodes.first ?? this.#unscheduled;\n' +
      '    if (first !== undefined) this.apply({ name: first.name, queued: undefined });\n' +
      '    return first;\n',
  },
  {
    shows: 'Q11',
    file: `${pool}/queue/spread.ts`,
    from: '    this.#nodes.remove(fifo);\n',
    to: '',
  },
];
