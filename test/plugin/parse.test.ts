// The command line of the plugin: defaults, words, kinds by any of their names, and a sentence for
// whatever is wrong.
import { readFileSync, readdirSync } from 'node:fs';
import { describe, expect, test } from 'vitest';
import fc from 'fast-check';
import { parse as parseYaml } from 'yaml';
import { apiKind, type Kind } from '#machines/kinds.ts';
import { at, list, text } from '#machines/kubernetes/json.ts';
import { modules } from '#machines/index.ts';
import { crdFolder } from '#src/modules/crds.ts';
import { pluginCommands } from '#src/plugin/commands.ts';
import { timeoutIn } from '#src/plugin/format.ts';
import { pluginHelp } from '#src/plugin/help.ts';
import { keyIn, kindNamed, namesOf, shownKinds, wantedIn } from '#src/plugin/kinds.ts';
import { completionScript } from '#src/plugin/completion/scripts.ts';
import { parsePlugin } from '#src/plugin/parse.ts';

const message = (...argv: string[]): string => {
  const parsed = parsePlugin(argv);
  return parsed.ok ? 'ok' : parsed.message;
};

describe('The command line of the plugin', () => {
  test('has defaults, short flags and words', () => {
    expect(parsePlugin(['why', 'pcs', 'demo', '-n', 'here', '-o=json'])).toMatchObject({
      ok: true,
      invocation: {
        command: 'why',
        words: ['pcs', 'demo'],
        flags: { namespace: 'here', timeout: '30s', color: 'auto', server: undefined },
      },
    });
  });

  test('names what is wrong and what would be right', () => {
    expect(message('park')).toBe('kubectl coppice park needs KIND NAME');
    expect(message('get', 'pcs', 'demo', 'more')).toBe(
      'kubectl coppice get takes [KIND [NAME]], and no argument "more"',
    );
    expect(message('check', 'pcs')).toBe('kubectl coppice check takes no argument "pcs"');
    expect(message('why', 'pcs', 'demo', '--namespce', 'x')).toContain('did you mean "namespace"?');
    expect(message('get', '--color', 'red')).toBe(
      '--color: must be one of auto, always, never, but is "red"',
    );
    expect(message('inspect', '--port', 'x')).toContain('--port: must be a whole number');
    expect(message('tre')).toContain('did you mean "tree"?');
  });

  test('has help for all commands and for each', () => {
    for (const [name, { flags }] of Object.entries(pluginCommands)) {
      expect(pluginHelp()).toContain(`kubectl coppice ${name}`);
      for (const flag of Object.keys(flags)) expect(pluginHelp(name)).toContain(`--${flag}`);
    }
    expect(parsePlugin(['why', '--help'])).toMatchObject({ invocation: { command: 'help' } });
    expect(message()).toBe('ok');
  });

  test('takes no word for a command that every object knows', () => {
    expect(parsePlugin(['valueOf'])).toMatchObject({ ok: false });
    expect(() => completionScript('valueOf')).toThrow('is no shell of ours');
  });

  test('takes anything without throwing', () => {
    fc.assert(
      fc.property(fc.array(fc.string()), (argv) => {
        parsePlugin(argv);
      }),
    );
  });
});

describe('A timeout', () => {
  test.each([
    ['30s', 30_000],
    ['2m', 120_000],
    ['90', 90_000],
    ['1h30m', 5_400_000],
    ['0', 0],
  ])('%s', (said, ms) => {
    expect(timeoutIn(said)).toBe(ms);
  });

  test.each(['soon', '-1s', '', '9999h'])('%s is refused', (said) => {
    expect(() => timeoutIn(said)).toThrow('30s or 2m would be right');
  });
});

interface Names {
  readonly kind: string;
  readonly names: readonly string[];
}

const crds: readonly Names[] = modules.flatMap(({ name }) =>
  readdirSync(crdFolder(name))
    .filter((file) => file.endsWith('.yaml'))
    .map((file) => {
      const names = at(parseYaml(readFileSync(crdFolder(name) + file, 'utf8')), 'spec', 'names');
      const shorts = list(at(names, 'shortNames')).map(text);
      return {
        kind: text(at(names, 'kind')),
        names: [...shorts, text(at(names, 'plural')), text(at(names, 'singular'))],
      };
    }),
);

describe('A kind', () => {
  test.each(crds)('$kind is found by each name of its CRD', ({ kind, names }) => {
    for (const name of [kind, ...names]) expect(apiKind(kindNamed(name))).toBe(kind);
  });

  test('is found by one name alone', () => {
    const all = shownKinds().flatMap((kind: Kind) => namesOf(kind));
    expect(new Set(all).size).toBe(all.length);
  });

  test('may have its group behind it, and capitals', () => {
    expect(kindNamed('podcliquesets.grove.io')).toBe('PodCliqueSet');
    expect(kindNamed('SandboxClaim')).toBe('SandboxClaim');
    expect(kindNamed('sc')).toBe('SandboxClaim');
    expect(kindNamed('scalinggroup')).toBe('PodCliqueScalingGroup');
    expect(kindNamed('domainnode')).toBe('DomainNode');
  });

  test('that is none is answered with those that are', () => {
    expect(() => kindNamed('podcliqueset2')).toThrow('did you mean "podcliqueset"?');
    expect(() => kindNamed('pods')).toThrow('a pod has no actor: ask about its podclique');
  });

  test('and a name are two words or one', () => {
    expect(wantedIn([])).toEqual({});
    expect(wantedIn(['pcs'])).toEqual({ kind: 'PodCliqueSet' });
    expect(wantedIn(['pcs/demo'])).toEqual({ kind: 'PodCliqueSet', name: 'demo' });
    expect(keyIn(['pclq', 'demo-0-w'], 'here')).toEqual({
      kind: 'podclique',
      namespace: 'here',
      name: 'demo-0-w',
    });
    expect(keyIn(['ct', 'racks'], 'here').namespace).toBe('');
    expect(() => keyIn(['pcs'], 'here')).toThrow('a name is missing');
    expect(() => wantedIn(['pcs/a', 'b'])).toThrow('KIND NAME or KIND/NAME would be right');
    expect(() => wantedIn(['pcs/'])).toThrow('has no name behind the slash');
  });
});
