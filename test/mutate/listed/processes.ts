// The lines on which what whole processes alone show rests: a probe, controllers that follow one
// another, what one keeps when all is gone. Judged by `npm run mutate -- --listed --slow`.
import type { ListedMutant } from './mutant.ts';

const clique = 'machines/nvidia/clique';
const kinds = 'machines/nvidia/kinds.ts';

export const ofProcesses: readonly ListedMutant[] = [
  {
    shows: 'HC-69',
    file: 'src/agent/check.ts',
    from: '      if (error === null) return',
    to: '      if (error?.killed === true) return resolve(undefined);\n      if (error === null) return',
    says: "'READY' } to deeply equal { code: 1",
  },
  {
    shows: 'A-40',
    file: `${clique}/write.ts`,
    from: "const version = { resourceVersion, urgency: 'first' } as const;",
    to: "const version = { urgency: 'first' } as const;",
    says: 'Counterexample',
  },
  {
    shows: 'A-41',
    file: kinds,
    from: '    keeps: keptOfDaemon,\n    isDeciding: true,\n',
    to: '    keeps: keptOfDaemon,\n',
    says: '[ { …(3) }, { …(3) } ] to deeply equal []',
  },
  {
    shows: 'A-41',
    file: kinds,
    from: '    owners: [],\n    isDeciding: true,\n  },\n  DaemonPod: {',
    to: '    owners: [],\n  },\n  DaemonPod: {',
    says: '"code": "CONFLICT"',
  },
  {
    shows: 'A-46',
    file: `${clique}/decide.ts`,
    from: '  const missing = rows\n',
    to: '  const missing = (owners.length > 0 ? [] : rows)\n',
    says: '{ rows: [], status:',
  },
  {
    shows: 'Q-24',
    file: `${clique}/context.ts`,
    from: 'vacated: error === undefined ? new Set([...vacated, ...checked]) : vacated,',
    to: 'vacated,',
    says: "to match object [ { type: 'patchObject'",
  },
  {
    shows: 'Q-24',
    file: 'src/agent/join.ts',
    from: '  stop(): void {\n    this.#abort.abort();\n',
    to: '  stop(): void {\n',
    says: 'expected 1 to be +0',
  },
  {
    shows: 'A real process has no more sockets, open files and timers than',
    file: 'src/kube/limits.ts',
    from: 'export const idleSocketMs = 55_000;',
    to: 'export const idleSocketMs = 550_000;',
    says: 'not back to the start',
  },
];
