// The command line: every flag with its default, and a useful sentence for whatever is wrong.
import { describe, expect, test } from 'vitest';
import fc from 'fast-check';
import { help } from '#src/cli/help.ts';
import { parse } from '#src/cli/parse.ts';

const message = (...argv: string[]): string => {
  const parsed = parse(argv);
  return parsed.ok ? 'ok' : parsed.message;
};

describe('parse', () => {
  test('dev without flags has the documented defaults', () => {
    expect(parse(['dev'])).toEqual({
      ok: true,
      invocation: {
        command: 'dev',
        flags: {
          apply: [],
          'exit-when-ready': false,
          'ready-timeout': 120,
          nodes: 4,
          data: '.coppice',
          'no-nats': false,
          config: undefined,
          'api-port': 6550,
          'nats-port': 4222,
          'http-port': 2751,
          'inspector-port': 2755,
          'activator-port': 8012,
        },
      },
    });
  });

  test('flags take values in both spellings and may repeat where they are lists', () => {
    const parsed = parse([
      'dev',
      '--apply=a.yaml',
      '--apply',
      'b.yaml',
      '--nodes',
      '12',
      '--no-nats',
    ]);
    expect(parsed.ok && parsed.invocation.flags).toMatchObject({
      apply: ['a.yaml', 'b.yaml'],
      nodes: 12,
      'no-nats': true,
    });
  });

  test('an unknown command or flag is answered with the nearest known one', () => {
    expect(message('controler')).toContain('did you mean "controller"?');
    expect(message('dev', '--node', '3')).toContain('did you mean "nodes"?');
    expect(message('dev', '--zzzzzz')).toContain('known: apply');
  });

  test('a wrong value names the flag, the value and what would be right', () => {
    expect(message('dev', '--nodes', 'many')).toBe(
      '--nodes: must be a whole number >= 0, but is "many"',
    );
    expect(message('dev', '--nodes', '-1')).toContain('--nodes: ');
    expect(message('dev', '--config')).toBe('--config: needs a value: FILE');
    expect(message('dev', '--no-nats=yes')).toContain('takes no value');
    expect(message('dev', 'thing')).toBe('coppice dev takes no argument "thing"');
  });

  test('any argv at all yields an answer and never a throw', () => {
    fc.assert(
      fc.property(
        fc.array(fc.oneof(fc.string(), fc.constantFrom('dev', '--apply', '--', '--nodes=')), {
          maxLength: 6,
        }),
        (argv) => {
          const parsed = parse(argv);
          expect(parsed.ok || parsed.message.length > 0).toBe(true);
        },
      ),
    );
  });
});

test('help names every command and flag', () => {
  expect(help()).toContain('coppice dev');
  expect(help()).toContain('--exit-when-ready');
});
