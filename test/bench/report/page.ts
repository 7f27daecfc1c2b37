// docs/benchmarks.md from the stored results: the figures from sections.ts, the prose from here and
// bounds.ts. `npm run bench -- report` writes it, a test holds the checked-in page against it.
import { page } from '#test/surface/page.ts';
import { boundsSection } from './bounds.ts';
import { churnSection } from './churn.ts';
import { claimsSection } from './claims.ts';
import { inspectorSection } from './inspector.ts';
import { pickSection } from './pick.ts';
import { groveCommit } from './reference.ts';
import { latest, type Stored } from './results.ts';
import {
  calibrationSection,
  deploySection,
  embeddedSection,
  processesSection,
  provenance,
  requestsSection,
  stepsSection,
  sweepSection,
} from './sections.ts';
import { trendSection } from './trend.ts';
import { updateSection } from './update.ts';

export function benchmarksPage(all: Stored): string {
  const stored = latest(all);
  return page(
    ...opening,
    '',
    ...section('Runs and machines', provenance(stored)),
    ...section('Deploy and delete, no limits (S2)', deploySection(stored, 's2')),
    ...section('Deploy and delete, with the limits of upstream (S1)', deploySection(stored, 's1')),
    ...section('Scale, touch, idle, restart', stepsSection(stored)),
    ...section('Rolling update', updateSection(stored)),
    ...section('CPU and memory per process', [...processesSection(stored), '', ...aboutUsage]),
    ...section('What limits each figure', boundsSection(stored)),
    ...section('What the server can do', calibrationSection(stored)),
    ...section('Requests in flight', sweepSection(stored)),
    ...section('Requests of the controller', requestsSection(stored)),
    ...section('Churn', churnSection(stored)),
    ...section('Claims on a warm pool', claimsSection(stored)),
    ...section('The queue of a warm pool', pickSection(stored)),
    ...section('The inspector', inspectorSection(stored)),
    ...section('The embedded cluster', embeddedSection(stored)),
    ...section('Trend', trendSection(all)),
    ...words,
  );
}

const section = (title: string, lines: readonly string[]): readonly string[] => [
  `## ${title}`,
  '',
  ...lines,
  '',
];

const aboutUsage = [
  'The figures cover the time from the deploy request until writes stop; those of the controller begin at its start. The client of',
  'the floor is the benchmark process. Peaks count from the start of each process.',
];

const introduction = [
  'The benchmark deploys a PodCliqueSet of many replicas, with one clique of two pods each, on a real control plane',
  '([how it is built](real-cluster.md)) and takes it through its lifecycle. Every figure comes from runs on fresh clusters; a cell is',
  'the median, with the minimum and maximum of all runs in parentheses. An observer in a separate process watches the cluster and',
  'records the times, independently of the controller. The kernel reports CPU and memory of each process.',
  'What NVLink cliques cost, by every way to give out indices, has a page of its own: [cliques](clique-benchmark.md).',
  '',
  'The reference is **the floor**: a script that issues only the writes that the objects require (per replica a Service, a PodClique, a',
  'PodGang with its references, two pods without gates, two statuses of the PodGang (Initialized, Running), one of the PodClique when both',
  'pods are ready; figures of commits before [0029](decisions/0029-ready-and-running.md) have one status of the PodGang),',
  'replica by replica, 64 in flight; at the end one DELETE per object and one PATCH that removes the finalizer from each PodClique.',
  "The objects are those that Grove's contract requires ([0015](decisions/0015-the-floor-writes-real-objects.md)).",
  'Floor and Coppice are measured in pairs, each on a fresh cluster, in alternating order; a ratio is the median of the ratios of the',
  'pairs.',
  '',
  '- **S1**: 100 requests a second and bursts of 150 per kind for the controller (and the floor), the scheduler at 50/100, the',
  '  controller manager at 20/30. Upstream publishes its figures with these limits.',
  '- **S2**: no limits.',
  '',
  `*Grove* is upstream at ${groveCommit}, 500 replicas, on the same recipe and a machine of two cores. *Aim* is an upper bound.`,
];

const commands = [
  '```sh',
  'npm run cluster -- build                                    # once; needs Go',
  'npm run bench -- report                                     # everything, and this page',
  'npm run bench -- report --only s1,sweep                     # some parts of it; --help lists them',
  'npm run bench -- report --resume                            # the runs that are missing',
  'npm run bench -- report --from-results                      # this page from test/bench/results',
  'npm run bench -- scale --cluster real --with-floor --audit  # one pair and the counts of the audit log',
  'npm run bench -- scale --cluster real --with-floor --short --repeat 5  # deploys and deletions alone, in pairs',
  'npm run bench -- scale --cluster real --limits S1 --repeat 5',
  'npm run bench -- floor --cluster real',
  'npm run bench -- sweep --cluster real',
  'npm run bench -- update                                     # a rolling update beside its floor, in three pairs',
  'npm run bench -- update --replicas 500 --pairs 1            # a larger one',
  'npm run bench -- scale --profile                            # profiles and the costliest functions of each phase',
  'npm run bench -- churn --minutes 30                         # half the replicas and back; exits with 1 if something grew',
  'npm run bench -- claims --audit                             # claims on a warm pool; exits with 1 if a bound was missed',
  'npm run bench -- pick                                       # the queue of a warm pool; exits with 1 if an operation grows',
  'npm run bench -- inspector                                  # the page, and a deploy that 20 viewers watch',
  'npm run bench -- compare main HEAD                          # before and after, in pairs',
  '```',
  '',
  'Progress and a table go to stderr, one JSON line to stdout. Each run writes `timeline.json` to `.cache/bench/<commit>/`: its phases with',
  'start, end, milestones, CPU and memory of each process and requests, and the commit, settings and machine.',
];

const opening = [
  '# Benchmarks',
  '',
  '<!-- Written by `npm run bench -- report` from test/bench/results; do not edit by hand. -->',
  '',
  ...introduction,
  '',
  ...commands,
];

const words = [
  '## Definitions',
  '',
  '| | |',
  '| --- | --- |',
  '| created | the last pod was seen for the first time |',
  '| Initialized | the last PodGang has that condition |',
  '| ready | the last pod has the condition Ready |',
  '| available | `status.availableReplicas` of the PodCliqueSet is the number of replicas |',
  '| PodCliqueSet gone, all gone | the deletion of the PodCliqueSet, or of it and every Pod, PodClique, PodGang and Service, was seen |',
  '| all to half, half to all | the objects are exactly those of the new number of replicas, all pods ready; up: also available |',
  '| updated | the PodCliqueSet says that its update has ended and all replicas are updated, and all pods are new and ready |',
  '| writes | requests of the controller that change or try to change an object, except Events and leases |',
  '| conflicts | 409 answers to any request |',
  '| restart ready | from the start of the process until `/readyz` is 200 |',
  '',
  'Each step begins after three seconds without a write. In the timed runs on the real cluster the controller counts the writes,',
  'in `coppice_writes_total` and `rest_client_requests_total`, since an audit log costs the server time;',
  'the requests by verb, resource and code come from the audit log of a separate run. The embedded cluster counts its own requests.',
];
