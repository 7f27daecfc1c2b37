// `npm run road`: how many product files take part until an event of the cluster has become a
//   write,
// counted by V8's precise coverage in a real controller. A table, or with --json one line.
import { drive, filesOf, type Road } from './drive.ts';

const usage = `Usage: npm run road [-- --json]

Counts the product files of which a function runs from the line of a watch to the request that it
leads to, in a controller on the embedded cluster: for a pod that becomes ready, and for a set that
is scaled. Files of the embedded cluster and of packages do not count.

  --json    one JSON line on stdout instead of the table

A station is a callback of the event loop; it lists the files that had not run on this road before.
Exit codes: 0 done, 1 failed, 2 wrong arguments.
`;

process.exitCode = await main(process.argv.slice(2));

/** The exit code. */
async function main(args: readonly string[]): Promise<number> {
  if (args.includes('--help') || args.includes('-h')) {
    process.stdout.write(usage);
    return 0;
  }
  const unknown = args.find((arg) => arg !== '--json');
  if (unknown !== undefined) {
    process.stderr.write(`road: no argument "${unknown}"; see --help\n`);
    return 2;
  }
  const roads = await drive((line) => process.stderr.write(`${line}\n`));
  const lines = args.includes('--json')
    ? [JSON.stringify(roads.map(counted))]
    : roads.flatMap(table);
  process.stdout.write(`${lines.join('\n')}\n`);
  return 0;
}

function byLayer(files: readonly string[]): Readonly<Record<string, number>> {
  const layers = Object.entries(Object.groupBy(files, (file) => file.replace(/\/.*/, '')));
  return Object.fromEntries(layers.map(([layer, those]) => [layer, those?.length ?? 0]));
}

function counted({ road, stretches }: Road): unknown {
  const files = filesOf(stretches);
  const parts = stretches.map((stretch) => ({ ...stretch, files: filesOf([stretch]).length }));
  return { road, files: files.length, layers: byLayer(files), stretches: parts };
}

function table({ road, stretches }: Road): readonly string[] {
  const files = filesOf(stretches);
  const layers = Object.entries(byLayer(files)).map(([layer, count]) => `${layer} ${count}`);
  const seen = new Set<string>();
  return [
    `${road}: ${files.length} files (${layers.join(', ')})`,
    ...stretches.flatMap((stretch) => [
      `  until ${stretch.until}: ${filesOf([stretch]).length} files, ${stretch.stations.length} stations`,
      ...stretch.stations.flatMap((station, index) => stationLines(station, index + 1, seen)),
    ]),
    '',
  ];
}

/** A line per folder. */
function stationLines(
  station: readonly string[],
  number: number,
  seen: Set<string>,
): readonly string[] {
  const fresh = station.filter((file) => !seen.has(file));
  for (const file of fresh) seen.add(file);
  const folders = Object.entries(Object.groupBy(fresh, (file) => file.replace(/\/[^/]+$/, '')));
  return folders.map(([folder, files = []], index) => {
    const names = files.map((file) => file.slice(folder.length + 1)).toSorted();
    return `    ${index === 0 ? String(number).padStart(3) : '   '}  ${folder}: ${names.join(' ')}`;
  });
}
