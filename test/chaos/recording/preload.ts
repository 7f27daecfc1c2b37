// Preloaded into a controller (`node --import`) with `?tape=FILE`: whatever it asks of the API
// server and is shown by it is recorded, and over IPC it tells how much memory it uses when all
// garbage is gone. The product's own modules run, from the sources; only its HTTP transport is
// looked over the shoulder.
import { registerHooks } from 'node:module';
import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';
import { LeaseKeeper } from '#actors/shards/lease/keeper.ts';
import { steadyNow } from './records.ts';
import { openTape, record } from './tape.ts';

openTape(new URL(import.meta.url).searchParams.get('tape') ?? '');

const http = new URL('../../../src/kube/transport/http.ts', import.meta.url).href;
const recorded = new URL('./http.ts', import.meta.url).href;

registerHooks({
  resolve: (specifier, context, next) => {
    const found = next(specifier, context);
    const isOther = found.url !== http || context.parentURL === recorded;
    return isOther ? found : { ...found, url: recorded };
  },
});

// Who loses shards forgets what its actors knew.
const { start } = LeaseKeeper.prototype;
LeaseKeeper.prototype.start = function begin(this: LeaseKeeper): void {
  this.onChange((_, held) => {
    if (!held) record({ is: 'lost', t: steadyNow() });
  });
  start.call(this);
};

setFlagsFromString('--expose-gc');
const collect = runInNewContext('gc') as () => void;

process.on('message', () => {
  collect();
  collect();
  const { rss, heapUsed } = process.memoryUsage();
  process.send?.({ rss, heapUsed });
});
process.channel?.unref();
