// Rule: what runs machines knows none of them. Runtime, bus and the edges below the controller get
// by table or port what is special about an API group (machines/kinds.ts, machines/index.ts), so
// that another group needs no change there.
import type { Source, Violation } from './sources.ts';

const folders = ['actors', 'bus', 'src/kube', 'src/http', 'src/metrics', 'src/leases'];
const words = /podclique|podgang|grove|\bpcs\b|\bpclq\b|\bpcsg\b/i;

export const checkBelow = (sources: readonly Source[]): readonly Violation[] =>
  sources
    .filter(({ path }) => folders.some((folder) => path.startsWith(`${folder}/`)))
    .flatMap(({ path, text }) =>
      text.split('\n').flatMap((content, index) => {
        const [word] = words.exec(content) ?? [];
        return word === undefined
          ? []
          : [
              {
                path,
                line: index + 1,
                message: `"${word}" is of an API group: machines/ names it`,
              },
            ];
      }),
    );
