// Bad days of sets with scaling groups: members, base and scaled PodGangs, group statuses and what
// scaling a group leaves behind are held to expected.ts as everything else.
import { passSeeds, range } from './pass-seeds.ts';

passSeeds(range(1, 8), 'groups');
