// The lines of the activator's table of pods and of its admission on which the rules of spec
// activator rest.
import type { ListedMutant } from './mutant.ts';

const table = 'src/activator/table';
const policies = `${table}/policies`;
const admission = 'src/activator/admission';

export const ofSlots: readonly ListedMutant[] = [
  {
    shows: 'R-2',
    file: `${table}/options.ts`,
    from: 'return 2 * Math.min(base, Math.floor(maxSlots / 2));',
    to: 'return 2 * base;',
  },
  {
    shows: 'R-4',
    file: `${table}/slots.ts`,
    from: "    this.release(index, 'drained');\n",
    to: '',
  },
  {
    shows: 'R-5',
    file: `${table}/bitmap.ts`,
    from: '    if (group < this.#lowest) this.#lowest = group;\n',
    to: '',
  },
  {
    shows: ['R-6', 'B-8'],
    file: `${table}/slots.ts`,
    from: '    let end = highWater;\n',
    to: '    let end = highWater;\n    this.trimVisits += end;\n',
  },
  { shows: 'R-7', file: `${table}/slots.ts`, from: '    this.highWater = end;\n', to: '' },
  {
    shows: ['R-8', 'P-1'],
    file: `${table}/slots.ts`,
    from: '    else this.holes.remove(hole);\n',
    to: '',
  },
  {
    shows: 'R-12',
    file: `${table}/options.ts`,
    from: 'if (!(trimThreshold > 0 && trimThreshold <= 1)) {',
    to: 'if (!(trimThreshold >= 0 && trimThreshold <= 1)) {',
  },
  {
    shows: 'R-13',
    file: `${table}/slots.ts`,
    from: '(highWater - live) / highWater <= this.options.trimThreshold',
    to: '(highWater - live) / highWater < this.options.trimThreshold',
  },
  {
    shows: 'R-16',
    file: `${table}/table.ts`,
    from: 'highWater === 0 ? 0 : (highWater - live) / highWater;',
    to: '(highWater - live) / highWater;',
  },
  {
    shows: 'R-20',
    file: `${table}/recalculate.ts`,
    from: '  pods.forEach((pod) => {\n',
    to: '  JSON.parse(JSON.stringify(pods)).forEach((pod: PodTarget) => {\n',
  },
  {
    shows: 'R-23',
    file: `${table}/options.ts`,
    from: 'export const initialLength = 64;',
    to: 'export const initialLength = 4096;',
  },
  {
    shows: 'R-25',
    file: `${table}/slots.ts`,
    from: 'Math.min(maxCapacity, this.limit * this.routable)',
    to: 'Math.min(maxCapacity, this.limit * this.live)',
  },
  {
    shows: 'R-26',
    file: `${table}/slots.ts`,
    from: '      if (!this.columns.isLive(index)) continue;\n',
    to: '',
  },
  {
    shows: 'R-28',
    file: `${table}/options.ts`,
    from: 'options.policy ?? policyFor(limit);',
    to: "options.policy ?? 'round-robin';",
  },
  {
    shows: 'P-2',
    file: `${table}/slots.ts`,
    from: 'while (end > 0 && !this.columns.isLive(end - 1)) {',
    to: 'while (end > 1 && !this.columns.isLive(end - 1)) {',
  },
  {
    shows: 'P-3',
    file: `${table}/recalculate.ts`,
    from: 'if (columns.id[index] !== pod.id) return replace(slots, index, now, counts);',
    to: 'if (columns.id[index] === pod.id) return replace(slots, index, now, counts);',
  },
  {
    shows: 'P-4',
    file: `${table}/recalculate.ts`,
    from: '  columns.mark[index] = recalculations;\n',
    to: '',
  },
  {
    shows: ['P-5', 'B-33'],
    file: `${table}/columns.ts`,
    from: '(isRoutable(state) ? 0 : notRoutable)',
    to: '0',
  },
  {
    shows: 'P-16',
    file: `${table}/slots.ts`,
    from: 'columns.gen[index] !== gen || held < 0',
    to: 'held < 0',
  },
  {
    shows: 'H-8',
    file: `${table}/slots.ts`,
    from: 'columns.gen[index] !== gen || held < 0',
    to: 'columns.gen[index] !== gen',
  },
  {
    shows: 'P-20',
    file: `${table}/table.ts`,
    from: '(since[index] ?? 0) < cutoff',
    to: '(since[index] ?? 0) <= cutoff',
  },
  {
    shows: ['H-2', 'H-26'],
    file: `${table}/columns.ts`,
    from: 'limit === 0 ? unlimited : Math.min(limit, unlimited);',
    to: 'Math.min(limit, unlimited);',
  },
  {
    shows: ['H-32', 'H-37'],
    file: `${table}/options.ts`,
    from: "if (limit === 0) return 'random-choice-2';",
    to: "if (limit === 0) return 'random';",
  },
  {
    shows: 'H-36',
    file: `${table}/options.ts`,
    from: 'limit <= mostClumped',
    to: 'limit < mostClumped',
  },
];

export const ofPolicies: readonly ListedMutant[] = [
  {
    shows: ['R-27', 'H-13', 'H-35'],
    file: `${table}/slots.ts`,
    from: 'const { inFlight, free } = this.columns;\n    const held = (inFlight[index] ?? 0) + 1;',
    to: 'const { inFlight, free } = { ...this.columns };\n    const held = (inFlight[index] ?? 0) + 1;',
  },
  {
    shows: 'P-6',
    file: `${policies}/drawn.ts`,
    from: 'const first = upperHalf(number, size);',
    to: 'const first = upperHalf(number, size) & ~1;',
  },
  {
    shows: 'P-7',
    file: `${policies}/drawn.ts`,
    from: 'return (one & ~isOther) | (other & isOther);',
    to: 'return (one & isOther) | (other & ~isOther);',
  },
  {
    shows: ['P-8', 'H-38'],
    file: `${policies}/scanned.ts`,
    from: '    if (index < this.#cursor && !this.#rotates) this.#cursor = index;\n',
    to: '',
  },
  {
    shows: 'P-9',
    file: `${policies}/scanned.ts`,
    from: 'this.#rotates ? index + 1 : index;',
    to: 'index;',
  },
  {
    shows: 'P-10',
    file: `${policies}/least-loaded.ts`,
    from: '    if (inFlight < this.#lowest) this.#lowest = inFlight;\n',
    to: '',
  },
  {
    shows: 'P-11',
    file: `${table}/slots.ts`,
    from: 'if (left > 0) policy.move(index, held);',
    to: 'if (left >= 0) policy.move(index, held);',
  },
  {
    shows: 'H-33',
    file: `${policies}/drawn.ts`,
    from: 'list[drawn + 1 + ((drawn - first) >> 31)]',
    to: 'list[drawn]',
  },
  {
    shows: 'H-34',
    file: `${policies}/drawn.ts`,
    from: '((free[one] ?? 0) - (free[other] ?? 0)) >> 31;',
    to: '((free[one] ?? 0) - (free[other] ?? 0) || other - one) >> 31;',
  },
];

export const ofAdmission: readonly ListedMutant[] = [
  {
    shows: 'R-9',
    file: `${table}/slots.ts`,
    from: '    this.indexByDest.delete(dest);\n',
    to: '',
  },
  {
    shows: 'P-12',
    file: `${admission}/admission.ts`,
    from: '    if (this.#isShut) this.wake(1);\n',
    to: '',
  },
  {
    shows: ['P-13', 'B-21'],
    file: `${admission}/waiters.ts`,
    from: 'const { next } = this.#ends;',
    to: 'const { previous: next } = this.#ends;',
  },
  {
    shows: 'P-14',
    file: `${admission}/admission.ts`,
    from: '!this.#waiters.remove(ticket)) return false;',
    to: 'this.#waiters.shift() === undefined) return false;',
  },
  {
    shows: 'P-15',
    file: `${admission}/admission.ts`,
    from: 'if (!(ticket instanceof Waiter) || !this.#waiters.remove(ticket)) return false;',
    to: 'if (!(ticket instanceof Waiter)) return false;',
  },
  {
    shows: 'P-18',
    file: `${admission}/backlog.ts`,
    from: '    this.#bodyBytes -= bodyBytes;\n',
    to: '',
  },
  { shows: 'P-21', file: `${admission}/admission.ts`, from: '    this.#table.close();\n', to: '' },
  {
    shows: 'H-10',
    file: `${admission}/backlog.ts`,
    from: '    if (this.#waiting >= maxWaitingInProcess) return false;\n',
    to: '',
  },
  {
    shows: 'H-1',
    file: `${table}/columns.ts`,
    from: 'state >= stateCode.ready;',
    to: "state >= stateCode['not-ready'];",
  },
  {
    shows: 'R-1',
    file: `${admission}/admission.ts`,
    from: 'waiter.handler.granted(index, this.#table.genOf(index));',
    to: 'waiter.handler.granted(index, 1);',
  },
];
