// Where the CRDs of a module are: in the subchart of its name, which the chart switches by the same
// value as the module. Helm, `coppice dev`, `coppice crds` and tests take them from there. A bundle
// lies as deep as this file (dist/bin), and finds them beside dist/.
import { fileURLToPath } from 'node:url';

const subcharts = new URL('../../charts/coppice/charts/', import.meta.url);

/** Path of the folder, with a slash at its end. */
export const crdFolder = (module: string): string =>
  fileURLToPath(new URL(`${module}/crds/`, subcharts));
