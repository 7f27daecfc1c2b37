// Commands whose output is not the expected one for a reason: on the embedded cluster, as
// docs/embedded-cluster.md lists them, and by an older kubectl. A listed command whose output
// agrees nevertheless fails its test, so that the lists stay true.

export type Differences = Readonly<Record<string, string>>;

const kinds = 'it serves fewer kinds';
const words = 'it has its own short descriptions and does not enumerate values';
const memory = 'it names the changed fields; a real server prints its structs';

export const onEmbedded: Differences = {
  'api-resources-core': kinds,
  'api-versions': kinds,
  explain: words,
  'explain-recursive': words,
  'describe-service': 'EndpointSlices are never created, not even empty ones',
  'patch-immutable': memory,
  'replace-immutable': memory,
};

/** The minor version of the kubectl that the expected outputs come from. */
export const expectedMinor = 35;

const place = 'it does not yet name the namespace';

/** By a kubectl before 1.34. */
export const byOlder: Differences = {
  delete: place,
  'delete-several': place,
  'delete-dry-run': place,
  'delete-stdin': place,
  'describe-pod': 'it prints ports and optional volumes otherwise',
  version: 'it warns of its age',
};
