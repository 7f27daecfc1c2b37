// A process that starts a nats-server in the folder of its argument, prints its pid and stays: for
// tests that kill the owner of a server. process.test.ts runs it as a process of its own.
import { findNatsServer } from '#src/natsserver/binary.ts';
import { startNatsServer } from '#src/natsserver/process.ts';

export const ownerScript = import.meta.filename;

if (import.meta.main) {
  const [, , dataDir = ''] = process.argv;
  const { path } = await findNatsServer();
  const server = await startNatsServer({ binary: path, dataDir });
  process.on('SIGINT', () => {
    void server.stop().then(() => process.exit(0));
  });
  process.stdout.write(`${server.pid}\n`);
}
