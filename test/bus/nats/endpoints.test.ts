// What the micro service counts of each question, and how an error becomes a header.
import { describe, expect, it } from 'vitest';
import type { Answer } from '#actors/ports.ts';
import { statusOf } from '#bus/answers.ts';
import { Endpoints, headerText } from '#bus/nats/endpoints.ts';
import { commonQuestions } from '#machines/contract/question.ts';

const asked = (...names: readonly (keyof typeof commonQuestions)[]) =>
  new Map(names.map((name) => [name, commonQuestions[name]]));
const fine: Answer = { ok: true, data: {} };
const refused: Answer = { ok: false, code: 'NOT_FOUND', message: 'there is\nno such actor' };

describe('The endpoints of the micro service', () => {
  it('count requests, errors and their time by question, and the rest under ask', () => {
    const endpoints = new Endpoints();
    endpoints.serve(asked('why', 'state'));
    endpoints.answered('coppice.ask.podclique.default.a.why', fine, 3);
    endpoints.answered('coppice.ask.podclique.default.a.why', refused, 4);
    endpoints.answered('coppice.ask.podclique.default.a.nonsense', refused, 2);
    const queue_group = 'coppice';
    expect(endpoints.statistics).toEqual([
      {
        ...{ name: 'why', subject: 'coppice.ask.*.*.*.why', queue_group },
        ...{ num_requests: 2, num_errors: 1, last_error: '404:there is no such actor' },
        ...{ processing_time: 7_000_000, average_processing_time: 3_500_000 },
      },
      {
        ...{ name: 'state', subject: 'coppice.ask.*.*.*.state', queue_group },
        ...{ num_requests: 0, num_errors: 0, last_error: '' },
        ...{ processing_time: 0, average_processing_time: 0 },
      },
      {
        ...{ name: 'ask', subject: 'coppice.ask.>', queue_group },
        ...{ num_requests: 1, num_errors: 1, last_error: '404:there is no such actor' },
        ...{ processing_time: 2_000_000, average_processing_time: 2_000_000 },
      },
    ]);
  });

  it('go on counting where the same questions are served again', () => {
    const endpoints = new Endpoints();
    endpoints.serve(asked('why'));
    endpoints.answered('coppice.ask.podclique.default.a.why', fine, 1);
    endpoints.serve(asked('why', 'state'));
    expect(endpoints.statistics.map(({ name, num_requests }) => [name, num_requests])).toEqual([
      ['why', 1],
      ['state', 0],
      ['ask', 0],
    ]);
  });
});

describe('The text of an error header', () => {
  it.each([
    ['plain', 'plain'],
    ['two\r\nlines', 'two lines'],
    ['~ and !', '~ and !'],
    ['  around  ', 'around'],
    ['grün', 'gr n'],
    ['\x7f\x1f', 'error'],
    ['', 'error'],
    ['x'.repeat(512), 'x'.repeat(512)],
    ['x'.repeat(513), 'x'.repeat(512)],
  ])('of %j is %j', (text, expected) => {
    expect(headerText(text)).toBe(expected);
  });
});

it('Every error code has the number that HTTP gives it', () => {
  expect(statusOf).toEqual({
    CONFLICT: 409,
    ALREADY_EXISTS: 409,
    NOT_FOUND: 404,
    GONE: 410,
    THROTTLED: 429,
    SERVER_ERROR: 502,
    UNREACHABLE: 503,
    UNAUTHORIZED: 401,
    FORBIDDEN: 403,
    INVALID: 422,
    TOO_LARGE: 413,
    NOT_OWNER: 421,
    HISTORY_LOST: 503,
    STOPPING: 503,
    MALFORMED: 400,
    ASSERTION: 500,
  });
});
