// The tables of docs/embedded-cluster.md that say what differs from Kubernetes, from the exceptions
// of the conformance suites; the rest of the page is written by hand.
import { differences } from '#test/conformance/cluster/differences.ts';
import { onEmbedded } from '#test/conformance/kubectl/differences.ts';
import { pageWith, table } from './page.ts';

export const embeddedClusterPath = 'docs/embedded-cluster.md';

const source =
  'test/conformance/cluster/differences.ts and test/conformance/kubectl/differences.ts';

/** The page as it is, with its tables anew. */
export const embeddedClusterPage = (): string => pageWith(embeddedClusterPath, source, tables());

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
