// The tables of docs/embedded-cluster.md that say what differs from Kubernetes, from the exceptions
// of the conformance suites; the rest of the page is written by hand.
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { differences } from '#test/conformance/cluster/differences.ts';
import { onEmbedded } from '#test/conformance/kubectl/differences.ts';
import { root } from '#test/tidy/sources.ts';
import { generatedBy, table } from './page.ts';

export const embeddedClusterPath = 'docs/embedded-cluster.md';

const end = '<!-- The end of what is written by `npm run surface`. -->';

const begin = generatedBy(
  'test/conformance/cluster/differences.ts and test/conformance/kubectl/differences.ts',
);

/** The page as it is, with its tables anew. */
export function embeddedClusterPage(): string {
  const text = readFileSync(join(root, embeddedClusterPath), 'utf8');
  const [from, to] = [text.indexOf(begin), text.indexOf(end)];
  if (from < 0 || to < from) throw new Error(`${embeddedClusterPath} has no place for its tables`);
  return [text.slice(0, from) + begin, '', ...tables(), '', text.slice(to)].join('\n');
}

const tables = (): readonly string[] => [
  ...table(
    ['subject', 'here', 'in Kubernetes', 'reason'],
    Object.entries(differences).map(
      ([subject, { here, inKubernetes, reason, isAsInKubernetes }]) => [
        typeof isAsInKubernetes === 'string' ? `${subject} (not in the suite)` : subject,
        here,
        inKubernetes,
        reason,
      ],
    ),
  ),
  '',
  ...table(
    ['commands of kubectl that print something else', 'reason'],
    [...Map.groupBy(Object.entries(onEmbedded), ([, reason]) => reason)].map(([reason, all]) => [
      all.map(([command]) => `\`${command}\``).join(', '),
      reason,
    ]),
  ),
];
