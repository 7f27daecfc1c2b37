// How the inspector is put beside the other parts of the controller: what it looks at, and what of
// it the server of the questions serves. Called by start.ts.
import type { IncomingMessage, ServerResponse } from 'node:http';
import type { ShardLease } from '#actors/ports.ts';
import type { ActorSystem } from '#actors/system.ts';
import { isOfInspector } from '#src/inspector/server/paths.ts';
import { processInspector } from '#src/inspector/server/process.ts';
import type { Inspector } from '#src/inspector/server/start.ts';
import type { Traffic } from '#src/inspector/server/traffic.ts';
import type { Reflection } from '#src/kube/client.ts';
import type { Questions } from '#src/questions/start.ts';
import type { ControllerOptions } from './start.ts';

interface Inspected {
  readonly system: ActorSystem;
  readonly lease: ShardLease;
  readonly traffic: Traffic;
  /** Made later. */
  readonly parts: { readonly reflection?: Reflection; readonly questions?: Questions | undefined };
}

/** Undefined where none is wanted. Rejects with ListenError. */
export const startInspector = (
  options: ControllerOptions,
  { system, lease, traffic, parts }: Inspected,
): Promise<Inspector | undefined> =>
  processInspector({
    ...options,
    ...{ source: system, lease, traffic },
    reflection: () => parts.reflection,
    peer: () => parts.questions?.peer,
  });

/** For the server of the questions: true where the inspector answers. */
export const inspecting =
  (inspector: Inspector | undefined) =>
  (request: IncomingMessage, response: ServerResponse): boolean => {
    if (inspector === undefined || !isOfInspector(request.url)) return false;
    void inspector.respond(request, response);
    return true;
  };
