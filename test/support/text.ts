// Texts of any characters, for the tests of what takes texts from outside.
import fc from 'fast-check';

/**
 * Any code point. The unit `binary` of fast-check is the same, but it makes a table of all million
 * of them at its first use, which takes longer than most test files.
 */
const anyCharacter = fc
  .integer({ min: 0, max: 0x10_f7_ff })
  .map((index) => String.fromCodePoint(index < 0xd8_00 ? index : index + 0x8_00));

/** Ordinary ones, those that are names of something in JavaScript, and any. */
export const anyText = (limits: fc.StringSharedConstraints = {}): fc.Arbitrary<string> =>
  fc.oneof(fc.string(limits), fc.string({ ...limits, unit: anyCharacter }));
