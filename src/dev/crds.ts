// The CRDs that ship with Coppice, for whoever installs them into a cluster: `coppice dev`, tests
// and benchmarks, and `coppice crds` where Helm does not. Helm takes the same files from the chart.
import { readdirSync, readFileSync } from 'node:fs';
import { load } from 'js-yaml';
import { CoppiceError } from '#machines/contract/errors.ts';
import { modules } from '#machines/index.ts';
import { at, list, text } from '#machines/kubernetes/json.ts';
import type { KubeTransport } from '#src/kube/transport/transport.ts';
import { crdFolder } from '#src/modules/crds.ts';
import { systemClock } from '#src/time/clock.ts';
import { apply, type Manifest, manifestOf } from './apply.ts';

/** A server takes a moment from accepting a CRD to serving its kind. */
const servedLimitMs = 60_000;
const pollMs = 50;

/** Those of all modules, or of these, always in the same order. Each file is one document of ours,
 *  so it is read by the parser that takes an eighth of the time, not by the one that explains. */
export function readCrds(isWanted: (module: string) => boolean = () => true): readonly Manifest[] {
  const wanted = modules.filter(({ name }) => isWanted(name));
  const files = wanted.flatMap(({ name }) => {
    const folder = crdFolder(name);
    const names = readdirSync(folder).filter((file) => file.endsWith('.yaml'));
    return names.toSorted().map((file) => folder + file);
  });
  return files.map((file) => manifestOf(file, load(readFileSync(file, 'utf8'))));
}

/** Applies all CRDs and waits until their kinds are served; returns their names. Throws MALFORMED
 *  with the server's answer, and UNREACHABLE when a kind is not served in time. */
export async function installCrds(transport: KubeTransport): Promise<string[]> {
  const manifests = readCrds();
  const names = await Promise.all(manifests.map((manifest) => apply(transport, manifest)));
  await Promise.all(manifests.map((manifest) => served(transport, manifest)));
  return names;
}

/** `podgangs.scheduler.grove.io` is served once its collection can be listed. */
async function served(transport: KubeTransport, { name, body }: Manifest): Promise<void> {
  const dot = name.indexOf('.');
  const [first] = list(at(body, 'spec', 'versions')).filter((one) => at(one, 'served') === true);
  const version = text(at(first, 'name'));
  const path = `/apis/${name.slice(dot + 1)}/${version}/${name.slice(0, dot)}?limit=1`;
  const end = systemClock.now() + servedLimitMs;
  for (;;) {
    const { status } = await transport.request({ method: 'GET', path });
    if (status === 200) return;
    if (systemClock.now() > end) {
      throw new CoppiceError(
        'UNREACHABLE',
        `the API server accepted the CRD ${name} but does not serve it (${status})`,
      );
    }
    await new Promise<void>((resolve) => systemClock.at(systemClock.now() + pollMs, resolve));
  }
}
