// Sends an AdmissionReview to a webhook over HTTPS. The only file of the admission that does I/O;
// tests and simulations put a function of their own in its place.
import { Agent } from 'undici';
import type { JsonObject } from '#machines/kubernetes/objects.ts';

export interface WebhookTarget {
  readonly url: string;
  /** PEM of the authority to check the webhook's certificate against; absent: the system's. */
  readonly caBundle: string | undefined;
  readonly timeoutMs: number;
}

/** Resolves with the parsed JSON body; rejects with an Error that names the reason. */
export type PostReview = (target: WebhookTarget, review: JsonObject) => Promise<unknown>;

/** The largest answer that is read. */
const answerBytesLimit = 8 * 1024 * 1024;

export interface WebhookPoster {
  readonly post: PostReview;
  readonly close: () => Promise<void>;
}

/** Keeps connections open per authority. */
export function webhookPoster(): WebhookPoster {
  const agents = new Map<string, Agent>();
  const agentFor = (caBundle: string | undefined): Agent => {
    const known = agents.get(caBundle ?? '');
    if (known !== undefined) return known;
    const agent = new Agent({
      allowH2: false,
      connect: caBundle === undefined ? {} : { ca: caBundle },
      maxResponseSize: answerBytesLimit,
    });
    agents.set(caBundle ?? '', agent);
    return agent;
  };
  return {
    post: async ({ url, caBundle, timeoutMs }, review) => {
      const { origin, pathname, search } = new URL(url);
      const answer = await agentFor(caBundle).request({
        origin,
        path: `${pathname}${search}`,
        method: 'POST',
        headers: { 'content-type': 'application/json', accept: 'application/json' },
        body: JSON.stringify(review),
        signal: AbortSignal.timeout(timeoutMs),
      });
      if (answer.statusCode !== 200) {
        await answer.body.dump();
        throw new Error(`the server answered with status ${answer.statusCode}`);
      }
      return answer.body.json();
    },
    close: async () => {
      await Promise.all([...agents.values()].map((agent) => agent.close()));
      agents.clear();
    },
  };
}
