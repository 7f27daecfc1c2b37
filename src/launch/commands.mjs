// The commands of package.json's scripts: what each runs under the chosen Node. A command whose
// steps run side by side or in a loop is a script of its own in this folder.

/** @param {readonly string[]} names */
const projects = (...names) => names.flatMap((name) => ['--project', name]);

/** @type {Readonly<Record<string, readonly string[]>>} */
export const commands = {
  coppice: ['src/main.ts'],
  start: ['src/main.ts', 'dev'],
  test: ['src/launch/vitest.mjs', 'run', ...projects('unit', 'simulated', 'system')],
  'test:long': ['src/launch/vitest.mjs', 'run', ...projects('virtual', 'processes', 'long')],
  check: ['src/launch/check.mjs'],
  watch: ['src/launch/watch.mjs'],
  deflake: ['src/launch/deflake.mjs'],
  format: ['src/launch/format.mjs'],
  build: ['src/bundle/build.ts'],
  image: ['src/bundle/image.ts'],
  sbom: ['src/bundle/sbom.ts'],
  surface: ['test/surface/main.ts'],
  docs: ['tools/site/build.ts'],
  pictures: ['test/e2e/pictures/main.ts'],
  bench: ['test/bench/main.ts'],
  sim: ['test/sim/main.ts'],
  road: ['test/road/main.ts'],
  chaos: ['test/chaos/main.ts'],
  rules: ['test/rules/main.ts'],
  mutate: ['test/mutate/main.ts'],
  fuzz: ['test/fuzz/main.ts'],
  cluster: ['test/cluster/main.ts'],
  'test:real': ['src/launch/vitest.mjs', 'run', '--config', 'test/e2e/real/vitest.config.ts'],
};
