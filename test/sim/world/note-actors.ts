// What the controllers of a run think, for whoever reads the trace of a failure.
import type { Processes } from './processes.ts';
import type { Trace } from './trace.ts';

export async function noteActors(world: { trace: Trace; processes: Processes }): Promise<void> {
  const { lines } = world.trace;
  if (lines === undefined) return;
  for (const process of world.processes.alive) {
    for (const { actors } of process.system.trees()) {
      for (const { key, state } of actors) {
        const why = await process.system.ask({ about: key, question: 'why', payload: {} });
        lines.push(`    [${process.life}] ${JSON.stringify({ ...key, state, why })}`);
      }
    }
    for (const row of process.health()) lines.push(`    [${process.life}] ${JSON.stringify(row)}`);
  }
}
