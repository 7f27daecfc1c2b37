// The three ways in which people ask why: the API of the page, `kubectl coppice why` and a request
// over NATS. What each answers to is the list of its sentences, for embedded.test.ts to compare.
import type { NatsConnection } from '@nats-io/transport-node';
import { formatSubject } from '#bus/subjects.ts';
import type { ActorKey } from '#machines/contract/address.ts';
import { at, list, text } from '#machines/kubernetes/json.ts';
import { runPlugin } from '#src/plugin/run.ts';

/** On a machine that does much else. */
const answerMs = 20_000;

interface Where {
  /** Of the inspector, with a token of the cluster. */
  readonly page: { readonly url: string; readonly token: string };
  readonly kubeconfig: string;
  readonly nats: NatsConnection;
}

/** Sentences, or the one that says why there are none. */
type Said = readonly string[];

const readBecause = (data: unknown): Said => list(at(data, 'because')).map(text);

async function overPage({ page }: Where, { kind, namespace, name }: ActorKey): Promise<Said> {
  const path = `/api/v1/actors/${kind}/${namespace}/${name}/why`;
  const headers = { authorization: `Bearer ${page.token}` };
  const answer: unknown = await (await fetch(`${page.url}${path}`, { headers })).json();
  return at(answer, 'because') === undefined ? [text(at(answer, 'message'))] : readBecause(answer);
}

async function overPlugin({ kubeconfig }: Where, about: ActorKey): Promise<Said> {
  const printed = { out: '', error: '' };
  const words = ['why', `${about.kind}/${about.name}`, '--namespace', about.namespace];
  await runPlugin({
    argv: [...words, '--kubeconfig', kubeconfig, '--output', 'json'],
    streams: {
      out: { write: (text) => (printed.out += text) },
      error: { write: (text) => (printed.error += text) },
      environment: {},
    },
    version: 'test',
    signal: new AbortController().signal,
  });
  if (printed.out !== '') return readBecause(JSON.parse(printed.out));
  return [printed.error.replace(/^kubectl-coppice: | \(\w+\)\n$/g, '')];
}

async function overNats({ nats }: Where, about: ActorKey): Promise<Said> {
  const subject = formatSubject({ type: 'ask', about, question: 'why' });
  if (!subject.ok) throw new Error(subject.problem);
  const answer: unknown = (await nats.request(subject.value, '', { timeout: answerMs })).json();
  const isAnswer = at(answer, 'ok') === true;
  return isAnswer ? readBecause(at(answer, 'data')) : [text(at(answer, 'message'))];
}

/** What passes between two questions is left out. */
export const timeless = (said: Said): Said =>
  said.map((sentence) => sentence.replaceAll(/\bin [\dhms.]+, at [\d:TZ-]+/g, 'in a while'));

/** Who gets no answer is told that. */
const orError =
  (ask: (where: Where, about: ActorKey) => Promise<Said>) =>
  (where: Where, about: ActorKey): Promise<Said> =>
    ask(where, about).catch((error: unknown) => [String(error)]);

export const ways = {
  overPage: orError(overPage),
  overPlugin: orError(overPlugin),
  overNats: orError(overNats),
};

export type Asking = Where;
