// The lines on which those rules of spec activator rest that are about reports of requests, and
// about which pods an activator uses.
import type { ListedMutant } from './mutant.ts';

const ledger = 'src/activator/scaling/ledger.ts';
const slices = 'machines/activator/slices.ts';

export const ofReports: readonly ListedMutant[] = [
  {
    shows: 'H-112',
    file: ledger,
    from: 'if (this.#first.push(revision) === 1) this.#clock.soon(() => this.#tellFirst());',
    to: 'this.#first.push(revision);',
  },
  { shows: 'H-113', file: ledger, from: '  discount = 1;', to: '  discount = 0;' },
  {
    shows: 'H-114',
    file: ledger,
    from: 'count: entry.count - entry.discount,',
    to: 'count: entry.area === 0 ? 0 : entry.count - entry.discount,',
  },
  {
    shows: 'H-115',
    file: ledger,
    from: 'elapsed > 0 ? entry.area / elapsed : entry.active;',
    to: 'entry.active;',
  },
  {
    shows: ['H-116', 'H-117'],
    file: ledger,
    from: 'if (isIdle && entry.active === 0) this.#entries.delete(revision);',
    to: 'this.#entries.delete(revision);',
  },
  {
    shows: 'H-119',
    file: ledger,
    from: 'this.#clock.soon(() => this.#tellFirst());',
    to: 'this.#tellFirst();',
  },
  {
    shows: 'H-120',
    file: ledger,
    from: 'if (batch.length > 0) this.#report(batch);',
    to: 'for (const one of batch) this.#report([one]);',
  },
  {
    shows: 'H-146',
    file: ledger,
    from: 'if (isIdle && entry.active === 0) this.#entries.delete(revision);',
    to: '',
  },
  {
    shows: 'P-23',
    file: ledger,
    from: 'this.area += this.active * (now - this.changedAt);',
    to: 'this.area += now - this.changedAt;',
  },
  {
    shows: ['P-22', 'H-14'],
    file: slices,
    from: 'return place < left ? [...own, ...sorted.slice(first, first + 1)] : own;',
    to: 'return own;',
  },
  {
    shows: 'H-15',
    file: slices,
    from: 'const first = pods - left + place;',
    to: 'const first = pods - left;',
  },
  { shows: 'H-16', file: slices, from: 'limit === 0 || place < 0', to: 'place < 0' },
  { shows: 'H-21', file: slices, from: 'dests.toSorted();', to: '[...dests];' },
];
