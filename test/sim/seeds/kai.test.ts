// Bad days of sets for the KAI scheduler: its PodGroups are damaged and deleted, its CRD comes and
// goes, and in the end each gang has its PodGroup and no pod is held.
import { passSeeds, range } from './pass-seeds.ts';

passSeeds(range(1, 6), 'kai');
