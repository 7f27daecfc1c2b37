// How each contender is started, as a command line; and the configurations of those that have one.
// Each listens on a port of 127.0.0.1, has one thread, logs nothing and compresses nothing.
import { mkdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { nodeFlags } from '#src/launch/flags.mjs';
import type { ContenderName } from './names.ts';
import type { Given } from './given.ts';

export interface Commanded {
  readonly program: string;
  readonly args: readonly string[];
}

interface Place extends Given {
  /** For files. */
  readonly folder: string;
  /** Arguments of Node. */
  readonly nodeFlags: readonly string[];
}

type Prepare = (place: Place) => Promise<Commanded>;

const node =
  (program: URL, ...more: readonly string[]): Prepare =>
  async ({ port, backends, nodeFlags }) => ({
    program: process.execPath,
    args: [
      ...nodeFlags,
      '--disable-warning=ExperimentalWarning',
      '--disable-warning=DEP0060',
      fileURLToPath(program),
      String(port),
      backends.join(),
      ...more,
    ],
  });

/** With the flags of the image. */
const ours = (...admission: readonly string[]): Prepare => {
  const prepare = node(new URL('./ours.ts', import.meta.url), ...admission);
  return (place) => prepare({ ...place, nodeFlags: [...nodeFlags, ...place.nodeFlags] });
};

/** Undefined: nothing stands between generator and backends. */
export const programs: Readonly<Record<ContenderName, Prepare | undefined>> = {
  direct: undefined,
  nginx: async ({ folder, ...given }) => ({
    program: 'nginx',
    args: ['-e', '/dev/null', '-p', folder, '-c', await config(folder, 'nginx', nginx(given))],
  }),
  haproxy: async ({ folder, ...given }) => ({
    program: 'haproxy',
    args: ['-db', '-q', '-f', await config(folder, 'haproxy', haproxy(given))],
  }),
  'http-proxy': node(new URL('./http-proxy.ts', import.meta.url)),
  'fast-proxy': node(new URL('./fast-proxy.ts', import.meta.url)),
  'fast-proxy-undici': node(new URL('./fast-proxy-undici.ts', import.meta.url)),
  fastify: node(new URL('./fastify.ts', import.meta.url)),
  pipe: node(new URL('./pipe.ts', import.meta.url)),
  admitted: node(new URL('./admitted.ts', import.meta.url)),
  'ours-off': ours('off'),
  'ours-cc0': ours('0'),
  'ours-cc10': ours('10'),
  'ours-cc1': ours('1'),
  // On the one core of all contenders: what it costs that workers ask the process.
  'ours-workers': ours('10', '2'),
};

async function config(folder: string, name: string, text: string): Promise<string> {
  await mkdir(folder, { recursive: true });
  const path = join(folder, `${name}.conf`);
  await writeFile(path, text);
  return path;
}

const nginx = ({ port, backends }: Given): string => `
daemon off;
master_process off;
pid nginx.pid;
worker_rlimit_nofile 16384;
events { worker_connections 8192; }
http {
  access_log off;
  client_body_temp_path body;
  proxy_temp_path proxy;
  fastcgi_temp_path fastcgi;
  uwsgi_temp_path uwsgi;
  scgi_temp_path scgi;
  keepalive_requests 1000000000;
  upstream backends {
    random two least_conn;
${backends.map((backend) => `    server 127.0.0.1:${backend};`).join('\n')}
    keepalive 4096;
    keepalive_requests 1000000000;
  }
  server {
    listen 127.0.0.1:${port} backlog=4096;
    location / {
      proxy_pass http://backends;
      proxy_http_version 1.1;
      proxy_set_header Connection "";
      proxy_set_header X-Forwarded-For $proxy_add_x_forwarded_for;
    }
  }
}
`;

const haproxy = ({ port, backends }: Given): string => `
global
  nbthread 1
  maxconn 8192
defaults
  mode http
  timeout connect 5s
  timeout client 60s
  timeout server 60s
  timeout queue 60s
  option forwardfor
  http-reuse always
frontend front
  bind 127.0.0.1:${port}
  default_backend backends
backend backends
  balance random(2)
${backends.map((backend) => `  server b${backend} 127.0.0.1:${backend}`).join('\n')}
`;
