// The mailbox: order, and coalescing by object.
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { noCause } from '#actors/mail/causality.ts';
import { Mailbox } from '#actors/mail/mailbox.ts';
import type { Mail } from '#actors/mail/mailbox.ts';

const seen = (text: string) => [{ type: 'seen', text }];
const gone = [{ type: 'gone' }];

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
    const box = new Mailbox();
    box.signal({ type: 'one' }, noCause);
    box.news('pod', seen('1'), false, noCause);
    box.signal({ type: 'two' }, noCause);
    expect(empty(box)).toEqual(['one', 'pod 1', 'two']);
  });

  it('keeps only the newest news of an object, in the place of the oldest', () => {
    const box = new Mailbox();
    box.news('pod', seen('1'), false, noCause);
    box.signal({ type: 'done' }, noCause);
    box.news('pod', seen('2'), false, noCause);
    expect(box.length).toBe(2);
    expect(empty(box)).toEqual(['pod 2', 'done']);
  });

  it('keeps the edit as the cause of news that an echo replaces', () => {
    const box = new Mailbox();
    box.news('set', seen('1'), false, { id: 'edit', trace: 'edit', isEdit: true });
    box.news('set', seen('2'), false, { id: 'echo', trace: 'before' });
    expect(box.take()).toMatchObject({ cause: { id: 'edit' }, events: seen('2') });
  });

  it('never loses a deletion to what comes after it', () => {
    const box = new Mailbox();
    box.news('pod', seen('1'), false, noCause);
    box.news('pod', gone, true, noCause);
    box.news('pod', seen('2'), false, noCause);
    box.news('pod', seen('3'), false, noCause);
    expect(empty(box)).toEqual(['pod gone', 'pod 3']);
  });

  it('is empty when it is cleared, and takes mail again', () => {
    const box = new Mailbox();
    box.news('pod', seen('1'), false, noCause);
    box.signal({ type: 's' }, noCause);
    box.clear();
    expect(box.length).toBe(0);
    box.news('pod', seen('2'), false, noCause);
    expect(empty(box)).toEqual(['pod 2']);
  });

  it('ends every object in the state that it was last told of, in any mix of news and takes', () => {
    const step = fc.oneof(
      fc.record({ object: fc.constantFrom('a', 'b'), gone: fc.boolean() }),
      fc.constant('take' as const),
    );
    fc.assert(
      fc.property(fc.array(step, { maxLength: 60 }), (steps) => {
        const box = new Mailbox();
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
