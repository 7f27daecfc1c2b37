// The configuration file that our nats-server runs with. JSON, which its parser reads as it is.
import { join } from 'node:path';
import type { JsonObject } from '#machines/kubernetes/objects.ts';

export interface ConfigOptions {
  readonly dataDir: string;
  readonly host: string;
  /** 0: any free one. */
  readonly port: number;
  readonly monitorPort: number;
  readonly settings: JsonObject;
}

const mebibyte = 1024 * 1024;

export function configText(options: ConfigOptions): string {
  const { dataDir, host, port, monitorPort, settings } = options;
  const config = {
    server_name: 'coppice-nats',
    host,
    port: port === 0 ? -1 : port,
    // Monitoring has no authentication, so it never leaves this machine.
    http: `127.0.0.1:${monitorPort === 0 ? -1 : monitorPort}`,
    ports_file_dir: dataDir,
    jetstream: {
      store_dir: join(dataDir, 'jetstream'),
      max_memory_store: 256 * mebibyte,
      max_file_store: 1024 * mebibyte,
    },
    // A subscriber that does not read is cut off soon, and never slows the publishers down.
    max_pending: 16 * mebibyte,
    write_deadline: '2s',
    no_fast_producer_stall: true,
    ...settings,
  };
  return `${JSON.stringify(config, null, 2)}\n`;
}
