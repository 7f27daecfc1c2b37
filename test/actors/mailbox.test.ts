// The mailbox: order, coalescing by object, the bound on messages.
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { noCause } from '#actors/causality.ts';
import { Mailbox } from '#actors/mailbox.ts';
import type { Mail } from '#actors/mailbox.ts';

const seen = (text: string) => [{ type: 'seen', text }];
const gone = [{ type: 'gone' }];
const letter = (type: 'message' | 'signal', name: string) => ({
  type,
  event: { type: name },
  cause: noCause,
});

function empty(box: Mailbox): string[] {
  const taken: string[] = [];
  for (let mail = box.take(); mail !== undefined; mail = box.take()) taken.push(textOf(mail));
  return taken;
}

const textOf = (mail: Mail): string =>
  mail.type === 'news'
    ? `${mail.object} ${mail.events.map((event) => ('text' in event ? String(event.text) : event.type)).join()}`
    : mail.event.type;

describe('A mailbox', () => {
  it('keeps the order of arrival', () => {
    const box = new Mailbox(10);
    box.post(letter('message', 'one'));
    box.news('pod', seen('1'), false, noCause);
    box.post(letter('signal', 'two'));
    expect(empty(box)).toEqual(['one', 'pod 1', 'two']);
  });

  it('keeps only the newest news of an object, in the place of the oldest', () => {
    const box = new Mailbox(10);
    box.news('pod', seen('1'), false, noCause);
    box.post(letter('signal', 'done'));
    box.news('pod', seen('2'), false, noCause);
    expect(box.length).toBe(2);
    expect(empty(box)).toEqual(['pod 2', 'done']);
  });

  it('never loses a deletion to what comes after it', () => {
    const box = new Mailbox(10);
    box.news('pod', seen('1'), false, noCause);
    box.news('pod', gone, true, noCause);
    box.news('pod', seen('2'), false, noCause);
    box.news('pod', seen('3'), false, noCause);
    expect(empty(box)).toEqual(['pod gone', 'pod 3']);
  });

  it('refuses and counts messages beyond its bound, and nothing else', () => {
    const box = new Mailbox(2);
    expect(box.post(letter('message', '1'))).toBe(true);
    expect(box.post(letter('message', '2'))).toBe(true);
    expect(box.post(letter('message', '3'))).toBe(false);
    expect(box.post(letter('signal', 'done'))).toBe(true);
    box.news('pod', seen('1'), false, noCause);
    expect(box.dropped).toBe(1);
    expect(empty(box)).toEqual(['1', '2', 'done', 'pod 1']);
    expect(box.post(letter('message', '4'))).toBe(true);
  });

  it('gives its messages back when it is cleared', () => {
    const box = new Mailbox(5);
    box.news('pod', seen('1'), false, noCause);
    box.post(letter('message', 'm'));
    box.post(letter('signal', 's'));
    expect(box.clear().map(({ event }) => event.type)).toEqual(['m']);
    expect(box.length).toBe(0);
  });

  it('ends every object in the state that it was last told of, in any mix of news and takes', () => {
    const step = fc.oneof(
      fc.record({ object: fc.constantFrom('a', 'b'), gone: fc.boolean() }),
      fc.constant('take' as const),
    );
    fc.assert(
      fc.property(fc.array(step, { maxLength: 60 }), (steps) => {
        const box = new Mailbox(10);
        const told = new Map<string, string>();
        const known = new Map<string, string>();
        const deletions = { told: 0, known: 0 };
        const take = (): boolean => {
          const mail = box.take();
          if (mail?.type !== 'news') return false;
          known.set(mail.object, textOf(mail));
          if (mail.gone) deletions.known++;
          return true;
        };
        steps.forEach((each, at) => {
          if (each === 'take') return void take();
          const wasGone = told.get(each.object)?.endsWith('gone') === true;
          if (each.gone && !wasGone) deletions.told++;
          if (each.gone && wasGone) return;
          const events = each.gone ? gone : seen(String(at));
          box.news(each.object, events, each.gone, noCause);
          told.set(each.object, `${each.object} ${each.gone ? 'gone' : String(at)}`);
        });
        while (take());
        expect(known).toEqual(told);
        expect(deletions.known).toBe(deletions.told);
      }),
    );
  });
});
