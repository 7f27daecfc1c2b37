// What the configuration may say of the inspector: plain HTTP stays on the machine.
import { describe, expect, it } from 'vitest';
import { decodeText, defaultConfiguration } from '#src/config/decode.ts';

const header = 'apiVersion: coppice.dev/v1alpha1\nkind: CoppiceConfiguration\n';

const problemsOf = (text: string): readonly string[] => {
  const result = decodeText(header + text);
  return result.ok ? [] : result.problems.map(({ path, message }) => `${path} ${message}`);
};

describe('The configuration of the inspector', () => {
  it('has it off, and on loopback', () => {
    expect(defaultConfiguration.inspector).toMatchObject({
      enabled: false,
      bindAddress: '127.0.0.1',
      port: 2755,
    });
  });

  it.each(['127.0.0.1', '127.1.2.3', '::1', 'localhost'])('takes %s', (address) => {
    expect(problemsOf(`inspector: {enabled: true, bindAddress: "${address}"}`)).toEqual([]);
  });

  it.each(['0.0.0.0', '::', '10.0.0.7', 'localhost.example', '127.0.0.1.example'])(
    'refuses %s, and says what serves it to others',
    (address) => {
      const right = 'as tokens would travel in plain text: it must be a loopback address such as';
      expect(problemsOf(`inspector: {enabled: true, bindAddress: "${address}"}`)).toEqual([
        `inspector.bindAddress "${address}" is wrong, ${right} 127.0.0.1; ` +
          'with questions.enabled, questions.port serves the inspector over TLS to others',
      ]);
      const both = `questions: {enabled: true}\ninspector: {enabled: true, bindAddress: "${address}"}`;
      expect(problemsOf(both)).toEqual([
        `inspector.bindAddress "${address}" is wrong, ${right} 127.0.0.1; ` +
          'questions.port 2754 serves the inspector over TLS to others',
      ]);
      expect(problemsOf(`inspector: {bindAddress: "${address}"}`)).toEqual([]);
    },
  );

  it('refuses a port that another server has', () => {
    expect(problemsOf('inspector: {enabled: true, port: 2751}')).toEqual([
      'inspector.port is 2751, as server.healthPort is; it must be another',
    ]);
    expect(
      problemsOf('profiling: {enabled: true}\ninspector: {enabled: true, port: 2753}'),
    ).toEqual(['inspector.port is 2753, as profiling.port is; it must be another']);
  });
});
