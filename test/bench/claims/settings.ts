// The flags of `npm run bench -- claims` as a typed command. command.ts calls it.
import { type Arguments, choice, UsageError } from '../arguments.ts';
import { caseNames, caseOf, type ClaimsCase, usualCases } from './cases.ts';
import type { ServerName } from './players.ts';

export interface ClaimsCommand {
  readonly command: 'claims';
  readonly cluster: 'embedded' | 'real';
  readonly nodes: number;
  readonly cases: readonly ClaimsCase[];
  readonly server: ServerName;
  /** CPU time that the server spends on each claim besides, in microseconds; of a floor alone. */
  readonly busyUs: number;
  /** By annotations of the product. */
  readonly isObserved: boolean;
  readonly repeat: number;
  readonly audit: boolean;
  /** Takes profiles of the controller in every phase. */
  readonly isProfiled: boolean;
  readonly out: string | undefined;
  readonly floorInFlight: number;
  readonly quietSeconds: number;
  readonly patienceSeconds: number;
}

export function readClaims(
  flags: Arguments,
  place: Pick<ClaimsCommand, 'cluster' | 'nodes' | 'out'>,
  pace: Pick<ClaimsCommand, 'floorInFlight' | 'quietSeconds' | 'patienceSeconds'>,
): ClaimsCommand {
  const audit = flags.has('audit');
  if (audit && place.cluster !== 'real') {
    throw new UsageError('--audit is for --cluster real: the embedded cluster keeps no such log');
  }
  const server = flags.choice('server', ['controller', 'floor', 'list'], 'controller');
  if (flags.has('busy-us') && server === 'controller') {
    throw new UsageError('--busy-us is for --server floor or list: nobody can add to the product');
  }
  return {
    command: 'claims',
    ...place,
    floorInFlight: pace.floorInFlight,
    quietSeconds: pace.quietSeconds,
    patienceSeconds: pace.patienceSeconds,
    cases: casesOf(flags),
    server,
    busyUs: flags.integer('busy-us', 0, { least: 0, most: 1_000_000 }),
    isObserved: !flags.has('unobserved'),
    repeat: flags.integer('repeat', 5, { least: 1, most: 100 }),
    audit,
    isProfiled: flags.has('profile'),
  };
}

const own = ['pool', 'count', 'rate', 'bursts'] as const;

/** By name, or one by its own numbers. */
function casesOf(flags: Arguments): readonly ClaimsCase[] {
  if (flags.has('fill')) return [fillOf(flags)];
  if (!own.some((flag) => flags.has(flag))) {
    return flags.list('cases', usualCases).map((word) => caseOf(choice('cases', word, caseNames)));
  }
  if (flags.has('cases')) throw new UsageError('--cases cannot go with --pool, --count or --rate');
  const count = flags.integer('count', 300, { least: 1, most: 10_000 });
  const pool = flags.integer('pool', 2 * count, { least: 1, most: 10_000 });
  if (pool < count) throw new UsageError(`--pool must be at least --count ${count}: cold starts`);
  return [
    {
      name: 'own',
      pool,
      count,
      rate: flags.integer('rate', 0, { least: 0, most: 10_000 }),
      bursts: flags.integer('bursts', 1, { least: 1, most: 100 }),
    },
  ];
}

function fillOf(flags: Arguments): ClaimsCase {
  const other = ['cases', 'count', 'rate', 'bursts'].find((flag) => flags.has(flag));
  if (other !== undefined) throw new UsageError(`--fill cannot go with --${other}: leave out one`);
  const usual = caseOf('fill');
  return { ...usual, pool: flags.integer('pool', usual.pool, { least: 1, most: 10_000 }) };
}
