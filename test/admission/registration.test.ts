// What the API server is told of our webhooks: they hold up nothing that is not ours, and that not
// for long.
import { describe, expect, it } from 'vitest';
import { at, list, object, text } from '#machines/kubernetes/json.ts';
import { webhookConfigurations } from '#src/admission/registration.ts';
import { enabledWebhooks } from '#src/admission/webhooks.ts';

const told = webhookConfigurations({
  webhooks: enabledWebhooks(true),
  clientConfig: (path) => ({ url: `https://127.0.0.1${path}` }),
  trusted: ['system:serviceaccount:coppice-system:coppice'],
}).flatMap((configuration) => list(at(configuration, 'webhooks')));

const groupsOf = (webhook: unknown): readonly string[] =>
  list(at(webhook, 'rules')).flatMap((rule) => list(at(rule, 'apiGroups')).map(text));

describe('Our webhooks', () => {
  it('give up after five seconds at most, have no side effects, and hear of our objects alone (S-12)', () => {
    expect(told.length).toBeGreaterThan(3);
    for (const webhook of told) {
      expect(at(webhook, 'timeoutSeconds')).toBeLessThanOrEqual(5);
      expect(at(webhook, 'sideEffects')).toBe('None');
      expect(groupsOf(webhook)).not.toContain('*');
      const isOfOurGroups = groupsOf(webhook).every((group) => /(?:^|\.)grove\.io$/.test(group));
      const labels = object(at(webhook, 'objectSelector', 'matchLabels'));
      // The authorizer hears of others' kinds too, where they carry our label.
      expect(isOfOurGroups || Object.keys(labels).length > 0).toBe(true);
    }
  });
});
