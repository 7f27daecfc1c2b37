// What `--help` prints for the scripts that read no arguments of their own, or hand them to a tool
// with a help of its own. The launcher asks before it installs or starts anything. The others
// (coppice, start, bench, sim, cluster, mutate, fuzz) answer for themselves.

/**
 * @typedef {object} Usage
 * @property {'nothing' | 'words' | 'flags'} takes  `words` are no flags; flags are judged by what
 *   is started
 * @property {string} text
 */

const ofVitest = `FILES are parts of paths. FLAGS are those of vitest, such as --project unit, -t TITLE,
--sequence.seed=N; all of them: node_modules/.bin/vitest --help`;

/** @type {Readonly<Record<string, Usage>>} */
const usages = {
  test: {
    takes: 'flags',
    text: `Usage: npm test [-- [FILES] [FLAGS]]

Runs unit tests, short histories, and servers; others are in test:long and test:real.
${ofVitest}`,
  },
  'test:long': {
    takes: 'flags',
    text: `Usage: npm run test:long [-- [FILES] [FLAGS]]

Runs the tests that take minutes: histories on a virtual clock beside processes, then those that
kill, stop and cut off processes.
${ofVitest}`,
  },
  'test:real': {
    takes: 'flags',
    text: `Usage: npm run test:real [-- [FILES] [FLAGS]]

Runs the tests on a real control plane (npm run cluster -- build).
${ofVitest}`,
  },
  check: {
    takes: 'words',
    text: `Usage: npm run check [-- STEPS]

Runs format, lint, types and unit, side by side, or only the steps that are named.
Ends with 1 where one fails.`,
  },
  watch: {
    takes: 'flags',
    text: `Usage: npm run watch [-- [FILES] [FLAGS]]

Runs at every save the tests that the change touches, and checks types, until Ctrl-C.
${ofVitest}`,
  },
  deflake: {
    takes: 'flags',
    text: `Usage: npm run deflake [-- [--rounds N] [FILES] [FLAGS]]

Runs the tests in random order with random seeds, again and again or N times, until one
fails; prints the command that repeats the failure.
${ofVitest}`,
  },
  format: {
    takes: 'words',
    text: `Usage: npm run format [-- PATHS]

Formats everything, or the files and folders that are named.`,
  },
  build: {
    takes: 'flags',
    text: `Usage: npm run build [-- --executable [--release URL] | --krew FILES]

Bundles the controller, the clique agent and the plugin of kubectl into dist/ and prints the path
of the controller's. With --executable also makes the plugin a program that needs no Node, and
with --release, the URL of the folder that archives are to be had from, its archive and the
manifest for krew. With --krew prints one manifest with the platforms of all FILES.`,
  },
  image: {
    takes: 'flags',
    text: `Usage: npm run image [-- --app]

Makes the image for this platform as an OCI layout in dist/image/oci, and prints its address for
umoci. Needs umoci and root, and neither an engine nor a registry. With --app makes only the folder
that the Dockerfile copies, dist/image/app.`,
  },
  sbom: {
    takes: 'nothing',
    text: `Usage: npm run sbom

Writes the bill of materials to dist/sbom, in CycloneDX and in SPDX, from the lockfile.
SOURCE_DATE_EPOCH says of which second it is; without it, of 1970.`,
  },
  surface: {
    takes: 'nothing',
    text: `Usage: npm run surface

Writes docs/surface/ and the generated pages anew; prints what changed.`,
  },
  docs: {
    takes: 'flags',
    text: `Usage: npm run docs [-- --serve]

Builds the documentation as a static site with search into dist/site. Links to sources lead to the
repository whose URL is in COPPICE_REPOSITORY_URL; without it they are text. With --serve it is
shown meanwhile, and renewed with every change.`,
  },
  pictures: {
    takes: 'nothing',
    text: `Usage: npm run pictures

Takes pictures of the inspector's screens, of a controller on the embedded cluster, and writes them
to docs/pictures/.`,
  },
  rules: {
    takes: 'nothing',
    text: `Usage: npm run rules

Prints every hard case with the tests that show it. Ends with 1 where one has neither a test
nor a reason for having none.`,
  },
};

/**
 * What to print instead of a start, or undefined where the script is to be started.
 * @param {string} name
 * @param {readonly string[]} args
 * @returns {{ isError: boolean, text: string } | undefined}
 */
export function answerFor(name, args) {
  const usage = usages[name];
  if (usage === undefined) return undefined;
  if (args.includes('--help') || args.includes('-h')) return { isError: false, text: usage.text };
  const wrong = args.find((arg) => isWrong(usage, arg));
  if (wrong === undefined) return undefined;
  const what = wrong.startsWith('-') ? 'flag' : 'argument';
  return { isError: true, text: `${name}: no ${what} "${wrong}"\n${usage.text}` };
}

/**
 * @param {Usage} usage
 * @param {string} arg
 */
const isWrong = ({ takes }, arg) =>
  takes === 'nothing' || (takes === 'words' && arg.startsWith('-'));
