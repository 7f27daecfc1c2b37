// Which of its versions a kind is addressed in when the server knows none of what was asked for.
import { afterEach, describe, expect, it } from 'vitest';
import { apiVersionOf, useVersion, versionsOf } from '#machines/kinds.ts';
import { tryAnother } from '#src/kube/watch/list.ts';
import { print } from '#test/module/module.ts';

const [newest, older = ''] = versionsOf('Printer');
const now = (): string => apiVersionOf('Printer');

describe('A kind of several versions', () => {
  afterEach(() => useVersion('Printer', newest));

  it('is a kind of the print shop', () => {
    expect(print.kinds).toContain('Printer');
    expect([newest, older]).toEqual(['print.example.dev/v2', 'print.example.dev/v1']);
  });

  it('is addressed in the next one, and in the best again when all were refused', () => {
    expect(tryAnother('Printer', newest, new Set([newest]))).toBe(true);
    expect(now()).toBe(older);
    expect(tryAnother('Printer', older, new Set([newest, older]))).toBe(false);
    expect(now()).toBe(newest);
  });

  it('is addressed in a better one that came, when the one in use goes', () => {
    useVersion('Printer', older);
    expect(tryAnother('Printer', older, new Set([older]))).toBe(true);
    expect(now()).toBe(newest);
  });

  it('stays in the one that another list has found meanwhile', () => {
    useVersion('Printer', older);
    expect(tryAnother('Printer', newest, new Set([newest]))).toBe(true);
    expect(now()).toBe(older);
  });

  it('has no other version than its row lists', () => {
    expect(() => useVersion('Printer', 'print.example.dev/v3')).toThrow('has no print.example');
  });
});

it('A kind of one version has no other one to try', () => {
  const [only] = versionsOf('Tray');
  expect(tryAnother('Tray', only, new Set([only]))).toBe(false);
  expect(apiVersionOf('Tray')).toBe(only);
});
