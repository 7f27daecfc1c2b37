// Registers the conformance suite for one server as vitest tests: each check in a namespace of its
// own, so that checks do not meet and a failed one leaves nothing in the way.
import { afterAll, beforeAll, describe, test } from 'vitest';
import type { ConformanceServer } from './session.ts';
import { Session } from './session.ts';
import { suites } from './suites.ts';
import { installWidgets } from './widgets.ts';

export interface Running {
  readonly server: ConformanceServer;
  readonly stop: () => Promise<void>;
}

/** `label` goes into the names of the namespaces, so that runs on one server do not meet. */
export function conformance(name: string, label: string, start: () => Promise<Running>): void {
  describe(name, () => {
    let running: Running | undefined;
    let count = 0;

    beforeAll(async () => {
      running = await start();
      await installWidgets(new Session(running.server, 'default'));
    });
    afterAll(() => running?.stop());

    for (const [subject, suite] of Object.entries(suites)) {
      describe(subject, () => {
        for (const [check, run] of Object.entries(suite)) {
          test(check, async () => {
            if (running === undefined) throw new Error('the server did not start');
            count++;
            const namespace = `conformance-${label}-${count}`;
            const session = new Session(running.server, namespace);
            const metadata = { name: namespace };
            await session.create('/api/v1/namespaces', {
              apiVersion: 'v1',
              kind: 'Namespace',
              metadata,
            });
            await session.eventually('the account of the namespace', () =>
              session.exists(session.path('serviceaccounts', 'default')),
            );
            try {
              await run(session);
            } finally {
              await session.send('DELETE', `/api/v1/namespaces/${namespace}`);
            }
          });
        }
      });
    }
  });
}
