// What a simulated user does on a bad day, one of these at a time. Drawn from by user.ts.
import type { User } from './user.ts';

type Edit = (user: User) => Promise<void>;

/** Repeated entries are more likely. */
export const edits: readonly Edit[] = [
  (user) => user.scaleSet(),
  (user) => user.scaleSet(),
  (user) => user.scaleClique(),
  (user) => user.scaleClique(),
  (user) => user.touch(),
  (user) => user.deletePod(),
  (user) => user.deletePod(),
  (user) => user.holdPod(),
  (user) => user.failPod(),
  (user) => user.failPod(),
  (user) => user.takeName(),
  (user) => user.sicken(),
  (user) => user.mark(),
  (user) => user.mark(),
  (user) => user.judge(),
  (user) => user.damage(),
  (user) => user.damage(),
  (user) => user.deploySome(),
  (user) => user.deleteSet(),
  (user) => user.replaceSet(),
];
