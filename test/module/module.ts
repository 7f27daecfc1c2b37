// Step 5: all of it as one module, and the row.
import { namesOf } from '#machines/contract/module.ts';
import type { Module } from '#machines/contract/module.ts';
import { addKinds } from '#machines/kinds.ts';
import { job } from './job.ts';
import { printActors, printConditions, printEvents, printKinds } from './kinds.ts';
import { printer } from './printer.ts';
import { paperSize, printerPaper, printRoutes } from './routes.ts';
import type { PrintInput } from './settings.ts';

// In the product a line in machines/kinds.ts.
addKinds(printKinds, printActors);

export const print: Module<PrintInput> = {
  name: 'print',
  kinds: namesOf(printKinds),
  behaviours: [printer, job],
  routes: printRoutes,
  views: [printerPaper, paperSize],
  events: printEvents,
  conditions: printConditions,
};
