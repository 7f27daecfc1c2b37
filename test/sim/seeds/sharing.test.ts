// Bad days of sets that share ResourceClaims at all levels: claims are deleted, relabelled and
// disowned, their templates come and go, and in the end all are there, as they should be, and none
// besides.
import { passSeeds, range } from './pass-seeds.ts';

// 8: somebody deletes the claim of a pod that is held on its way out.
// 17: a tree is taken over while the watch of its set is silent and those of its children speak.
passSeeds([...range(1, 6), 8, 17], 'sharing');
