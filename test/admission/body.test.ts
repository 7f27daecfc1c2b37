// The bounds of a review's body, each at the last that is taken and the first that is not, and how
// often a long one gives way to others.
import type { IncomingMessage } from 'node:http';
import { Readable } from 'node:stream';
import { describe, expect, it } from 'vitest';
import { Bodies, type Body } from '#src/admission/body.ts';
import { largeBodyBytes, maxBodyBytes, maxBodyDepth } from '#src/admission/limits.ts';

const kibibyte = 1024;

const sent = (text: string, piece = text.length): IncomingMessage => {
  const bytes = Buffer.from(text);
  const chunks = Array.from({ length: Math.ceil(bytes.length / piece) }, (_, index) =>
    bytes.subarray(index * piece, (index + 1) * piece),
  );
  return Readable.from(chunks, { objectMode: false }) as unknown as IncomingMessage;
};

/** Its clock goes on by more than a slice each time that it is asked. */
function turns(stepMs = 10) {
  const made = { count: 0, clock: 0 };
  return {
    made,
    now: () => (made.clock += stepMs),
    turn: async (): Promise<void> => void made.count++,
  };
}

/** A JSON text of so many bytes. */
const textOf = (bytes: number): string => `"${'x'.repeat(bytes - 2)}"`;
const nested = (depth: number): string => '['.repeat(depth) + ']'.repeat(depth);
const braces = (depth: number): string => '{"a":'.repeat(depth) + '1' + '}'.repeat(depth);

const read = (request: IncomingMessage): Promise<Body> => new Bodies(turns()).read(request);

describe('A body', () => {
  it.each([
    ['as large as may be', textOf(maxBodyBytes), 'read'],
    ['larger by a byte', textOf(maxBodyBytes + 1), 413],
    ['nested as deeply as may be', nested(maxBodyDepth), 'read'],
    ['nested deeper by one', nested(maxBodyDepth + 1), 400],
    ['with objects as deep as may be', braces(maxBodyDepth), 'read'],
    ['with objects deeper by one', braces(maxBodyDepth + 1), 400],
    ['with many lists beside each other', `[${'[],'.repeat(maxBodyDepth)}1]`, 'read'],
    ['with brackets in a text', JSON.stringify(nested(maxBodyDepth + 1)), 'read'],
    ['with brackets behind an escaped quote', JSON.stringify(`"${'['.repeat(200)}`), 'read'],
    ['with brackets behind an escaped slash', `["\\\\",${nested(maxBodyDepth)}]`, 400],
  ])('%s', async (_what, text, outcome) => {
    const body = await read(sent(text));
    expect(body.is === 'refused' ? body.status : body.is).toBe(outcome);
    if (body.is === 'read') expect(body.value).toEqual(JSON.parse(text));
  });

  it('is put together of pieces, also those that part a character', async () => {
    const text = JSON.stringify({ names: ['grün', '日本'] });
    expect(await read(sent(text, 3))).toEqual({ is: 'read', value: JSON.parse(text) });
  });

  it('that is no JSON has no value, and is for others to refuse', async () => {
    expect(await read(sent('{"a":'))).toEqual({ is: 'read', value: undefined });
  });

  it('whose client goes away is gone', async () => {
    const request = sent(textOf(100));
    request.destroy();
    expect(await read(request)).toEqual({ is: 'gone' });
  });

  it.each([
    [1, 64 * kibibyte],
    [2, 64 * kibibyte + 1],
    [2, 128 * kibibyte],
    [3, 128 * kibibyte + 1],
  ])('gives way %i times while %i bytes are looked at', async (count, bytes) => {
    const ours = turns();
    // Beside each other, and not one text: the end of that would be found at once.
    await new Bodies(ours).read(sent(`[${'1,'.repeat((bytes - 3) / 2)}${bytes % 2 ? '' : ' '}1]`));
    expect(ours.made.count).toBe(count);
  });

  it('is parsed at once below a size, and from there on after the one before', async () => {
    for (const [bytes, isAtOnce] of [
      [largeBodyBytes - 1, true],
      [largeBodyBytes, false],
    ] as const) {
      const ours = turns(0);
      let free = (): void => undefined;
      ours.turn = () =>
        new Promise<void>((resolve) => {
          free = resolve;
        });
      const bodies = new Bodies(ours);
      await bodies.read(sent(textOf(largeBodyBytes)));
      let isRead = false;
      const second = bodies.read(sent(textOf(bytes))).then(() => (isRead = true));
      for (let n = 0; n < 20; n++) await new Promise(setImmediate);
      expect(isRead).toBe(isAtOnce);
      free();
      await second;
    }
  });
});
