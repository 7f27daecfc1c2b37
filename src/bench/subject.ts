// What `coppice bench` deploys: the PodCliqueSet of a file, in the namespace of the run, and where
// nodes are simulated, bound to these. Called by run.ts.
import { CoppiceError } from '#machines/contract/errors.ts';
import { at, count, list, object } from '#machines/kubernetes/json.ts';
import { type Manifest, readManifests } from '#src/dev/apply.ts';
import { simulatedLabel, simulatedTaint } from './nodes.ts';

export interface Subject {
  readonly manifest: Manifest;
  readonly replicas: number;
}

/** Rejects with MALFORMED where the file is not one PodCliqueSet with replicas. */
export async function readSubject(file: string): Promise<Subject> {
  const manifests = await readManifests(file);
  const [manifest] = manifests;
  if (manifest === undefined || manifests.length > 1) {
    throw wrong(file, `holds ${manifests.length} manifests, it must hold one PodCliqueSet`);
  }
  const { kind, apiVersion, origin, body } = manifest;
  if (kind !== 'PodCliqueSet' || !apiVersion.startsWith('grove.io/')) {
    throw wrong(origin, `is a ${kind} of ${apiVersion}, it must be a PodCliqueSet of grove.io`);
  }
  const replicas = at(body, 'spec', 'replicas') ?? 1;
  if (count(replicas) === undefined || replicas === 0) {
    const right = 'it must be a whole number from 1 on';
    throw wrong(origin, `spec.replicas ${JSON.stringify(replicas)} is wrong, ${right}`);
  }
  return { manifest, replicas: Number(replicas) };
}

const wrong = (origin: string, problem: string): CoppiceError =>
  new CoppiceError('MALFORMED', `${origin}: ${problem}`);

/** In this namespace whatever the file says; `run`: bound to the simulated nodes of that run. */
export function placed({ manifest }: Subject, namespace: string, run?: string): Manifest {
  const { body, apiVersion, kind, name } = manifest;
  const metadata = { name, namespace, ...meant(object(body['metadata'])) };
  const spec = run === undefined ? body['spec'] : bound(object(body['spec']), run);
  return { ...manifest, namespace, body: { apiVersion, kind, metadata, spec } };
}

/** A file may be what `kubectl get -o yaml` says of an object. What belongs to that one is left:
 *  its version, its managers, its finalizers, which nobody would take off. So is its status. */
const meant = ({ labels, annotations }: Readonly<Record<string, unknown>>): object => ({
  ...(labels === undefined ? {} : { labels }),
  ...(annotations === undefined ? {} : { annotations }),
});

function bound(spec: Readonly<Record<string, unknown>>, run: string): object {
  const template = object(spec['template']);
  const cliques = list(template['cliques']).map((clique) => {
    const cliqueSpec = object(at(clique, 'spec'));
    const podSpec = object(cliqueSpec['podSpec']);
    const there = {
      ...podSpec,
      nodeSelector: { ...object(podSpec['nodeSelector']), [simulatedLabel]: run },
      tolerations: [...list(podSpec['tolerations']), { ...simulatedTaint, operator: 'Exists' }],
    };
    return { ...object(clique), spec: { ...cliqueSpec, podSpec: there } };
  });
  return { ...spec, template: { ...template, cliques } };
}
