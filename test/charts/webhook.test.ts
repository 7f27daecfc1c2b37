// The webhooks of the chart as processes of their own: their account may do what their code asks
// for and nothing else, the controller loses it, and both are told what they are.
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { at, list, text } from '#machines/kubernetes/json.ts';
import type { JsonObject } from '#machines/kubernetes/objects.ts';
import { decodeText } from '#src/config/decode.ts';
import type { Configuration } from '#src/config/schema.ts';
import { release, releaseNamespace, rendered, unbuilt } from '#test/cluster/chart.ts';
import { combinations } from './combinations.ts';
import { type Grant, grantsIn, named, withoutWhen } from './grants.ts';
import { objectsIn, ofKind } from './manifests.ts';
import { neededGrants } from './needed.ts';
import { switchesOf } from './switches.ts';

const skip = unbuilt('helm');
const own = `${release}-webhook`;

/** Switches of code that runs in the webhooks alone. */
const ofWebhooks = [
  'registration',
  'trust',
  'certificates',
  'conversion',
  'authorizer',
  'admission',
];

/** What is looked up by name (src/admission/lookups.ts); the controller may do so anyway. */
const lookups = (on: ReadonlySet<string>): readonly Grant[] =>
  [
    ['clustertopologybindings', 'grove'],
    ['podcliquesets', 'authorizer'],
  ].flatMap(([resource = '', when = '']) =>
    on.has(when)
      ? [{ scope: 'cluster', group: 'grove.io', resource, name: '', verb: 'get', when } as const]
      : [],
  );

function configurationIn(manifests: readonly JsonObject[], name: string): Configuration {
  const decoded = decodeText(text(at(ofKind(manifests, 'ConfigMap')[name], 'data', 'config.yaml')));
  if (!decoded.ok) throw new Error(JSON.stringify(decoded.problems));
  return decoded.configuration;
}

describe.skipIf(skip !== '')(`The webhooks of the chart, where they are apart${skip}`, () => {
  let folder = '';
  beforeAll(() => {
    folder = mkdtempSync(join(tmpdir(), 'coppice-webhook-'));
  });
  afterAll(() => rmSync(folder, { recursive: true, force: true }));

  const apart = (values: JsonObject): Promise<string> =>
    rendered(folder, { ...values, webhooks: { separate: true } });
  const admitted = Object.entries(combinations).filter(
    ([name]) => !['single', 'compute domains'].includes(name),
  );

  it.each(admitted)('have just the permissions that they need: %s (S-2)', async (_, { values }) => {
    const written = await apart(values);
    const manifests = objectsIn(written);
    const on = switchesOf(configurationIn(manifests, own));
    const needed = neededGrants().filter(({ when }) => {
      const words = when.split(' ');
      return words.some((word) => ofWebhooks.includes(word)) && words.every((word) => on.has(word));
    });
    const granted = withoutWhen(grantsIn(written, own));
    expect(granted).toEqual(withoutWhen(named([...needed, ...lookups(on)])));
    const ofController = withoutWhen(grantsIn(written, release));
    // Both look things up, and make a Secret for a certificate of their own.
    const changes = granted.filter((line) => !/ get$|\/secrets create$/.test(line));
    expect(changes.filter((line) => ofController.includes(line))).toEqual([]);
  });

  it('are told where they are reached, and whom the authorizer trusts', async () => {
    const manifests = objectsIn(await apart({ config: { authorizer: { enabled: true } } }));
    const { admission, authorizer } = configurationIn(manifests, own);
    expect(admission).toMatchObject({ enabled: true, serviceName: own });
    expect(authorizer.exemptServiceAccountUserNames).toContain(
      `system:serviceaccount:${releaseNamespace}:${release}`,
    );
    expect(configurationIn(manifests, release).admission.enabled).toBe(false);
    const selector = at(ofKind(manifests, 'Service')[own], 'spec', 'selector');
    expect(at(selector, 'app.kubernetes.io/name')).toBe('coppice-webhook');
  });

  it('have the certificate of cert-manager for their own name', async () => {
    const manifests = objectsIn(await apart({ certManager: { enabled: true } }));
    const certificate = ofKind(manifests, 'Certificate')[`${release}-webhooks`];
    expect(list(at(certificate, 'spec', 'dnsNames'))[0]).toBe(`${own}.${releaseNamespace}.svc`);
    const names = (name: string): string =>
      JSON.stringify(
        at(ofKind(manifests, 'Deployment')[name], 'spec', 'template', 'spec', 'volumes'),
      );
    expect(names(own)).toContain('grove-webhook-server-cert');
    expect(names(release)).not.toContain('grove-webhook-server-cert');
  });

  it('are refused where there is nothing to serve', async () => {
    const values = { config: { admission: { enabled: false } } };
    await expect(apart(values)).rejects.toThrow(
      'webhooks.separate is true, with it config.admission.enabled must be true',
    );
  });
});
