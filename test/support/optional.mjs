// What is drawn by seeds, done in rounds or waited for, so that a slow machine may do less of it
// and still judges everything: no kind of test is left out by it, only the older SDK is. CI
// measures the machine and sets COPPICE_EFFORT (.ci/stages.mjs); without it as much is done as is
// usual.

/** @typedef {{ readonly usual: number, readonly least: number, readonly more: string }} Amount */

/** `least` is never gone below. More than is usual is done by the command. */
const table = {
  'simulated days': { usual: 100, least: 20, more: 'npm run sim' },
  'simulated days of each kind in npm test': { usual: 8, least: 4, more: 'npm run sim' },
  'long walks of edits': { usual: 86, least: 16, more: 'npm run sim -- --walk --seeds 200' },
  'deaths at each write': {
    usual: 2,
    least: 0.5,
    more: 'COPPICE_EFFORT=1 npm run test:long -- crash-each',
  },
  'seeds of six edits': {
    usual: 100,
    least: 20,
    more: 'COPPICE_EFFORT=1 npm run test:long -- six-edits',
  },
  'seeds of tenants': {
    usual: 500,
    least: 100,
    more: 'COPPICE_EFFORT=1 npm run test:long -- tenants',
  },
  'random histories': {
    usual: 400,
    least: 130,
    more: 'COPPICE_HISTORIES=10000 npm test -- histories statuses persistent-map',
  },
  'seconds of the soak': { usual: 120, least: 60, more: 'npm run test:long -- soak' },
  'planted bugs': { usual: 40, least: 4, more: 'COPPICE_EFFORT=1 npm run test:long -- planted' },
  'namesakes in a row': {
    usual: 50,
    least: 12,
    more: 'COPPICE_EFFORT=1 npm run test:long -- faults',
  },
  'seconds without NATS': {
    usual: 90,
    least: 40,
    more: 'COPPICE_EFFORT=1 npm run test:long -- faults',
  },
  'rounds of kills': { usual: 5, least: 2, more: 'npm run test:long -- crashes' },
  'rounds of kills on the real control plane': {
    usual: 5,
    least: 2,
    more: 'npm run test:real -- kills',
  },
  'replicas on the real control plane': {
    usual: 500,
    least: 150,
    more: 'npm run test:real -- size',
  },
  'replicas whose refusals are counted': {
    usual: 500,
    least: 100,
    more: 'npm run test:real -- faults',
  },
  'combinations of the chart on the real control plane': {
    usual: 13,
    least: 4,
    more: 'npm run test:real -- chart',
  },
  'versions of the SDK': { usual: 2, least: 1, more: 'npm run test:real -- sdk' },
  'claims in a burst on the real control plane': {
    usual: 300,
    least: 100,
    more: 'npm run test:real -- warmpools',
  },
  'replicas that are updated under kills': {
    usual: 50,
    least: 20,
    more: 'npm run test:real -- update',
  },
};

/** A slow machine in CI leaves out on one cluster some of what both play (.ci/stages.mjs). */
export const isPlayedOnce = process.env['COPPICE_PLAYED_ONCE'] !== undefined;

/** Above this a machine is as fast as the reference, give or take its noise. */
const asFast = 0.8;

/** @param {number} speed  of the machine, 1 for the reference */
export const effortAt = (speed) => (speed >= asFast ? 1 : speed);

const given = Number(process.env['COPPICE_EFFORT'] ?? 1);

/** @param {keyof typeof table} name */
export const amountOf = (name, effort = given) => scaled(table[name], effort);

/**
 * So many of them, spread evenly.
 * @template T
 * @param {readonly T[]} all
 * @param {number} count
 */
export const spread = (all, count) => {
  const turn = (/** @type {number} */ index) => Math.floor((index * count) / all.length);
  return all.filter((_, index) => turn(index + 1) > turn(index));
};

/**
 * What takes so many milliseconds at most on a machine as fast as the reference.
 * @param {number} ms
 */
export const atMost = (ms, effort = given) => ms / Math.min(1, effort);

/**
 * A quarter on a machine of half the speed: the rest takes twice as long there, and CI has a limit.
 * @param {Amount} amount
 * @param {number} effort
 */
const scaled = ({ usual, least }, effort) => Math.max(least, Math.round(usual * effort * effort));

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
