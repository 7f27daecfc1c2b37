// The flags of `npm run bench -- cliques` as a typed command. command.ts calls it.
import type { RateLimit } from '#src/kube/transport/ratelimit.ts';
import { type Arguments, choice, integer, UsageError } from '../arguments.ts';
import { capacity } from './clique.ts';
import { defaultStrategies, type StrategyName, strategyNames, strategyOf } from './strategies.ts';

export interface CliquesCommand {
  readonly command: 'cliques';
  readonly cluster: 'embedded' | 'real';
  readonly strategies: readonly StrategyName[];
  /** Daemons of a clique, cliques, and seconds over which daemons join: every combination. */
  readonly sizes: readonly number[];
  readonly cliques: readonly number[];
  readonly spreads: readonly number[];
  readonly domains: 'one' | 'each';
  readonly probes: 'spread' | 'aligned';
  readonly limit: RateLimit | undefined;
  readonly isGuarded: boolean;
  readonly repetitions: number;
  readonly warmUps: number;
  readonly processes: number;
  readonly capSeconds: number;
  readonly seed: number;
  readonly out: string | undefined;
}

/** client-go's own, as NVIDIA's daemons have it. */
const shippedLimit: RateLimit = { qps: 5, burst: 10 };

export function readCliques(flags: Arguments): CliquesCommand {
  const numbers = (flag: string, fallback: string, least: number, most: number) =>
    flags.list(flag, fallback.split(',')).map((word) => integer(flag, word, { least, most }));
  const isGuarded = flags.choice('guard', ['on', 'off'], 'off') === 'on';
  const strategies = flags
    .list('strategies', defaultStrategies)
    .map((word) => choice('strategies', word, strategyNames));
  const needy = strategies.find((name) => strategyOf(name).needsGuard === true);
  if (needy !== undefined && !isGuarded) {
    throw new UsageError(`${needy} needs the rule of the CRD: add --guard on`);
  }
  return {
    command: 'cliques',
    cluster: flags.choice('cluster', ['embedded', 'real'], 'embedded'),
    strategies,
    sizes: numbers('n', String(capacity), 1, capacity),
    cliques: numbers('m', '1,4,16', 1, 500),
    spreads: numbers('spread', '0', 0, 600),
    domains: flags.choice('domains', ['one', 'each'], 'one'),
    probes: flags.choice('probes', ['spread', 'aligned'], 'spread'),
    limit: flags.choice('limiter', ['on', 'off'], 'off') === 'on' ? shippedLimit : undefined,
    isGuarded,
    repetitions: flags.integer('repetitions', 5, { least: 1, most: 100 }),
    warmUps: flags.integer('warm-ups', 1, { least: 0, most: 10 }),
    processes: flags.integer('processes', 1, { least: 1, most: 16 }),
    capSeconds: flags.integer('cap-seconds', 60, { least: 1, most: 3600 }),
    seed: flags.integer('seed', 1),
    out: flags.text('out'),
  };
}
