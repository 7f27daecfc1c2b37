// How the tests of the check break an installation and mend it again. For check.test.ts and
// check-processes.test.ts.
import { expect } from 'vitest';
import type { JsonObject } from '#machines/kubernetes/objects.ts';
import type { Finding, FindingCode } from '#src/check/finding.ts';
import { codes, configuration, type Installation, paths } from './installation.ts';

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
export const expecting =
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
