// Registers kubectl's commands for one server as vitest tests, one per command, in order: each
// finds what those before it left, and prints exactly what it prints on a real server.
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { eventually } from '#test/support/eventually.ts';
import { commands } from './commands.ts';
import { byOlder, type Differences, expectedMinor } from './differences.ts';
import { isRecording, readExpected, writeExpected } from './expected.ts';
import { findKubectl, type Kubectl, namespace, outcomeOf, type Place, run } from './kubectl.ts';

declare module 'vitest' {
  interface TaskMeta {
    /** Why the outcome is another one than on the real server. */
    listed?: string;
  }
}

export interface Running {
  readonly kubeconfig: string;
  readonly stop: () => Promise<void>;
}

export interface KubectlSuite {
  /** As the other suites name the server, so that results stand side by side. */
  readonly server: string;
  readonly start: () => Promise<Running>;
  /** Commands that print something else here. */
  readonly differences: Differences;
  /** Writes what is printed down as what is expected, when that is asked for. */
  readonly isModel: boolean;
  /** Why it cannot run. */
  readonly skip?: string | undefined;
}

export function kubectlSuite({ server, start, differences, isModel, skip }: KubectlSuite): void {
  const kubectl = findKubectl();
  const why = skip ?? (kubectl === undefined ? 'there is no kubectl' : undefined);
  const title = why === undefined ? server : `${server} (skipped: ${why})`;
  const outcomes = new Map<string, string>();
  const isRecorded = isModel && isRecording;
  const expected = isRecorded ? outcomes : readExpected();
  const known = {
    ...differences,
    ...(kubectl !== undefined && kubectl.minor < expectedMinor - 1 ? byOlder : {}),
  };

  describe.skipIf(why !== undefined).each([title])('%s', () => {
    const at: { kubectl?: Kubectl; place?: Place; running?: Running } = {};
    beforeAll(async () => {
      if (kubectl === undefined) return;
      at.kubectl = kubectl;
      at.running = await start();
      const home = await mkdtemp(join(tmpdir(), 'coppice-kubectl-'));
      at.place = { kubeconfig: at.running.kubeconfig, home };
      await emptyNamespace(kubectl, at.place);
    });
    afterAll(async () => {
      if (isRecorded) writeExpected(outcomes);
      await at.running?.stop();
      if (at.place !== undefined) await rm(at.place.home, { recursive: true });
    });

    describe('kubectl', () => {
      test.for(commands.map((command) => [command.name, command] as const))(
        '%s',
        async ([name, command], { task }) => {
          if (at.kubectl === undefined || at.place === undefined) throw new Error('not started');
          const outcome = await outcomeOf(at.kubectl, at.place, command);
          outcomes.set(name, outcome);
          const reason = known[name];
          if (reason !== undefined) task.meta.listed = reason;
          if (reason === undefined) expect(outcome).toBe(expected.get(name));
          else expect(outcome).not.toBe(expected.get(name));
        },
      );
    });
  });
}

/** Anew, should an earlier run have left one. */
async function emptyNamespace(kubectl: Kubectl, place: Place): Promise<void> {
  await run(kubectl, place, ['delete', 'namespace', namespace, '--ignore-not-found']);
  await run(kubectl, place, ['create', 'namespace', namespace]);
  await eventually(
    'an account and the root certificate there',
    () => run(kubectl, place, ['get', '-n', namespace, 'sa/default', 'cm/kube-root-ca.crt']),
    ({ code }) => code === 0,
  );
}
