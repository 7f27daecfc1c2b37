// What the pods that are there wait for. Pods that wait for the same are one sentence, and those in
// trouble come first.
import { explainPods } from '../explain.ts';
import type { Step } from '../context.ts';

export const awaitPods: Step = (context, clique, now) => ({
  intents: [],
  changes: {},
  waits: [{ say: () => explainPods(context, clique, now) }],
});
