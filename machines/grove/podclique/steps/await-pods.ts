// What the pods that are there wait for. Pods that wait for the same are one sentence, and those in
// trouble come first.
import type { Step } from '../context.ts';
import { explainPods } from '../explain.ts';

export const awaitPods: Step = (context, clique, now) => ({
  intents: [],
  changes: {},
  waits: [{ say: () => explainPods(context, clique, now) }],
});
