// Takes out of what kubectl printed what differs from run to run: identities, versions of objects,
// times, addresses and places. What is left must be the same on every server.

const rules: readonly (readonly [RegExp, string])[] = [
  // Another suite of this folder brings its own group to the same server.
  [/^conformance\.coppice\.dev\/v1\n/gm, ''],
  // Switched on for the gangs of the tests; servers do not have it by themselves.
  [/^scheduling\.k8s\.io\/v1alpha1\n/gm, ''],
  [/kube-api-access-[a-z0-9]{5}/g, 'kube-api-access-LETTERS'],
  [/[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}/g, 'UID'],
  [/\b\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(\.\d+)?Z/g, 'TIME'],
  // As `describe` and `diff` print them; a zone and a day of the month make no odds.
  [/\b[A-Z][a-z]{2}, \d\d [A-Z][a-z]{2} \d{4} \d\d:\d\d:\d\d [+-]\d{4}/g, 'TIME'],
  [/\b\d{4}-\d\d-\d\d \d\d:\d\d:\d\d(\.\d+)? [+-]\d{4}( \w+)?/g, 'TIME'],
  [/((?:resourceVersion|Resource Version)"?: *"?)\d+/g, '$1VERSION'],
  // The age of what was made in this run, but not the seconds that a toleration is for.
  [/(?<= )(?<!for )(<invalid>|\d+s|\d+m\d*s?)(?= *$)/gm, 'AGE'],
  [/(?<= )(?<!for )(<invalid>|\d+s|\d+m\d*s?) +/g, 'AGE '],
  // The age of what has a fixed date.
  [/\b\d{2,4}d\b/g, 'DAYS'],
  [/\b(AGE|CLUSTER-IP|LAST SEEN) {2,}/g, '$1 '],
  // The addresses that the server gives; those of the manifests are in 10.1 and 10.9.
  [/\b10\.(?![19]\.)\d+\.\d+\.\d+( {3,})?/g, 'ADDRESS'],
  [/https:\/\/[\w.-]+:\d+/g, 'https://SERVER'],
  [/(?<=Version: )v1\.\d+\.\d+\S*/g, 'VERSION'],
  [/\/tmp\/(LIVE|MERGED)-\d+/g, '/tmp/$1'],
];

export const mask = (text: string): string =>
  rules.reduce((normalized, [pattern, by]) => normalized.replaceAll(pattern, by), text);
