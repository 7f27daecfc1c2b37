// Profiles of the controller while a step of `coppice bench` runs, from where it serves them. That
// they cannot be had is said in the report, and no reason to stop. Called by run.ts.
import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';

const secondsOf = { profile: 10, heap: 10 } as const;

export interface Profiles {
  /** Takes one; resolves when it is written. Never rejects. */
  take(step: string, kind: keyof typeof secondsOf): Promise<void>;
  /** Names of files in the folder. */
  readonly files: readonly string[];
  /** Why there is none of a step. */
  readonly missing: readonly string[];
}

export function profilesFrom(url: string, folder: string, signal: AbortSignal): Profiles {
  const files: string[] = [];
  const missing: string[] = [];
  return {
    files,
    missing,
    take: async (step, kind) => {
      const address = `${url.replace(/\/$/, '')}/debug/pprof/${kind}?seconds=${secondsOf[kind]}`;
      const name = `${step}-${kind}.pb.gz`;
      try {
        const reply = await fetch(address, { signal });
        if (!reply.ok) throw new Error(`${reply.status} ${(await reply.text()).trim()}`);
        await writeFile(join(folder, name), Buffer.from(await reply.arrayBuffer()));
        files.push(name);
      } catch (error) {
        const { message, cause } = error instanceof Error ? error : new Error(String(error));
        const why = cause instanceof Error ? cause.message : message;
        missing.push(`${name}: ${address} cannot be had: ${why}`);
      }
    },
  };
}
