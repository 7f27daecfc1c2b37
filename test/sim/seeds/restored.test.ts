// Days at whose end the API server is restored from a backup of that day: whoever read what is lost
// ends, and those who start anew come to the expected end.
import { passSeeds, range } from './pass-seeds.ts';

passSeeds(range(1, 12), 'restored');
