// Step 3: who hears of which object, in which tree, and what others may read of it. A job belongs
// to the printer that its spec names, and moves when that changes.
import type { ActorKey } from '#machines/contract/address.ts';
import { route } from '#machines/contract/route.ts';
import type { Delivery, Route } from '#machines/contract/route.ts';
import { entry, keyIn, single } from '#machines/contract/view.ts';
import { readJob, readPaper, readPrinter, readTray } from './facts.ts';
import type { ObservedJob, ObservedPaper, ObservedPrinter, ObservedTray } from './facts.ts';

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

const toJob = ({ namespace, name, printer }: ObservedJob, event: Event) => [
  {
    to: { kind: 'job', namespace, name } as const,
    root: printerKey(namespace, printer),
    event,
  },
];

const ofOwner = ({ namespace, owner }: ObservedTray, event: Event) =>
  owner?.kind === 'Printer' ? toPrinter(namespace, owner.name, event) : [];

export const printRoutes: readonly Route[] = [
  route<ObservedPrinter>('Printer', {
    decode: readPrinter,
    seen: (observed) =>
      toPrinter(observed.namespace, observed.name, { type: 'printer.observed', observed }),
    gone: ({ namespace, name, uid }) => toPrinter(namespace, name, { type: 'printer.gone', uid }),
    shown: (observed) => [entry(printerPaper, keyIn(observed, observed.name), observed.paper)],
  }),
  route<ObservedTray>('Tray', {
    decode: readTray,
    seen: (observed) => ofOwner(observed, { type: 'tray.observed', observed }),
    gone: (observed) => ofOwner(observed, { type: 'tray.gone', name: observed.name }),
  }),
  route<ObservedJob>('Job', {
    decode: readJob,
    seen: (observed) => [
      ...toJob(observed, { type: 'job.observed', observed }),
      ...toPrinter(observed.namespace, observed.printer, {
        type: 'job.listed',
        name: observed.name,
      }),
    ],
    gone: (observed) => [
      ...toJob(observed, { type: 'job.gone', uid: observed.uid }),
      ...toPrinter(observed.namespace, observed.printer, { type: 'job.left', name: observed.name }),
    ],
  }),
  route<ObservedPaper>('Paper', {
    decode: readPaper,
    seen: () => [],
    gone: () => [],
    shown: ({ name, size }) => [entry(paperSize, name, size)],
  }),
];
