// What the kubelet put into the pod for the init program (spec controllers 6.2): who the pod is,
// and the token and CA file to speak to the API server with. Read by run.ts.
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { Clock } from '#actors/ports.ts';
import type { KubeConnection } from '#src/kube/connect/connection.ts';
import { cachedCredentials, watchedFile } from '#src/kube/connect/credentials.ts';

const infoFolder = '/var/grove/pod-info';
const accountFolder = '/var/run/secrets/kubernetes.io/serviceaccount';

/** Something that the pod must have is not there. The message says what, and who provides it. */
export class PodSetupError extends Error {
  constructor(message: string, options?: ErrorOptions) {
    super(message, options);
    this.name = 'PodSetupError';
  }
}

export interface PodInfo {
  readonly namespace: string;
  /** The PodGang that the pod belongs to. */
  readonly gang: string;
}

/** Rejects with a PodSetupError. `root` stands for `/`; a test has another one. */
export async function readPodInfo(root: string): Promise<PodInfo> {
  const read = (file: string): Promise<string> =>
    contentOf(join(root, infoFolder, file), 'the volume pod-info-vol (downward API) provides it');
  return { namespace: await read('namespace'), gang: await read('podgangname') };
}

/** Rejects with a PodSetupError. The token is read again when it changes. `who` brings the files of
 *  the account. */
export async function connectionOfPod(
  root: string,
  clock: Clock,
  env: Readonly<Record<string, string | undefined>>,
  who = 'the volume sa-token-secret-vol (Secret <PodCliqueSet>-ic-sat) provides it',
): Promise<KubeConnection> {
  const host = env['KUBERNETES_SERVICE_HOST'];
  const port = env['KUBERNETES_SERVICE_PORT'] ?? '443';
  if (host === undefined || host === '') {
    const what = 'KUBERNETES_SERVICE_HOST is not set: it names the API server in every pod';
    throw new PodSetupError(what);
  }
  const tokenFile = join(root, accountFolder, 'token');
  await contentOf(tokenFile, who);
  const ca = await contentOf(join(root, accountFolder, 'ca.crt'), who);
  const token = watchedFile(clock, tokenFile);
  return {
    server: `https://${host.includes(':') ? `[${host}]` : host}:${port}`,
    tls: { ca, insecure: false },
    namespace: '',
    credentials: cachedCredentials(clock, async (afresh) => ({
      headers: { authorization: `Bearer ${await token(afresh)}` },
    })),
  };
}

async function contentOf(file: string, who: string): Promise<string> {
  const text = await readFile(file, 'utf8').catch((cause: unknown) => {
    throw new PodSetupError(`${file} cannot be read: ${who} (${String(cause)})`, { cause });
  });
  if (text.trim() === '') throw new PodSetupError(`${file} is empty: ${who}`);
  return text.trim();
}
