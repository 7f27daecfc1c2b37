// The hard cases that the history of Knative's activator established (spec activator 7, H): a line
// each, by number, in the order of the spec; `without`: why no test carries it.

export type Row = string | readonly [text: string, without: string];

const oneStep = 'a permit and its pod are one step here, in one thread (`admission.ts`)';
const podSide = 'it is the pod’s side: the queue-proxy stays Knative’s';
const noMesh = 'pods behind a mesh that hides them are not reached: docs/activator.md says so';
const noLocks = 'there is one thread and no lock or channel: a turn is whole';

const admission: readonly Row[] = [
  'there is capacity when a validated pod is in the table, and not before',
  'without a limit any number is admitted if there is a pod, and nobody if there is none',
  ['an outer token without an inner slot means to wait again', oneStep],
  'a wait has no limit of its own: that of the request holds',
  ['capacity and what is in flight change as one', oneStep],
  ['joining the queue never blocks', '`npm run bench -- activator-micro` holds its cost to a gate'],
  ['who does not wait gives no deadline', '`admit` takes nothing, by its type'],
  'a release without an acquire changes nothing of others, and shows',
  'a change of the limit cannot fail',
  'the queue has a bound of its own, and capacity has none',
  'who waits for too long gives its place back',
  'too many and too late are different answers',
  'to reserve allocates nothing',
  'the parts of a capacity are the whole of it',
  'a pod that is left over belongs to one activator',
  'without a limit every activator has every pod',
  'slices change with the number of activators',
  'who is told the same again moves nothing',
  'the place of an activator is that among those of the revision',
  'addresses are compared whole, and who is not listed keeps its place',
  'pods are in order before they are shared, and one activator shares none',
  ['the number of activators is read once for each slice', 'a slice is made of one value'],
  ['one writes, and what readers see is swapped', noLocks],
  ['requests lock nothing that others write', noLocks],
  ['who finds its revision takes the fast path', 'it is one look-up in a map'],
  'without a limit nobody queues while there is a pod',
  ['through the cluster IP capacity follows the backends', noMesh],
  ['no endpoints end the health of the cluster IP', noMesh],
  ['pods are told in whichever mode', noMesh],
  'pods have limits of their own, and the revision alone a queue',
  'limits are handed in',
];

const balancing: readonly Row[] = [
  'without a limit the better of two at random is taken',
  'two pods are drawn without a loop, and are two',
  'ties of two are broken by chance',
  'a policy allocates nothing for a request',
  'above a limit of 3 pods take turns',
  'the policy is chosen when the table is made',
  'with a low limit the first pod is filled first',
  ['a pod that is absent can be logged', 'a pod is its address in a log, a text that is there'],
  'a log names addresses',
];

const probing: readonly Row[] = [
  'pods are asked before the platform calls them ready',
  'a pod that falls out of the ready ones is asked again',
  'a probe that fails ends no other one',
  'a pod that leaves is a change, though nobody was asked',
  ['what is told is a copy', 'pods are told as values that nobody changes, by their types'],
  ['the cluster IP is for what a mesh could cause alone', noMesh],
  ['whether there is a mesh is a setting', noMesh],
  'who is not asked is believed when the platform calls it ready',
  'a command as a readiness probe is not vouched for',
  'nor is a start-up probe',
  'nor are those of the containers beside it',
  'probes and requests share connections',
  'several probes fit into the time in which a pod comes up',
  'the pause between probes is the one that is set',
  'limits of probes are those of an instance',
  'no timer runs where nobody is left to be asked',
  'who has nothing new to see does nothing',
  ['addresses of pods come before the cluster IP', noMesh],
  'the private Service is found by the name that was given to it',
  'headers for a mesh are sent where it is so set, by probes too',
  'the port is that of the protocol',
  'no name is looked up for a request',
  'only the sidecar answers for its pod',
  'a probe names whom it means',
  'the status of a probe is looked at before its body',
  'probes have a user agent of their own',
  'the body of every probe is read to its end',
  'a pod that is not there yet is no error in the log',
  'what comes for a revision that is gone is dropped',
  'a deletion that was missed is one all the same',
  ['who receives closes no channel', noLocks],
  ['an end is looked for after the lock was taken', noLocks],
  'a stop waits for what it ends',
  ['collections have their size from the start', 'arrays grow; B-7 holds the cost to a gate'],
  'addresses of IPv6 are read and written as such',
];

const handler: readonly Row[] = [
  'the revision is looked up once for a request',
  'what a revision says of its requests is read once, not for each of them',
  'a host name names the revision too, with or without a port',
  'the domain of the cluster is a setting',
  'what users sent is escaped where it is shown',
  'the original host goes to the pod in a header',
  'headers are rewritten in one place',
  'a request without a body stays without one',
  'answers that stream are passed on as they come',
  'upgrades pass',
  'buffers are bounded',
  'tracing that is off costs nothing, and connections are made once',
  'both ways at once is for revisions that ask for it',
  'one place answers for pods that fail, and who gave up is no error',
  'the number of idle connections is a setting',
  'dials are short at first, and grow',
  'a head has to be here in time',
  'what is not sent again is not counted as such',
  'the name of the revision is handed to admission',
  'readiness depends on the connection to the autoscaler',
  'a health check that fails says why',
  'probes never reach the container of the user',
  'the kubelet is known by its user agent',
  ['spans have names by component', 'the activator starts no span: it passes traces on (H-100)'],
  'traces pass in both styles',
  'who was counted in is counted out',
  'that a connection is there or lost is told once, when it changes',
];

const timeouts: readonly Row[] = [
  'the activator ends requests at the limits of their revision',
  'the whole, the first byte and silence have limits of their own',
  'too late is 504',
  'nothing is written after the end',
  'an end is told once',
  'timers go with their requests',
  'a limit of the first byte ends no answer that has begun',
  'the limit of the whole cuts an answer that has begun',
  'the log says which limit it was',
];

const reporting: readonly Row[] = [
  'the first request is told at once',
  'and left out of the next report',
  'requests are counted though none took time',
  'concurrency is an average over time',
  'a count that is idle is forgotten if nobody holds it',
  'begin and end are counted on the same',
  'requests are counted where they are, without a message',
  'nothing is sent on the request path',
  'a tick is one batch, and none where there is nothing',
  'requests that a sidecar sees too are marked, so that they count once',
  'who receives a report stamps its time',
  ['containers are cleared, not made anew', 'one map is kept: `knative.ts` clears it'],
  'seconds have fractions',
];

const pods: readonly Row[] = [
  'going and not being ready are different answers',
  ['a drain waits for silence', podSide],
  ['the signal to drain is there from the start', podSide],
  ['hooks of the node stay plain', podSide],
  'upgraded connections are waited for',
  ['probes at once share one check', podSide],
  ['probes go on after the start', podSide],
  ['HTTP/2 is detected, or it is HTTP/1.1', podSide],
  'paths of probes may lack their slash and have a query',
  ['all containers have to pass', podSide],
  ['who is asked all the time logs once', podSide],
  'who reports has one name from its start',
  'probes are in no metric',
  'one handler has several servers, and all of them end',
];

const tls: readonly Row[] = ['TLS is 1.3 at least', 'certificates are read anew while it runs'];

const tests: readonly Row[] = [
  ['a benchmark allocates less than what it measures', '`activator-micro` subtracts its loop'],
  ['a test waits for the last effect', 'tests wait for what they judge: `until` in their support'],
  ['tests that share globals do not run at once', 'there are none: `npm run deflake` shuffles'],
  ['tests rely on no time', 'the linter allows no sleep, and clocks are virtual'],
  ['a test ends when all that it began has', 'the support of each test ends what it made'],
  'that nothing more happens is asserted',
  ['a limit against hanging is generous', 'there is one: 90 s, in `vitest.config.ts`'],
  'what is called with a permit may fail',
  ['what a cache shares is not changed', 'objects are read-only by their types'],
];

export const history = [
  ...admission,
  ...balancing,
  ...probing,
  ...handler,
  ...timeouts,
  ...reporting,
  ...pods,
  ...tls,
  ...tests,
];
