// Ids of facts as W3C Trace Context writes them. Ours are texts of any length: their hashes stand
// for them, so all facts of a trace have one trace id, and whoever knows an id of ours can compute
// its span. Used for the header `traceparent` of facts and by src/tracing/, so that both agree.
import { hash } from 'node:crypto';

export const traceIdOf = (trace: string): string => hash('sha256', trace).slice(0, 32);

export const spanIdOf = (id: string): string => hash('sha256', id).slice(0, 16);
