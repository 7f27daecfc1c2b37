// Runs one command of CI under a time limit and leaves nothing of it behind: neither its children
// nor what these started in the background. Plain JavaScript, since nothing is installed yet when
// .ci/stages.mjs begins.
import { spawn } from 'node:child_process';
import { randomUUID } from 'node:crypto';
import { readdirSync, readFileSync } from 'node:fs';
import { setTimeout as pause } from 'node:timers/promises';

/**
 * What is running now, for whoever ends us.
 * @type {Set<{ stage: string, pid: number | undefined }>}
 */
const running = new Set();

const mark = 'COPPICE_CI_STAGE';
/** From the request to end to SIGKILL: the tests take their clusters down meanwhile. */
const graceMs = 30_000;
const keptLines = 20;

/**
 * @typedef {object} Ended
 * @property {number} code  128 for an end by a signal
 * @property {boolean} isCut  the limit was reached
 * @property {string[]} lines  the last ones of stderr
 */

/**
 * @param {string} program
 * @param {readonly string[]} args
 * @param {{ limitMs: number, env?: NodeJS.ProcessEnv }} options
 * @returns {Promise<Ended>}
 */
export async function supervise(program, args, { limitMs, env = {} }) {
  const stage = randomUUID();
  // First, so that nothing but a write lies between the start of the command and its being guarded.
  const guarded = guard();
  const child = spawn(program, args, {
    stdio: ['ignore', 'inherit', 'pipe'],
    env: { ...process.env, ...env, [mark]: stage },
    detached: true, // a process group of its own, to be ended as a whole
  });
  guarded.watch(child.pid);
  const task = { stage, pid: child.pid };
  running.add(task);
  /** @type {string[]} */
  const lines = [];
  follow(child.stderr, lines);
  let isCut = false;
  const limit = setTimeout(() => {
    isCut = true;
    console.error(`.ci: ${args.join(' ')} is ended after ${Math.round(limitMs / 1000)} s`);
    void endGroup(child.pid);
  }, limitMs);
  /** @type {number} */
  const code = await new Promise((resolve) => {
    child.once('error', (error) => {
      console.error(`.ci: ${program} cannot be run: ${error.message}`);
      resolve(127);
    });
    child.once('exit', (status) => resolve(status ?? 128));
  });
  clearTimeout(limit);
  guarded.callOff();
  await endRest(stage);
  running.delete(task);
  child.stderr.destroy();
  return { code, isCut, lines };
}

/** Ends everything that runs, for a CI that is ended itself. */
export async function endAll() {
  await Promise.all(
    [...running].map(async ({ stage, pid }) => {
      await endGroup(pid);
      await endRest(stage);
    }),
  );
}

/**
 * @param {import('node:stream').Readable} stream
 * @param {string[]} lines
 */
function follow(stream, lines) {
  let rest = '';
  stream.on('data', (chunk) => {
    process.stderr.write(chunk);
    const parts = (rest + String(chunk)).split('\n');
    rest = parts.pop() ?? '';
    lines.push(...parts.filter((line) => line.trim() !== ''));
    lines.splice(0, lines.length - keptLines);
  });
}

/**
 * Asks a process group to end, and kills it after the grace.
 * @param {number | undefined} pid
 */
async function endGroup(pid) {
  if (pid === undefined || !signal(-pid, 'SIGTERM')) return;
  for (let waited = 0; waited < graceMs; waited += 200) {
    await pause(200);
    if (!signal(-pid, 0)) return;
  }
  signal(-pid, 'SIGKILL');
}

/**
 * What left the group of its parent is found by its environment. Linux; elsewhere there is nothing
 * to look into.
 * @param {string} stage
 */
async function endRest(stage) {
  for (const name of /** @type {const} */ (['SIGTERM', 'SIGKILL'])) {
    let isAsked = false;
    for (let waited = 0; waited < 5_000; waited += 200) {
      const left = marked(stage);
      if (left.length === 0) {
        // A process shows no environment while it becomes another program.
        await pause(100);
        if (marked(stage).length === 0) return;
        continue;
      }
      if (!isAsked) {
        isAsked = true;
        console.error(`.ci: ${name} for what was left behind: ${left.join(', ')}`);
        for (const pid of left) signal(pid, name);
      }
      await pause(200);
    }
  }
}

/**
 * @param {string} stage
 * @returns {number[]}
 */
function marked(stage) {
  try {
    return readdirSync('/proc')
      .filter((name) => /^\d+$/.test(name) && environmentOf(name).includes(`${mark}=${stage}`))
      .map(Number);
  } catch {
    return [];
  }
}

/** @param {string} pid */
function environmentOf(pid) {
  try {
    return readFileSync(`/proc/${pid}/environ`, 'latin1').split('\0');
  } catch {
    return []; // ended, or another user's
  }
}

/**
 * @param {number} pid
 * @param {NodeJS.Signals | 0} name
 */
function signal(pid, name) {
  try {
    return process.kill(pid, name);
  } catch {
    return false;
  }
}

/** Should we be killed: a small shell waits on a pipe that only we hold, and ends the group. */
function guard() {
  if (process.platform === 'win32') return { watch: () => undefined, callOff: () => undefined };
  const script =
    'read -r group || exit 0; read -r word && exit 0; ' +
    'kill -TERM "-$group"; sleep 30; kill -KILL "-$group"';
  const shell = spawn('/bin/sh', ['-c', script, 'coppice-ci-guard'], {
    stdio: ['pipe', 'ignore', 'ignore'],
    detached: true,
  });
  shell.on('error', () => undefined);
  shell.stdin.on('error', () => undefined);
  shell.unref();
  let lastWords = '';
  return {
    /** @param {number | undefined} pid */
    watch: (pid) => {
      if (pid === undefined) return;
      shell.stdin.write(`${pid}\n`);
      lastWords = 'done\n';
    },
    callOff: () => {
      shell.stdin.end(lastWords);
    },
  };
}
