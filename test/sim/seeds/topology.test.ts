// Bad days on which the ClusterTopologyBinding that the sets name is made, changed and deleted:
// PodGangs and the sets' condition are held to what it says in the end.
import { passSeeds, range } from './pass-seeds.ts';

passSeeds(range(1, 6), 'topology');
