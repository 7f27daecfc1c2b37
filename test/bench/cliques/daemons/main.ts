// The process of simulated daemons: populations that are opened, let go and asked by the benchmark
// over IPC, one after the other. forked.ts starts it.
import { serve } from '../process/serve.ts';
import { OwnDaemons } from './own.ts';

const daemons = new OwnDaemons();

serve({
  open: daemons.open,
  go: daemons.go,
  finished: daemons.finished,
  report: daemons.report,
  close: daemons.close,
});
