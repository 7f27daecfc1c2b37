// Which releases of nats-server are good enough. Each maintained line has its own least patch: the
// fixes below it were made in all of them at once.

export interface Version {
  readonly major: number;
  readonly minor: number;
  readonly patch: number;
  /** `RC.1` of `2.14.0-RC.1`; empty for a release. */
  readonly preview: string;
}

/** Least release per line, newest line last. A line that is newer than all of these is fine. */
const least: readonly Version[] = [
  { major: 2, minor: 11, patch: 16, preview: '' },
  { major: 2, minor: 12, patch: 7, preview: '' },
  { major: 2, minor: 14, patch: 0, preview: '' },
];

export const leastVersions = least.map(formatVersion).join(' / ');

/** Reads `nats-server: v2.14.0` and bare `2.14.0`; undefined where there is no version. */
export function parseVersion(text: string): Version | undefined {
  const match = /\bv?(\d+)\.(\d+)\.(\d+)(?:-([0-9A-Za-z.-]+))?/.exec(text);
  if (match === null) return undefined;
  const [, major, minor, patch, preview = ''] = match;
  return { major: Number(major), minor: Number(minor), patch: Number(patch), preview };
}

export function formatVersion(version: Version): string {
  const { major, minor, patch, preview } = version;
  return `${major}.${minor}.${patch}${preview === '' ? '' : `-${preview}`}`;
}

/** A line between two known ones never had the fixes, so only the newest bound counts for it. */
export function isRecentEnough(version: Version): boolean {
  const ofLine = least.find(
    (candidate) => candidate.major === version.major && candidate.minor === version.minor,
  );
  const bound = ofLine ?? least.at(-1);
  return bound !== undefined && compare(version, bound) >= 0;
}

/** A preview comes before its release. */
function compare(a: Version, b: Version): number {
  const byNumber = a.major - b.major || a.minor - b.minor || a.patch - b.patch;
  return byNumber || Number(a.preview === '') - Number(b.preview === '');
}
