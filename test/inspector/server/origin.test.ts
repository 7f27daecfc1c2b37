// By which names the inspector is reached, and from pages of which origins.
import { describe, expect, it } from 'vitest';
import { foreign } from '#src/inspector/server/origin.ts';

const plain = { isSecure: false, hosts: ['inspector.example'], byAddress: false };
const secure = { ...plain, isSecure: true, byAddress: true };

describe('A request', () => {
  it.each([
    ['localhost:2755', plain],
    ['LOCALHOST', plain],
    ['127.0.0.1:2755', plain],
    ['[::1]:2755', plain],
    ['inspector.example', plain],
    ['10.0.0.7:2754', secure],
    ['[fd00::7]:2754', secure],
    ['inspector.example:443', secure],
  ] as const)('to %s is ours', (host, entrance) => {
    expect(foreign({ ...entrance, headers: { host } })).toBeUndefined();
  });

  it.each([
    ['10.0.0.7', plain],
    ['[fd00::7]', plain],
    ['example', plain],
    ['', secure],
    [undefined, secure],
    ['10.0.0.7.example', secure],
    ['localhost.example', secure],
    ['inspector.example.evil', secure],
    ['inspector.example:x', secure],
  ] as const)('to %s is not', (host, entrance) => {
    const headers = host === undefined ? {} : { host };
    expect(foreign({ ...entrance, headers })).toContain('is no name of this server');
  });

  it('from a page of ours is taken, also where a proxy speaks TLS for us', () => {
    const host = 'inspector.example';
    for (const origin of [`http://${host}`, `https://${host}`]) {
      expect(foreign({ ...plain, headers: { host, origin } })).toBeUndefined();
    }
    for (const origin of [`http://${host}`, `https://${host}:444`, 'null', '', 'https://evil']) {
      const why = 'may not use this server';
      expect(foreign({ ...secure, headers: { host, origin } })).toContain(why);
    }
  });
});
