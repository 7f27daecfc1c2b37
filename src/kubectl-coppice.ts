#!/usr/bin/env node
// The plugin of kubectl, a program of its own: `kubectl coppice why pcs demo`. kubectl finds it on
// PATH by its name. All that it does is in src/plugin/.
import manifest from '../package.json' with { type: 'json' };
import { stopSignal, stopWhenUnread } from './cli/signals.ts';
import { runPlugin } from './plugin/run.ts';

const stopping = new AbortController();
stopWhenUnread();
void stopSignal().then(() => stopping.abort());
void runPlugin({
  argv: process.argv.slice(2),
  streams: { out: process.stdout, error: process.stderr, environment: process.env },
  version: manifest.version,
  signal: stopping.signal,
}).then((code) => {
  process.exitCode = code;
});
