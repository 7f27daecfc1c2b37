// Applies manifests to a cluster in memory that is thrown away, so that what the API server or the
// webhooks will not take is said before anything is started: with file, document and field. Called
// by dev.ts.
import { CoppiceError } from '#machines/contract/errors.ts';
import { type Admission, startAdmission } from '#src/admission/start.ts';
import type { Configuration } from '#src/config/schema.ts';
import { createCluster } from '#src/devcluster/cluster.ts';
import { servedEdges } from '#src/modules/index.ts';
import { systemClock, systemRandom } from '#src/time/clock.ts';
import { localAdmission } from './admission.ts';
import { apply, type Manifest } from './apply.ts';
import { installCrds } from './crds.ts';

/** Rejects with MALFORMED for the first manifest that no cluster would take. */
export async function dryRun(
  manifests: readonly Manifest[],
  configured: Configuration,
): Promise<void> {
  const ports = { clock: systemClock, random: systemRandom };
  const cluster = createCluster({ ...ports, controllers: false });
  let admission: Admission | undefined;
  try {
    await cluster.start();
    const user = cluster.transport();
    await installCrds(user);
    const configuration = { ...configured, admission: localAdmission(configured) };
    const edges = servedEdges(configured);
    const made = await Promise.all(
      edges.flatMap(({ webhooks }) => webhooks?.(configuration) ?? []),
    );
    const needs = { configuration, transport: user, clock: systemClock };
    admission = startAdmission({
      configuration,
      transport: user,
      webhooks: made.flatMap((webhooksOf) => webhooksOf(needs)),
      namespace: 'default',
      clock: systemClock,
      log: () => {},
    });
    await admission.started;
    for (const manifest of manifests) await apply(user, manifest).catch(unlessInvalid);
  } finally {
    await admission?.stop();
    await cluster.stop();
  }
}

/** No controllers run here: what only lacks what they make (a pod its account) may be right. */
function unlessInvalid(error: unknown): void {
  if (error instanceof CoppiceError && error.code !== 'MALFORMED') return;
  throw error;
}
