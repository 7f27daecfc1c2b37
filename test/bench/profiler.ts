// Takes a CPU profile and a heap profile of the controller in every phase, over the protocol of
// Node's inspector, leaves both in the folder of the run and says which functions cost most. Beside
// the harness with --profile; such a run takes longer than others.
import { writeFileSync } from 'node:fs';
import type { HeapProfiler, Profiler as Cpu } from 'node:inspector';
import { join } from 'node:path';
import { BundleSources, costliest, costTable } from './costliest.ts';
import type { Companion } from './harness.ts';
import { InspectorSession } from './inspector.ts';

/** Every so many microseconds: fine enough for phases of a second. */
const samplingInterval = 500;

export interface Profiled {
  /** `ws://...` of the inspector; undefined while none runs. */
  readonly inspector: () => string | undefined;
  readonly folder: string;
  readonly say: (line: string) => void;
}

export class PhaseProfiler implements Companion {
  readonly #options: Profiled;
  readonly #sources = new BundleSources();
  readonly #tables: string[] = [];
  #session: InspectorSession | undefined;

  constructor(options: Profiled) {
    this.#options = options;
  }

  async begin(): Promise<void> {
    const url = this.#options.inspector();
    if (url === undefined) return;
    const session = await InspectorSession.connect(url);
    await session.post('Profiler.enable');
    await session.post('Profiler.setSamplingInterval', { interval: samplingInterval });
    await session.post('HeapProfiler.enable');
    await session.post('HeapProfiler.startSampling');
    await session.post('Profiler.start');
    this.#session = session;
  }

  /** Of a process that began or ended within the phase there is no profile. */
  async end(phase: string): Promise<void> {
    const session = this.#session;
    this.#session = undefined;
    if (session === undefined) return;
    const { profile } = (await session.post('Profiler.stop')) as Cpu.StopReturnType;
    const heap = (await session.post(
      'HeapProfiler.stopSampling',
    )) as HeapProfiler.StopSamplingReturnType;
    session.close();
    const { folder, say } = this.#options;
    writeFileSync(join(folder, `${phase}.cpuprofile`), JSON.stringify(profile));
    writeFileSync(join(folder, `${phase}.heapprofile`), JSON.stringify(heap.profile));
    const costs = costliest(profile, (url, line) => this.#sources.of(url, line));
    this.#tables.push(`${phase}: the costliest functions of the controller\n${costTable(costs)}`);
    writeFileSync(join(folder, 'costliest.txt'), this.#tables.join('\n'));
    say(this.#tables.at(-1) ?? '');
  }
}
