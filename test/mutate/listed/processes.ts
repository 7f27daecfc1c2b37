// The lines on which rules rest that whole processes alone show: a probe, and controllers that
// follow one another. Judged by `npm run mutate -- --listed --slow`.
import type { ListedMutant } from './mutant.ts';

export const ofProcesses: readonly ListedMutant[] = [
  {
    shows: 'HC-69',
    file: 'src/agent/check.ts',
    from: '      if (error === null) return',
    to: '      if (error?.killed === true) return resolve(undefined);\n      if (error === null) return',
    says: "'READY' } to deeply equal { code: 1",
  },
];
