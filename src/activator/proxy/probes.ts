// Requests that are about the activator itself and never reach a revision, in the order in which
// they are looked for (spec activator 1.4): the kubelet's, the network's, those of other components.
import { one } from './headers.ts';

export interface Probes {
  readonly health: (path: string) => string | undefined;
  /** SIGTERM was received. */
  readonly isDraining: () => boolean;
}

export interface ProbeAnswer {
  readonly status: number;
  readonly body: string;
  readonly headers: readonly string[];
}

type Headers = Readonly<Record<string, string | string[] | undefined>>;

/** Undefined: it is no probe. */
export function answerProbe(
  headers: Headers,
  path: string,
  probes: Probes,
): ProbeAnswer | undefined {
  const kubelet = headers['k-kubelet-probe'];
  const isKubelet =
    one(headers['user-agent'])?.startsWith('kube-probe/') === true ||
    (kubelet !== undefined && kubelet !== '');
  if (isKubelet) return answerKubelet(path, probes);
  const value = one(headers['k-network-probe']);
  if (value === undefined || value === '') return undefined;
  if (value === 'probe') return answerNetwork(one(headers['k-network-hash']));
  if (value === 'activator') return { status: 200, body: 'activator', headers: [] };
  return bad(`unexpected probe header value: "${escaped(value)}"\n`);
}

function answerKubelet(path: string, { health, isDraining }: Probes): ProbeAnswer {
  const wrong = isDraining() ? 'received SIGTERM from kubelet' : health(path);
  return wrong === undefined
    ? { status: 200, body: '', headers: [] }
    : { status: 500, body: `${wrong}\n`, headers: [] };
}

const answerNetwork = (hash: string | undefined): ProbeAnswer =>
  hash === undefined || hash === ''
    ? bad('a probe request must contain a non-empty "K-Network-Hash" header\n')
    : { status: 200, body: '', headers: ['k-network-hash', hash] };

const bad = (body: string): ProbeAnswer => ({ status: 400, body, headers: [] });

const entities: Readonly<Record<string, string>> = {
  '&': '&amp;',
  '<': '&lt;',
  '>': '&gt;',
  '"': '&#34;',
  "'": '&#39;',
};

/** A browser that shows it runs nothing (H-80). */
export const escaped = (text: string): string =>
  text.replaceAll(/[&<>"']/g, (character) => entities[character] ?? character);
