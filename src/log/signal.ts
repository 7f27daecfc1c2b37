// The log level by a signal, for whoever can reach the process but not its questions: SIGUSR2
// switches between debug and the configured level. (SIGUSR1 starts Node's debugger.) Called by
// `coppice controller`.
import type { Log } from './log.ts';
import type { Level } from './shares.ts';

const signal = 'SIGUSR2';

/** Where debug is what the configuration says, the signal switches between it and info. */
export function switchLevelOnSignal(log: Log, configured: Level): void {
  const usual = configured === 'debug' ? 'info' : configured;
  process.on(signal, () => log.setLevel(log.level() === 'debug' ? usual : 'debug', signal));
}
