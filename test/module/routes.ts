// Step 3: who hears of which object, in which tree, and what others may read of it. A job belongs
// to the printer that its spec names, and moves when that changes.
import type { ActorKey } from '#machines/contract/address.ts';
import { route } from '#machines/contract/route.ts';
import type { Delivery, Route } from '#machines/contract/route.ts';
import { entry, keyIn, single } from '#machines/contract/view.ts';
import { readJob, readPaper, readPrinter, readTray } from './facts.ts';
import type { JobFact, PaperFact, PrinterFact, TrayFact } from './facts.ts';

const printerKey = (namespace: string, name: string): ActorKey => ({
  kind: 'printer',
  namespace,
  name,
});

type Event = Delivery['event'] & { readonly [field: string]: unknown };

/** The paper of a printer, by its key: for the jobs that it prints. */
export const printerPaper = single<string>({
  name: 'printerPaper',
  event: (_, paper = '') => ({ type: 'paper.read', paper }),
  say: (paper) => paper,
});

/** The size of a paper, by its name: for whoever prints on it, in any tree. */
export const paperSize = single<string>({
  name: 'paperSize',
  event: (_, size = '') => ({ type: 'size.read', size }),
  say: (size) => size,
});

const toPrinter = (namespace: string, name: string, event: Event) => {
  const key = printerKey(namespace, name);
  return [{ to: key, root: key, event }];
};

const toJob = ({ namespace, name, printer }: JobFact, event: Event) => [
  {
    to: { kind: 'job', namespace, name } as const,
    root: printerKey(namespace, printer),
    event,
  },
];

const ofOwner = ({ namespace, owner }: TrayFact, event: Event) =>
  owner?.kind === 'Printer' ? toPrinter(namespace, owner.name, event) : [];

export const printRoutes: readonly Route[] = [
  route<PrinterFact>('Printer', {
    decode: readPrinter,
    seen: (fact) => toPrinter(fact.namespace, fact.name, { type: 'printer.observed', fact }),
    gone: ({ namespace, name, uid }) => toPrinter(namespace, name, { type: 'printer.gone', uid }),
    shown: (fact) => [entry(printerPaper, keyIn(fact, fact.name), fact.paper)],
  }),
  route<TrayFact>('Tray', {
    decode: readTray,
    seen: (fact) => ofOwner(fact, { type: 'tray.observed', fact }),
    gone: (fact) => ofOwner(fact, { type: 'tray.gone', name: fact.name }),
  }),
  route<JobFact>('Job', {
    decode: readJob,
    seen: (fact) => [
      ...toJob(fact, { type: 'job.observed', fact }),
      ...toPrinter(fact.namespace, fact.printer, { type: 'job.listed', name: fact.name }),
    ],
    gone: (fact) => [
      ...toJob(fact, { type: 'job.gone', uid: fact.uid }),
      ...toPrinter(fact.namespace, fact.printer, { type: 'job.left', name: fact.name }),
    ],
  }),
  route<PaperFact>('Paper', {
    decode: readPaper,
    seen: () => [],
    gone: () => [],
    shown: ({ name, size }) => [entry(paperSize, name, size)],
  }),
];
