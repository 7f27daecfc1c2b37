// Whether the actors of revisions keep up (spec activator T-18). Requests are served from the
// tables as they are meanwhile, so this is for `/readyz` and alerts and no reason for a restart,
// which would lose all requests that wait.
import type { Clock } from '#actors/ports.ts';
import type { ActorSystem } from '#actors/system.ts';
import type { Check } from '#src/http/probes.ts';

/** Mail that waits longer shows that an actor does not keep up. */
const mostWaitMs = 5_000;

export const actorsCheck = (
  system: Pick<ActorSystem, 'rows'>,
  clock: Pick<Clock, 'steady'>,
): Check => ({
  name: 'revisions',
  run: () => {
    const now = clock.steady();
    for (const { key, state, mailSince = now } of system.rows()) {
      const name = `${key.namespace}/${key.name}`;
      if (state === 'waiting') return `the actor of ${name} has crashed and waits for its restart`;
      if (state === 'parked') return `the actor of ${name} is parked: it crashed too often`;
      const waitMs = now - mailSince;
      if (waitMs > mostWaitMs) return `mail of ${name} has waited for ${Math.round(waitMs)} ms`;
    }
    return undefined;
  },
});
