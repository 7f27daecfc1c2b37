// How the inspector is put beside the other parts of the controller: what it looks at, and what of
// it the server of the questions serves. Called by start.ts.
import type { IncomingMessage, ServerResponse } from 'node:http';
import { isOfInspector } from '#src/inspector/server/paths.ts';
import { processInspector } from '#src/inspector/server/process.ts';
import type { Inspector, InspectorOptions } from '#src/inspector/server/start.ts';
import type { Questions } from '#src/questions/start.ts';
import type { Watches } from './watches.ts';

/** What is made later. */
interface Parts {
  readonly watches?: Watches;
  readonly questions?: Questions | undefined;
}

/** Undefined where none is wanted. Rejects with ListenError. */
export const startInspector = (
  options: Omit<InspectorOptions, 'reflection' | 'peer'>,
  parts: Parts,
): Promise<Inspector | undefined> =>
  processInspector({
    ...options,
    reflection: () => parts.watches,
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
