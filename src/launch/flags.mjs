// How the image starts Node, and `npm start` too; the benchmark measures with the same.
// Reasons and figures: docs/decisions/0008, 0016 and 0055.

/** @type {readonly string[]} */
export const nodeFlags = [
  // V8 would let the heap grow far beyond what lives in it.
  '--max-semi-space-size=8',
  '--heap-growing-percent=60',
  // A young generation that has to grow first promotes what is garbage soon.
  '--min-semi-space-size=8',
  // A process that is just busy for the first time pays for every inlined function.
  '--max-inlined-bytecode-size-cumulative=230',
];
