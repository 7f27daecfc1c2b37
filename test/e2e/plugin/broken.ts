// How the tests of the check break an installation and mend it again. For check.test.ts and
// check-processes.test.ts.
import { afterAll, beforeAll, expect } from 'vitest';
import type { JsonObject } from '#machines/kubernetes/objects.ts';
import type { Finding, FindingCode } from '#src/check/finding.ts';
import { codes, configuration, Installation, paths } from './installation.ts';

/** Breaks something; what it resolves with mends it. */
export type Break = () => Promise<() => unknown>;

/** What is found while it is broken. */
export async function broken(
  installation: Installation,
  break_: Break,
): Promise<readonly Finding[]> {
  await installation.renewed(0);
  const mend = await break_();
  try {
    return await installation.findings();
  } finally {
    await mend();
  }
}

/** That alone is found while it is broken, and nothing any more afterwards. */
const expecting =
  (installation: Installation) =>
  async (code: FindingCode, what: string, break_: Break): Promise<void> => {
    const findings = await broken(installation, break_);
    expect(findings).toEqual(
      findings.map(() => ({ code, what: expect.any(String), hint: expect.any(String) })),
    );
    expect(findings.map((finding) => finding.what)).toContainEqual(expect.stringContaining(what));
    await installation.renewed(0);
    expect(codes(await installation.findings())).toEqual([]);
  };

/** One for a file of tests. */
export function installed() {
  const installation = new Installation();
  beforeAll(() => installation.start());
  afterAll(() => installation.stop());
  return {
    installation,
    expectOnly: expecting(installation),
    send: installation.send.bind(installation),
    without: installation.without.bind(installation),
  };
}

interface Names {
  readonly kind: string;
  readonly plural: string;
  readonly singular: string;
}

/** A CRD of the schedulers' group, with any fields. */
export const definition = (names: Names, version: string): JsonObject => ({
  apiVersion: 'apiextensions.k8s.io/v1',
  kind: 'CustomResourceDefinition',
  metadata: { name: `${names.plural}.scheduler.grove.io` },
  spec: {
    group: 'scheduler.grove.io',
    names: { ...names, listKind: `${names.kind}List` },
    scope: 'Namespaced',
    versions: [
      {
        name: version,
        served: true,
        storage: true,
        schema: { openAPIV3Schema: { type: 'object' } },
      },
    ],
  },
});

export const patched = async (
  installation: Installation,
  path: string,
  change: JsonObject,
  back: JsonObject,
): Promise<() => unknown> => {
  await installation.send('PATCH', path, change);
  return () => installation.send('PATCH', path, back);
};

export const configured = (installation: Installation, text: string): Promise<() => unknown> =>
  patched(
    installation,
    paths.configMap,
    { data: { 'config.yaml': text } },
    { data: { 'config.yaml': JSON.stringify(configuration()) } },
  );
