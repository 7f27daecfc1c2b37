// `coppice activator` as a process beside the cluster of a test, with one revision, which nobody
// scales: it never has a pod, so a request for it waits.
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { activatorConfiguration } from '#test/support/activator-configuration.ts';
import { eventually } from '#test/support/eventually.ts';
import type { Place } from '#test/support/place.ts';
import type { Program } from '#test/support/program.ts';

export interface ActivatorStage {
  readonly program: Program;
  /** Of its probes and metrics. */
  readonly health: string;
  readonly ask: (revision: string, signal?: AbortSignal) => Promise<Response>;
}

/** Ready. `entry`: a bundle; absent: the sources. */
export async function startActivator(
  place: Place,
  namespace: string,
  { flags = [], entry }: { readonly flags?: readonly string[]; readonly entry?: string } = {},
): Promise<ActivatorStage> {
  const file = join(place.folder, 'activator.json');
  const revisions = [{ name: 'web', namespace, scale: { kind: 'none' } }];
  writeFileSync(file, activatorConfiguration({ revisions }));
  const all = ['activator', '--config', file, '--kubeconfig', place.kubeconfig, ...flags];
  const program =
    entry === undefined
      ? place.programs.coppice(...all)
      : place.programs.run(process.execPath, [entry, ...all]);
  const [, url = '', health = ''] = await program.line(/"url":"([^"]+)","health":"([^"]+)"/);
  await eventually(
    'ready',
    async () => (await fetch(`${health}/readyz`)).status,
    (status) => status === 200,
  );
  const ask = (revision: string, signal?: AbortSignal): Promise<Response> =>
    fetch(url, {
      headers: { 'Knative-Serving-Namespace': namespace, 'Knative-Serving-Revision': revision },
      signal: signal ?? null,
    });
  return { program, health, ask };
}
