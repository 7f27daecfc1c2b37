// How the image starts Node, and `npm start` too; the benchmark measures with the same.
// Reasons and figures: docs/decisions/0008, 0016, 0055 and 0056.

/** @type {readonly string[]} */
export const nodeFlags = [
  // V8 would let the heap grow far beyond what lives in it.
  '--max-semi-space-size=8',
  '--heap-growing-percent=60',
  // A young generation that has to grow first promotes what is garbage soon.
  '--min-semi-space-size=8',
  // The first burst is served by code that has never run: nothing is left to the interpreter.
  '--always-sparkplug',
  // A process that is just busy for the first time pays for every inlined function.
  '--max-inlined-bytecode-size-cumulative=230',
];

/** Variables beside them, which a person may set otherwise.
 *  @type {Readonly<Record<string, string>>} */
export const nodeEnvironment = {
  // Of the C library: threads that compile would keep what each of them once needed.
  MALLOC_ARENA_MAX: '2',
};
