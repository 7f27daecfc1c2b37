// What is drawn by seeds, done in rounds or waited for, so that a slow machine may do less of it
// and still judges everything: nothing that asserts correctness is left out by it. As much as is
// usual takes two minutes at most. CI measures the machine and sets COPPICE_EFFORT
// (.ci/stages.mjs); without it as much is done as is usual.

/** @typedef {{ readonly usual: number, readonly least: number, readonly more: string }} Amount */

/** `least` is never gone below. More than is usual is done by the command. */
const table = {
  'simulated days': { usual: 100, least: 60, more: 'npm run sim' },
  'long walks of edits': { usual: 86, least: 24, more: 'npm run sim -- --walk --seeds 200' },
  'seconds without NATS': {
    usual: 90,
    least: 60,
    more: 'COPPICE_EFFORT=2 npm run test:long -- faults',
  },
  'rounds of kills': { usual: 5, least: 2, more: 'npm run test:long -- crashes' },
  'rounds of kills on the real control plane': {
    usual: 5,
    least: 2,
    more: 'npm run test:real -- kills',
  },
  'replicas that are updated under kills': {
    usual: 50,
    least: 20,
    more: 'npm run test:real -- update',
  },
};

/** Above this a machine is as fast as the reference, give or take its noise. */
const asFast = 0.8;

/** @param {number} speed  of the machine, 1 for the reference */
export const effortAt = (speed) => (speed >= asFast ? 1 : speed);

const given = Number(process.env['COPPICE_EFFORT'] ?? 1);

/** @param {keyof typeof table} name */
export const amountOf = (name, effort = given) => scaled(table[name], effort);

/**
 * @param {Amount} amount
 * @param {number} effort
 */
const scaled = ({ usual, least }, effort) => Math.max(least, Math.round(usual * effort));

/**
 * What is done less of, in words.
 * @param {number} effort
 */
export const scaledAt = (effort) =>
  Object.entries(table).flatMap(([name, amount]) => {
    const less = scaled(amount, effort);
    return less < amount.usual
      ? [`${name}: ${less} instead of ${amount.usual}; all: ${amount.more}`]
      : [];
  });
