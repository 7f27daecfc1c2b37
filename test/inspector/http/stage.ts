// What the tests of the routes stand on: inspectors and streams of theirs, which end with the test.
import { afterEach } from 'vitest';
import { fillTwoNamespaces } from '../routes.ts';
import { openStream, serveInspector, type ServedInspector } from '../served.ts';

type Options = NonNullable<Parameters<typeof serveInspector>[0]>;

/** To be called once for a file. */
export function inspectorStage() {
  const ends: (() => unknown)[] = [];
  afterEach(async () => {
    for (const end of ends.splice(0).toReversed()) await end();
  });
  const start = async (options: Options = {}): Promise<ServedInspector> => {
    const served = await serveInspector(options);
    ends.push(() => served.inspector.close());
    return served;
  };
  return {
    /** Called after the test, the last one first. */
    ends,
    start,
    /** With actors in two namespaces. */
    startFilled: async (options: Options = {}): Promise<ServedInspector> => {
      const served = await start(options);
      fillTwoNamespaces(served);
      return served;
    },
    open: async (
      served: ServedInspector,
      query = '',
      more: Parameters<typeof openStream>[2] = {},
    ) => {
      const stream = await openStream(served, query, more);
      ends.push(stream.end);
      return stream;
    },
  };
}
