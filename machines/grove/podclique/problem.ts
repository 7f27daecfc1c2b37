// Why a PodClique's spec cannot be acted upon. Asked by its steps, for its status and by `why`.
import { label } from '../objects/labels.ts';
import { maxPodsPerClique } from '../objects/limits.ts';
import type { ObservedClique } from '../objects/podclique.ts';
import type { Problem } from '../objects/set-problem.ts';
import { schedulerOf } from './context.ts';
import type { CliqueContext } from './context.ts';
import { sharingProblem } from './sharing.ts';

/** Why no pod may be created from this spec, if so. */
export function problemOf(context: CliqueContext, clique: ObservedClique): Problem | undefined {
  if (clique.gang === undefined) {
    return {
      code: 'ERR_MISSING_PODGANG_LABEL_ON_PODCLIQUE',
      message: `metadata.labels lacks ${label.podGang}: it must name the PodGang`,
    };
  }
  if (clique.replicas > maxPodsPerClique) {
    const message = `spec.replicas is ${clique.replicas}; at most ${maxPodsPerClique} are handled`;
    return { code: 'ERR_CREATE_POD', message };
  }
  const ofSharing = sharingProblem(context, clique);
  if (ofSharing !== undefined) return ofSharing;
  const scheduler = schedulerOf(context, clique);
  if (context.settings.schedulerNames.includes(scheduler)) return undefined;
  const known = context.settings.schedulerNames.join(', ');
  return {
    code: 'ERR_BUILD_POD_RESOURCE',
    message: `spec.podSpec.schedulerName "${scheduler}" is not enabled; enabled are: ${known}`,
  };
}
