// Loaded before a controller: lets the test that started it take a snapshot of its heap, after a
// garbage collection and with whole texts.
import { setFlagsFromString, writeHeapSnapshot } from 'node:v8';

setFlagsFromString('--heap-snapshot-string-limit=1000000');

process.on('message', (message: { readonly ask: string; readonly file: string }) => {
  if (message.ask === 'heap') process.send?.({ file: writeHeapSnapshot(message.file) });
});
