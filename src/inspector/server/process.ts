// The inspector, where `inspector.enabled`: what it needs is loaded then and not before. Called by
// the composition root (src/controller/start.ts).
import type { Inspector, InspectorOptions } from './start.ts';

/** Undefined where the configuration does not want it; rejects as startInspector. */
export async function processInspector(options: InspectorOptions): Promise<Inspector | undefined> {
  if (!options.configuration.inspector.enabled) return undefined;
  const { startInspector } = await import('./start.ts');
  return startInspector(options);
}
