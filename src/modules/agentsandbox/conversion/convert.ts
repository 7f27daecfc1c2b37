// Objects of agent-sandbox from v1alpha1 to v1beta1, which is stored, and back (spec agent-sandbox
// 1.9). Pure; the server of the webhooks calls it for the API server.
import { isObject, text } from '#machines/kubernetes/json.ts';
import type { JsonObject } from '#machines/kubernetes/objects.ts';
import { ConversionError } from '#src/admission/conversion.ts';
import { claimDown, claimUp } from './claim.ts';
import { poolDown, sandboxDown, sandboxUp, templateDown, templateUp } from './kinds.ts';
import { keepState } from './state.ts';

type Convert = (from: JsonObject) => JsonObject;

interface Conversions {
  readonly group: string;
  /** To v1beta1, and to v1alpha1. */
  readonly up: Convert;
  readonly down: Convert;
}

const agents = 'agents.x-k8s.io';
const extensions = 'extensions.agents.x-k8s.io';

const kinds: Readonly<Record<string, Conversions>> = {
  Sandbox: { group: agents, up: sandboxUp, down: sandboxDown },
  SandboxTemplate: { group: extensions, up: templateUp, down: templateDown },
  SandboxClaim: { group: extensions, up: claimUp, down: claimDown },
  SandboxWarmPool: { group: extensions, up: (from) => from, down: poolDown },
};

/** The object in the version. Throws ConversionError where that cannot be done. */
export function convert(from: unknown, apiVersion: string): JsonObject {
  if (!isObject(from)) throw new ConversionError('it is not an object');
  const kind = text(from['kind']);
  const version = text(from['apiVersion']);
  if (version === apiVersion) return from;
  const known = Object.hasOwn(kinds, kind) ? kinds[kind] : undefined;
  if (known !== undefined) {
    const older = `${known.group}/v1alpha1`;
    const newer = `${known.group}/v1beta1`;
    if (version === older && apiVersion === newer) {
      return keepState({ ...known.up(from), apiVersion }, from);
    }
    if (version === newer && apiVersion === older) return { ...known.down(from), apiVersion };
  }
  throw new ConversionError(`${kind} of ${version} cannot be converted to ${apiVersion}`);
}
