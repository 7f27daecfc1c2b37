// Stands in for nvidia-imex: finds its number by its IP among the names of the nodes file at its
// start alone, reads the hosts file again at SIGUSR1, and says what it does. Started by the agent
// as `node imex.mjs <folder>` with the files of agents.ts in the folder.
import { existsSync, readFileSync, rmSync } from 'node:fs';
import { createServer } from 'node:net';
import { join } from 'node:path';

const folder = process.argv[2] ?? '.';

/** @param {string} name */
const read = (name) => readFileSync(join(folder, name), 'utf8').split('\n');

/** IPs in the order of the nodes file. */
function resolve() {
  const ips = new Map(
    read('hosts').flatMap((line) => {
      const [ip, name] = line.split(/\s+/);
      return ip === undefined || name === undefined ? [] : [[name, ip]];
    }),
  );
  return read('nodes.cfg')
    .filter((line) => line !== '')
    .map((name) => ips.get(name) ?? name);
}

const ownNumber = () => resolve().indexOf(process.env['POD_IP'] ?? '');
const peers = () =>
  resolve()
    .flatMap((ip, index) => (ip === '127.0.0.2' ? [] : [`${index}=${ip}`]))
    .join(' ');

process.on('SIGUSR1', () => console.log(`[imex] reloaded: ${peers()}`));
process.on('SIGTERM', () => {
  console.log('[imex] asked to end');
  // A file says that it is deaf.
  if (!existsSync(join(folder, 'deaf'))) process.exit(0);
});
// A file makes it lie once, as IMEX does that resolved its name too early.
const lie = join(folder, 'lie');
const lies = existsSync(lie);
if (lies) rmSync(lie);
console.log(`[imex] pid ${process.pid} knows ${peers()}`);
console.error(`[INFO] Identified this node as ID ${ownNumber() + (lies ? 1 : 0)}, using bind IP`);
// Who asks whether it is ready: imex-ctl.mjs.
const socket = join(folder, 'imex.sock');
rmSync(socket, { force: true });
// Who asked while this one stood still may be gone.
createServer((asking) => asking.on('error', () => {}).end('READY\n')).listen(socket);
// A test may have killed its agent.
const { ppid } = process;
setInterval(() => {
  if (process.ppid !== ppid) process.exit(0);
}, 5_000);
