// Rule: folders inside a layer have an order too, and no file of one imports what is above it; so
// whoever reads a folder needs only those below.
import { isUnder, type Source, type Violation } from './sources.ts';

/** What files under a path may import of the folder `within`. */
interface Room {
  readonly path: string;
  readonly within: string;
  /** Besides itself. */
  readonly below: readonly string[];
}

const ofGrove = 'machines/grove';
const belowKinds = ['objects', 'views', 'scheduler', 'claims', 'children'].map(
  (room) => `${ofGrove}/${room}`,
);
const shared = ['finalizer.ts', 'last-errors.ts', 'settings.ts'].map((f) => `${ofGrove}/${f}`);
const contracts = ['machines/contract', 'machines/kubernetes'];

const machines = (path: string, below: readonly string[]): Room => ({
  path,
  within: 'machines',
  below,
});

/** A kind of Grove knows no other kind, only what is below all of them. */
const kind = (name: string): Room =>
  machines(`${ofGrove}/${name}`, [...contracts, 'machines/statechart', ...belowKinds, ...shared]);

const ofNvidia = 'machines/nvidia';
const sharedOfNvidia = ['removal.ts', 'settings.ts'].map((f) => `${ofNvidia}/${f}`);

/** So it is for a kind of NVIDIA's. */
const kindOfNvidia = (name: string): Room =>
  machines(`${ofNvidia}/${name}`, [
    ...contracts,
    'machines/statechart',
    `${ofNvidia}/objects`,
    `${ofNvidia}/views`,
    ...sharedOfNvidia,
  ]);

/** The first that holds a file counts. */
const rooms: readonly Room[] = [
  machines('machines/kubernetes', []),
  machines('machines/contract', ['machines/kubernetes']),
  machines('machines/statechart', contracts),
  machines(`${ofGrove}/objects`, contracts),
  machines(`${ofGrove}/views`, [...contracts, `${ofGrove}/objects`]),
  machines(`${ofGrove}/scheduler`, [...contracts, `${ofGrove}/objects`]),
  machines(`${ofGrove}/children`, [
    ...contracts,
    'machines/statechart',
    `${ofGrove}/objects`,
    ...shared,
  ]),
  machines(`${ofGrove}/claims`, [
    ...contracts,
    `${ofGrove}/children`,
    `${ofGrove}/objects`,
    `${ofGrove}/views`,
    ...shared,
  ]),
  ...['podclique', 'podcliqueset', 'podgang', 'scalinggroup', 'topologybinding'].map(kind),
  machines(`${ofNvidia}/objects`, contracts),
  machines(`${ofNvidia}/views`, [...contracts, `${ofNvidia}/objects`]),
  ...['clique', 'computedomain', 'orphan'].map(kindOfNvidia),
  machines('machines/agentsandbox/warmpool/queue', contracts),
];

/** The embedded cluster could be a package of its own: the rest of the product knows its door
 *  alone, but for a module, which brings the plug-in of its name. */
const cluster = {
  folder: 'src/devcluster',
  door: 'src/devcluster/cluster.ts',
  plugins: 'src/devcluster/plugins',
  /** What such a package would take along. */
  below: ['actors/ports.ts', 'machines/contract', 'machines/kubernetes', 'src/kube', 'src/tls'],
};

function isOwnPlugin(path: string, target: string): boolean {
  const [, module = ''] = /^src\/modules\/([^/]+)\//.exec(path) ?? [];
  return module !== '' && isUnder(target, `${cluster.plugins}/${module}`);
}
const product = ['machines', 'actors', 'bus', 'src'];

export function checkDoor(sources: readonly Source[]): readonly Violation[] {
  return sources
    .filter(({ path }) => product.some((layer) => isUnder(path, layer)))
    .filter(({ path }) => !isUnder(path, cluster.folder))
    .flatMap(({ path, imports }) =>
      imports
        .filter(({ target = '' }) => isUnder(target, cluster.folder) && target !== cluster.door)
        .filter(({ target = '' }) => !isOwnPlugin(path, target))
        .map(({ line }) => ({ path, line, message: `the way in is ${cluster.door}` })),
    );
}

/** A folder of plugins/ is for an API group; nothing else there depends on one or names it. */
export function checkStandalone(sources: readonly Source[]): readonly Violation[] {
  const isOfGroup = (path: string): boolean =>
    isUnder(path, cluster.plugins) &&
    path.split('/').length > cluster.plugins.split('/').length + 1;
  const isAllowed = (target: string): boolean =>
    [cluster.folder, ...cluster.below].some((one) => isUnder(target, one)) && !isOfGroup(target);
  return sources
    .filter(({ path }) => isUnder(path, cluster.folder) && !isOfGroup(path))
    .flatMap(({ path, imports, lines }) => [
      ...imports.flatMap(({ target, line }) =>
        target === undefined || isAllowed(target)
          ? []
          : [{ path, line, message: `the embedded cluster stands alone, without ${target}` }],
      ),
      ...lines.flatMap((text, index) => {
        const [word] = /grove|podclique|podgang/i.exec(text) ?? [];
        const message = `a plug-in of the embedded cluster says ${word}`;
        return word === undefined ? [] : [{ path, line: index + 1, message }];
      }),
    ]);
}

export function checkRooms(sources: readonly Source[]): readonly Violation[] {
  return sources.flatMap(({ path, imports }) => {
    const room = rooms.find((one) => isUnder(path, one.path));
    if (room === undefined) return [];
    const allowed = [room.path, ...room.below];
    return imports.flatMap(({ target, line }) =>
      target === undefined ||
      !isUnder(target, room.within) ||
      allowed.some((one) => isUnder(target, one))
        ? []
        : [{ path, line, message: `${room.path} is below ${target}` }],
    );
  });
}

/** A file beside a folder of the same name: nobody can tell which of the two is the way in. */
export function checkTwins(sources: readonly Source[]): readonly Violation[] {
  const folders = new Set(
    sources.flatMap(({ path }) => {
      const parts = path.split('/').slice(0, -1);
      return parts.map((_, index) => parts.slice(0, index + 1).join('/'));
    }),
  );
  return sources
    .filter(({ path }) => folders.has(path.replace(/\.(?:tsx?|mjs)$/, '')))
    .map(({ path }) => ({ path, line: 1, message: 'stands beside a folder of the same name' }));
}

/** Files that import each other, over any number of others, by types too. One message each. */
export function checkCircles(sources: readonly Source[]): readonly Violation[] {
  const targets = new Map(
    sources.map(({ path, imports }) => [
      path,
      imports.flatMap(({ target, isStarted }) =>
        target === undefined || isStarted ? [] : [target],
      ),
    ]),
  );
  return sources.flatMap(({ path }) => {
    const way = wayBack(path, targets);
    // Said once, at the first file of the circle.
    if (way === undefined || way.some((one) => one < path)) return [];
    return [{ path, line: 1, message: `imports itself over ${way.join(', ')}` }];
  });
}

/** The shortest way from a file to itself, without its ends. */
function wayBack(
  start: string,
  targets: ReadonlyMap<string, readonly string[]>,
): readonly string[] | undefined {
  const from = new Map<string, string>();
  for (let ends: readonly string[] = [start]; ends.length > 0;) {
    const next: string[] = [];
    for (const end of ends) {
      for (const target of targets.get(end) ?? []) {
        if (target === start) return track(end, start, from);
        if (from.has(target)) continue;
        from.set(target, end);
        next.push(target);
      }
    }
    ends = next;
  }
  return undefined;
}

function track(end: string, start: string, from: ReadonlyMap<string, string>): readonly string[] {
  const way: string[] = [];
  for (let here = end; here !== start; here = from.get(here) ?? start) way.unshift(here);
  return way;
}
