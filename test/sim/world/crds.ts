// The CustomResourceDefinitions of the chart, as a user installs them. Used by world.ts.
import type { Manifest } from '#src/dev/apply.ts';
import { readCrds } from '#src/dev/crds.ts';

let manifests: readonly Manifest[] | undefined;

/** Parsing takes a while: once for all runs of this process. */
export const crds = (): readonly Manifest[] => (manifests ??= readCrds());
