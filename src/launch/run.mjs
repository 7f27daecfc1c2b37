// Runs a program in the foreground as if it were this process: same terminal, signals passed on,
// same end. Used by the launcher and by the commands that start several programs.
import { spawn } from 'node:child_process';
import { constants } from 'node:os';

/** @type {readonly NodeJS.Signals[]} */
const passedOn = ['SIGINT', 'SIGTERM', 'SIGHUP', 'SIGQUIT', 'SIGUSR2'];

/**
 * Runs to the end and gives the exit code; 128 + n for an end by signal n, as shells do.
 * @param {string} program
 * @param {readonly string[]} args
 * @param {{ cwd?: string, env?: NodeJS.ProcessEnv, stop?: AbortSignal, stopBy?: NodeJS.Signals }}
 *   options  `stop` asks the program to end, by SIGTERM unless `stopBy` is another signal
 * @returns {Promise<number>}
 */
export function runInForeground(program, args, { stop, stopBy = 'SIGTERM', ...options } = {}) {
  return new Promise((resolve, reject) => {
    const child = spawn(program, args, { ...options, stdio: 'inherit' });
    /** @param {NodeJS.Signals} signal */
    const passOn = (signal) => {
      // A terminal sends Ctrl-C and Ctrl-\ to the whole group: the child has it already, and a
      // second one would read as "stop at once".
      const isFromTerminal = process.stdin.isTTY && (signal === 'SIGINT' || signal === 'SIGQUIT');
      if (!isFromTerminal) child.kill(signal);
    };
    const end = () => void child.kill(stopBy);
    stop?.addEventListener('abort', end);
    const ended = () => {
      stop?.removeEventListener('abort', end);
      passedOn.forEach((signal) => process.removeListener(signal, passOn));
    };
    passedOn.forEach((signal) => process.on(signal, passOn));
    child.on('error', (error) => {
      ended();
      reject(error);
    });
    child.on('exit', (code, signal) => {
      ended();
      resolve(code ?? 128 + (signal === null ? 0 : constants.signals[signal]));
    });
  });
}
