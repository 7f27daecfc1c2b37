// How fast this machine is now, against a kept reference: a fixed piece of work of the kind that
// the tests do, on as many cores at once as the tests use. Called by .ci/stages.mjs at its start;
// `node .ci/calibrate.mjs` prints the figure.
import { execFile } from 'node:child_process';
import { createHash } from 'node:crypto';
import { availableParallelism } from 'node:os';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';

/** Of two cores of a virtual machine (AMD EPYC) that do nothing else, with Node 20. */
const referenceMs = 800;
const rounds = 3;
const self = fileURLToPath(import.meta.url);

/**
 * Above 1: faster than the reference. The best of some rounds, so that a short disturbance of the
 * machine does not count; one that lasts does.
 */
export async function speed() {
  const cores = Math.min(2, availableParallelism());
  const took = [];
  for (let round = 0; round < rounds; round += 1) {
    took.push(Math.max(...(await Promise.all(Array.from({ length: cores }, workApart)))));
  }
  // A machine with one core does the work of two one after the other.
  return (referenceMs * cores) / 2 / Math.min(...took);
}

/** @returns {Promise<number>} milliseconds, in a process of its own */
async function workApart() {
  const { stdout } = await promisify(execFile)(process.execPath, [self, 'work']);
  return Number(stdout);
}

/** Objects are made, written, read, kept in maps, sorted and hashed. */
function work() {
  const begun = performance.now();
  const kept = new Map();
  let hash = '';
  for (let turn = 0; turn < 800; turn += 1) {
    const objects = Array.from({ length: 500 }, (_, index) => ({
      metadata: { name: `${hash.slice(0, 8)}-${index}`, labels: { turn: String(turn) } },
      spec: { values: [index, turn, index * turn] },
    }));
    const text = JSON.stringify(objects);
    for (const object of JSON.parse(text)) kept.set(object.metadata.name, object);
    const names = [...kept.keys()].toSorted((a, b) => (a < b ? -1 : 1));
    hash = createHash('sha256').update(text).update(names.slice(0, 100).join()).digest('hex');
    if (kept.size > 5_000) kept.clear();
  }
  return performance.now() - begun;
}

const [, script, mode] = process.argv;
if (script === self) console.log(mode === 'work' ? work() : (await speed()).toFixed(2));
