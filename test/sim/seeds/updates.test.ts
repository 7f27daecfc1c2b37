// Bad days on which templates are edited, edited again and changed back while updates run, pause
// and change their strategy: nothing but what an edit is about is replaced, in turn and from no
// less than a minimum, and in the end every update is over. updates-long.test.ts goes on.
import { passSeeds, range, shortDays } from './pass-seeds.ts';

// 70: the deletion of the last old pod is refused for thirty seconds. 213: deletions wait for a
// Retry-After until there is no reason for them any more.
passSeeds([...range(1, shortDays), 70, 213], 'updates');
