// Questions over HTTPS, where `questions.enabled`: what they need is loaded then and not before, as
// with the webhooks. Made by the composition root (src/controller/start.ts).
import type { Questions, QuestionsOptions } from './start.ts';

/** Undefined where the configuration does not want it. */
export function processQuestions(options: QuestionsOptions): Questions | undefined {
  if (!options.configuration.questions.enabled) return undefined;
  let loaded: Questions | undefined;
  const loading = import('./start.ts').then(
    ({ startQuestions }) => (loaded = startQuestions(options)),
  );
  return {
    address: () => loaded?.address(),
    servedUntil: () => loaded?.servedUntil(),
    peer: async (call) => (await loading).peer(call),
    stop: async () => (await loading).stop(),
  };
}
