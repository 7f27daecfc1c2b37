// What the configuration may say of questions over HTTPS, and where the address comes from.
import { describe, expect, it } from 'vitest';
import { decodeText, defaultConfiguration } from '#src/config/decode.ts';
import { questionsHost } from '#src/config/questions.ts';

const header = 'apiVersion: coppice.dev/v1alpha1\nkind: CoppiceConfiguration\n';

const problemsOf = (text: string): readonly string[] => {
  const result = decodeText(header + text);
  return result.ok ? [] : result.problems.map(({ path, message }) => `${path} ${message}`);
};

describe('The configuration of questions', () => {
  it('refuses a port and a Secret that another server has', () => {
    expect(problemsOf('questions: {enabled: true, port: 2751}')).toEqual([
      'questions.port is 2751, as server.healthPort is; it must be another',
    ]);
    const on = 'admission: {enabled: true}\nquestions: {enabled: true, ';
    expect(problemsOf(`${on}port: 2750}`)).toEqual([
      'questions.port is 2750, as admission.port is; it must be another',
    ]);
    expect(problemsOf(`${on}secretName: grove-webhook-server-cert}`)).toEqual([
      'questions.secretName is "grove-webhook-server-cert", as ' +
        'admission.certificates.secretName is; it must be another',
    ]);
    expect(problemsOf('questions: {port: 2751}')).toEqual([]);
  });

  it.each(['10.0.0.7', 'fd00::7', 'coppice-0.coppice.svc'])('takes the host %s', (host) => {
    expect(problemsOf(`questions: {host: "${host}"}`)).toEqual([]);
  });

  it.each(['https://10.0.0.7', '10.0.0.7:2754', 'a/b', 'a@b', '-a'])('refuses %s', (host) => {
    const problem = `questions.host "${host}" is wrong, it must be an IP address or a DNS name`;
    expect(problemsOf(`questions: {host: "${host}"}`)).toEqual([problem]);
  });

  it('takes the host from the surroundings, where it names none', () => {
    const hostOf = (host: string | undefined, surroundings: string | undefined, enabled = true) => {
      const questions = { ...defaultConfiguration.questions, enabled, host };
      const configuration = { ...defaultConfiguration, questions };
      return questionsHost(
        configuration,
        { COPPICE_POD_IP: surroundings },
        (why) => new Error(why),
      );
    };
    expect(hostOf(undefined, undefined)).toBeUndefined();
    expect(hostOf(undefined, '')).toBeUndefined();
    expect(hostOf(undefined, '10.0.0.7')).toBe('10.0.0.7');
    expect(hostOf('a.b', '10.0.0.7')).toBe('a.b');
    expect(hostOf(undefined, '10.0.0.7:1', false)).toBeUndefined();
    expect(() => hostOf(undefined, '10.0.0.7:1')).toThrow('"10.0.0.7:1" is wrong, it must be');
  });
});
