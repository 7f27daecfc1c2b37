// Which class carries out which policy. Called once for each table: a policy is chosen when a
// revision is first seen, not for each request.
import type { Columns } from '../columns.ts';
import { Random } from '../random.ts';
import type { PolicyName } from '../types.ts';
import { Drawn } from './drawn.ts';
import { LeastLoaded } from './least-loaded.ts';
import type { Policy } from './policy.ts';
import { Scanned } from './scanned.ts';

export function policyOf(name: PolicyName, seed: number, columns: Columns): Policy {
  switch (name) {
    case 'random':
      return new Drawn(columns, new Random(seed), 1);
    case 'random-choice-2':
      return new Drawn(columns, new Random(seed), 2);
    case 'first-available':
      return new Scanned(false);
    case 'round-robin':
      return new Scanned(true);
    case 'least-loaded':
      return new LeastLoaded(columns);
  }
}
