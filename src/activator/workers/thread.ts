// The first file of a worker's thread (pool.ts starts it).
import { parentPort, workerData } from 'node:worker_threads';
import type { WorkerSetup } from './messages.ts';
import { serveAsWorker } from './worker.ts';

if (parentPort === null) throw new Error('this is a thread of `coppice activator`');
const setup: WorkerSetup = workerData;
await serveAsWorker(parentPort, setup);
