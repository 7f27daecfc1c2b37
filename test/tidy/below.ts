// Rule: what runs machines knows none of them. Runtime, bus and the edges below the controller get
// by table or port what is special about an API group or a kind (machines/kinds.ts,
// machines/index.ts), so that another one needs no change there.
import { allKinds } from '#machines/kinds.ts';
import { isUnder, type Source, type Violation } from './sources.ts';

const folders = ['actors', 'bus', 'src/kube', 'src/http', 'src/metrics', 'src/leases'];
const groups = /podclique|podgang|grove|\bpcs\b|\bpclq\b|\bpcsg\b/i;
const kinds = new RegExp(`'(?:${allKinds().join('|')})'`);

export const checkBelow = (sources: readonly Source[]): readonly Violation[] =>
  sources
    .filter(({ path }) => folders.some((folder) => isUnder(path, folder)))
    .flatMap(({ path, text }) =>
      text.split('\n').flatMap((content, index) => {
        const [word] = groups.exec(content) ?? kinds.exec(content) ?? [];
        return word === undefined
          ? []
          : [{ path, line: index + 1, message: `machines/ names it by table: ${word}` }];
      }),
    );
