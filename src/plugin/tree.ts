// `kubectl coppice tree`: roots with all that they own, by owner references, from the API server
// alone: it works while the controller is away.
import type { Kind } from '#machines/kinds.ts';
import { controllerOf, type KubeObject } from '#machines/kubernetes/objects.ts';
import { glanceAt, readyCell } from './glance.ts';
import { shownKinds, wantedIn } from './kinds.ts';
import { itemsWanted, type Item, listPath } from './objects.ts';
import type { FlagsOf } from './parse.ts';
import type { Session } from './session.ts';
import { age, type Row, table } from './show/table.ts';

export async function showTree(
  session: Session,
  flags: FlagsOf<'tree'>,
  words: readonly string[],
): Promise<void> {
  const { transport, output, clock } = session;
  const namespace = flags['all-namespaces'] ? undefined : session.namespace;
  const wanted = wantedIn(words);
  const [all, pods] = await Promise.all([
    itemsWanted(transport, {}, namespace),
    podsIn(session, namespace),
  ]);
  const roots =
    wanted.kind === undefined
      ? undefined
      : await itemsWanted(transport, wanted, namespace).then((items) =>
          items.map(({ object }) => object.metadata.uid),
        );
  const lines = treeOf([...all, ...pods], roots);
  if (lines.length === 0) {
    output.note(`nothing of Coppice in ${namespace === undefined ? 'any namespace' : namespace}`);
    return;
  }
  const hasNamespaces = namespace === undefined;
  const header = [
    ...(hasNamespaces ? ['NAMESPACE'] : []),
    'NAME',
    'READY',
    'COUNT',
    'REASON',
    'AGE',
  ];
  const rows = lines.map(({ indent, object }): Row => {
    const glance = glanceAt(object);
    return [
      ...(hasNamespaces ? [object.metadata.namespace ?? ''] : []),
      `${indent}${object.kind}/${object.metadata.name}`,
      readyCell(glance, output.paint),
      glance.count,
      glance.reason,
      age(object.metadata.creationTimestamp, clock.now()),
    ];
  });
  for (const line of table(header, rows)) output.line(line);
}

/** Those of ours and of others: their owners tell. */
async function podsIn({ transport }: Session, namespace?: string): Promise<readonly Item[]> {
  const scope = namespace === undefined ? '' : `/namespaces/${encodeURIComponent(namespace)}`;
  const pods = await listPath(transport, `/api/v1${scope}/pods`, 'list pods');
  return (pods ?? []).map((object) => ({ kind: undefined, object }));
}

interface TreeLine {
  readonly indent: string;
  readonly object: KubeObject;
}

/** Objects without an owner that is there are roots; pods never are. `roots`: UIDs of the only
 *  ones that are wanted. */
export function treeOf(
  items: readonly Item[],
  roots: readonly (string | undefined)[] | undefined,
): readonly TreeLine[] {
  const known = new Set(items.map(({ object }) => object.metadata.uid));
  const children = Map.groupBy(items, ({ object }) => controllerOf(object)?.uid);
  const isRoot = ({ kind, object }: Item): boolean =>
    roots === undefined
      ? kind !== undefined && !known.has(controllerOf(object)?.uid)
      : roots.includes(object.metadata.uid);
  return items
    .filter(isRoot)
    .toSorted(byName)
    .flatMap((root) => below(root, children, '', ''));
}

function below(
  item: Item,
  children: ReadonlyMap<string | undefined, readonly Item[]>,
  indent: string,
  next: string,
): readonly TreeLine[] {
  const { object } = item;
  const owned = (children.get(object.metadata.uid) ?? []).toSorted(byName);
  return [
    { indent, object },
    ...owned.flatMap((child, index) => {
      const isLast = index === owned.length - 1;
      return below(
        child,
        children,
        `${next}${isLast ? '└─ ' : '├─ '}`,
        `${next}${isLast ? '   ' : '│  '}`,
      );
    }),
  ];
}

const placeOf = (kind: Kind | undefined): number =>
  kind === undefined ? Number.MAX_SAFE_INTEGER : shownKinds().indexOf(kind);

const byName = (a: Item, b: Item): number =>
  (a.object.metadata.namespace ?? '').localeCompare(b.object.metadata.namespace ?? '') ||
  placeOf(a.kind) - placeOf(b.kind) ||
  a.object.metadata.name.localeCompare(b.object.metadata.name, 'en', { numeric: true });
