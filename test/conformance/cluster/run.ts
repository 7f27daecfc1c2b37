// Registers the conformance suite for one server as vitest tests: each check in a namespace of its
// own, so that checks do not meet and a failed one leaves nothing in the way.
import { afterAll, beforeAll, describe, test } from 'vitest';
import type { Check, ConformanceServer } from './session.ts';
import { CannotCheck, Session } from './session.ts';
import { suites } from './suites.ts';
import { installWidgets } from './widgets.ts';

export interface Running {
  readonly server: ConformanceServer;
  readonly stop: () => Promise<void>;
}

/** `label` goes into the names of the namespaces, so that runs on one server do not meet. With a
 *  reason to `skip`, the suite is shown as skipped with it. */
export function conformance(
  name: string,
  label: string,
  start: () => Promise<Running>,
  skip?: string,
): void {
  let running: Running | undefined;
  let count = 0;

  /** In a namespace that begins empty, but for what the cluster puts there. */
  const inNamespace = async (check: Check): Promise<void> => {
    if (running === undefined) throw new Error('the server did not start');
    count++;
    const namespace = `conformance-${label}-${count}`;
    const session = new Session(running.server, namespace);
    const body = { apiVersion: 'v1', kind: 'Namespace', metadata: { name: namespace } };
    await session.create('/api/v1/namespaces', body);
    await session.eventually('the account of the namespace', () =>
      session.exists(session.path('serviceaccounts', 'default')),
    );
    try {
      await check(session);
    } finally {
      await session.send('DELETE', `/api/v1/namespaces/${namespace}`);
    }
  };

  const title = skip === undefined ? name : `${name} (skipped: ${skip})`;
  describe.skipIf(skip !== undefined).each([title])('%s', () => {
    beforeAll(async () => {
      running = await start();
      await installWidgets(new Session(running.server, 'default'));
    });
    afterAll(() => running?.stop());

    describe.each(Object.entries(suites))('%s', (_subject, suite) => {
      test.for(Object.entries(suite))('%s', async ([, check], { skip }) => {
        try {
          await inNamespace(check);
        } catch (error) {
          if (error instanceof CannotCheck) skip(error.message);
          throw error;
        }
      });
    });
  });
}
