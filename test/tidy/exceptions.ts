// What the tidy test lets pass, each with its reason. A line that is no longer needed fails too.

export interface Exception {
  /** Name of the rule, as in test/tidy.test.ts. */
  readonly rule: string;
  readonly path: string;
  /** Part of the message, where the exception is for one of several in a file. */
  readonly about?: string;
  readonly reason: string;
}

const ciScript = 'what CI starts is outside of the layers and of the import map';

export const exceptions: readonly Exception[] = [
  {
    rule: 'there are no dead files',
    path: 'test/ci/attempts/attempts.ts',
    reason: 'its tests fail, so the configuration beside it names it and no other does',
  },
  {
    rule: 'there are no dead files',
    path: 'test/bench/proxy/contenders/packages.d.ts',
    reason: 'it declares the types of a package, which the compiler finds by its name',
  },
  {
    rule: 'there are no dead files',
    path: 'src/undici.d.ts',
    reason: 'it declares the types of files of a package, which the compiler finds by their names',
  },
  {
    rule: 'imports point one way',
    path: 'src/kubectl-coppice.ts',
    about: 'package.json',
    reason:
      'a program of one file has no package.json beside it: the bundle takes the version along',
  },
  { rule: 'imports point one way', path: 'test/ci/attempts.test.ts', reason: ciScript },
  { rule: 'imports point one way', path: 'test/ci/count.test.ts', reason: ciScript },
  { rule: 'imports point one way', path: 'test/ci/supervise.test.ts', reason: ciScript },
];
