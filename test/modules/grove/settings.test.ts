// The part of the configuration that Grove's behaviours depend on, and the kinds that are watched.
import { describe, expect, it } from 'vitest';
import { defaultConfiguration } from '#src/config/decode.ts';
import { groveSettings, initImage, watchedKinds } from '#src/modules/grove/settings.ts';

describe('the image of the init container', () => {
  it.each([
    [undefined, 'coppice:1.2.3'],
    ['', 'coppice:1.2.3'],
    ['example.org/grove-initc', 'example.org/grove-initc:1.2.3'],
    ['example.org:5000/initc', 'example.org:5000/initc:1.2.3'],
    ['example.org:5000/initc:7', 'example.org:5000/initc:7'],
    ['initc@sha256:ab', 'initc@sha256:ab'],
  ])('named %j is %j', (given, image) => {
    expect(initImage(given, '1.2.3')).toBe(image);
  });
});

describe('Secrets', () => {
  it('are never watched', () => {
    expect(watchedKinds(defaultConfiguration, [])).toContain('ServiceAccount');
    expect(watchedKinds(defaultConfiguration, [])).not.toContain('Secret');
  });

  it('are read in the namespaces of `tokenSecrets.readNamespaces`', () => {
    const tokenSecrets = { onlyForStartOrder: true, readNamespaces: ['a'] };
    const settings = groveSettings({ ...defaultConfiguration, tokenSecrets }, '1');
    expect(settings).toMatchObject({ sparesTokens: true, readsSecretsIn: ['a'] });
    expect(groveSettings(defaultConfiguration, '1').readsSecretsIn).toEqual([]);
  });
});
