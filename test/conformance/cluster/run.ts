// Registers the conformance suite for one server as vitest tests: each check in a namespace of its
// own, so that checks do not meet and a failed one leaves nothing in the way.
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import type { Check, ConformanceServer } from './session.ts';
import { CannotCheck, Session } from './session.ts';
import { differences } from './differences.ts';
import { suites } from './suites.ts';
import { installWidgets } from './widgets.ts';

export interface Running {
  readonly server: ConformanceServer;
  readonly stop: () => Promise<void>;
}

export interface Run {
  readonly name: string;
  /** Goes into the names of the namespaces, so that runs on one server do not meet. */
  readonly label: string;
  /** True: the exceptions are to be as in Kubernetes, else as on the embedded cluster. */
  readonly isKubernetes: boolean;
  readonly start: () => Promise<Running>;
  /** With a reason the suite is shown as skipped with it. */
  readonly skip?: string | undefined;
}

/** For what comes by and by in Kubernetes, and never here. */
const patienceMs = { kubernetes: 60_000, embedded: 500 };

export function conformance({ name, label, isKubernetes, start, skip }: Run): void {
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

    const patience = isKubernetes ? patienceMs.kubernetes : patienceMs.embedded;
    const looks = Object.entries(differences).flatMap(([subject, { isAsInKubernetes: look }]) =>
      typeof look === 'string' ? [] : [{ subject, look }],
    );
    describe('Exceptions', () => {
      test.for(looks)('$subject', ({ look }) =>
        inNamespace(async (session) => expect(await look(session, patience)).toBe(isKubernetes)),
      );
    });
  });
}
