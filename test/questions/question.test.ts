// A question as an HTTPS request and back, and what is said about a request that is none.
import { describe, expect, it } from 'vitest';
import type { Ask } from '#actors/ports.ts';
import { handedOnHeader } from '#src/questions/peer.ts';
import { methodOf, pathOf, readQuestion } from '#src/questions/question.ts';

const token = 'header.body-part_with~all+of/them==';
const headers = { authorization: `Bearer ${token}` };
const about = { kind: 'podclique', namespace: 'default', name: 'one' } as const;

const asks: readonly Ask[] = [
  { about, question: 'state', payload: {} },
  { about: { ...about, name: 'a&b=c ü%' }, question: 'why', payload: {} },
  { about, question: 'history', payload: {} },
  { about, question: 'history', payload: { limit: 20, before: 4711 } },
  { about, question: 'trace', payload: { id: 'k3x-41', after: 7 } },
  { about, question: 'park', payload: { reason: 'I look at it & more' } },
  { about, question: 'unpark', payload: {} },
  { about, question: 'unpark', payload: { reason: 'done' } },
  {
    about: { kind: 'topologybinding', namespace: '', name: 'racks' },
    question: 'why',
    payload: {},
  },
  { about, question: 'lend', payload: { who: 'ä & b', pages: 3, isHasty: false } },
];
const more = ['lend'];

const problemOf = (url: string, method = 'GET', given: object = headers) => {
  const read = readQuestion({ url, method, headers: { ...given } }, more);
  if (read.ok) throw new Error(`${url} is a question`);
  const { status, answer } = read.reply;
  return [status, answer.ok ? '' : answer.message];
};

describe('A question', () => {
  it.each(asks)('is read as it was written: $question of $about.name', (ask) => {
    const request = { method: methodOf(ask), url: pathOf(ask), headers };
    expect(readQuestion(request, more)).toEqual({ ok: true, value: { ask, token } });
  });

  it('that was handed on says so', () => {
    const marked = { ...headers, [handedOnHeader]: 'true' };
    const url = '/why?kind=podclique&namespace=a&name=b';
    const read = readQuestion({ method: 'GET', url, headers: marked }, []);
    expect(read).toMatchObject({ ok: true, value: { ask: { handedOn: true } } });
  });

  const key = 'kind=podclique&namespace=default&name=one';
  it.each([
    [
      '/nothing',
      404,
      'nothing at /nothing; there is /state /why /history /trace /park /unpark /lend',
    ],
    [
      '//',
      404,
      'nothing at this address; there is /state /why /history /trace /park /unpark /lend',
    ],
    ['/why?kind=pod&namespace=default&name=one', 400, '"pod" is no kind of actor'],
    ['/why?kind=podclique&name=one', 400, 'namespace is missing'],
    ['/why?kind=podclique&namespace=default', 400, 'name is missing'],
    [`/why?${key}&name=two`, 400, 'name is given twice'],
    [`/why?${key}&reason=x`, 400, 'no parameter "reason"; there is kind, namespace, name'],
    [
      `/history?${key}&id=x`,
      400,
      'no parameter "id"; there is kind, namespace, name, limit, before, stream',
    ],
    [`/trace?${key}&id=x&id=y`, 400, 'id is given twice'],
    [`/why?${key}${'x'.repeat(254)}`, 400, 'names have at most 253 characters'],
    [
      '/why?kind=topologybinding&namespace=default&name=one',
      400,
      'a topologybinding has no namespace',
    ],
    [`/park?${key}`, 405, 'GET is not allowed here, only POST'],
    [`/lend?${key}`, 405, 'GET is not allowed here, only POST'],
    [`/lend?${key}&payload=[]`, 400, 'payload is not a JSON object'],
    [
      `/lend?${key}&reason=x`,
      400,
      'no parameter "reason"; there is kind, namespace, name, payload',
    ],
  ])('%s is refused', (url, status, message) => {
    expect(problemOf(url)).toEqual([status, message]);
  });

  it.each([{}, { authorization: 'Basic YTpi' }, { authorization: 'Bearer a b' }])(
    'without a bearer token is refused: %j',
    (given) => {
      expect(problemOf(`/why?${key}`, 'GET', given)).toEqual([401, 'a bearer token is needed']);
    },
  );
});
