// Step 3: who hears of which object, and in which tree. A job belongs to the printer that its spec
// names, and moves when that changes; a paper is told to the trees that follow it.
import { route } from '#machines/route.ts';
import type { ActorKey, Message, Route } from '#machines/vocabulary.ts';
import { readJob, readPaper, readPrinter, readTray } from './facts.ts';
import type { JobFact, PaperFact, PrinterFact, TrayFact } from './facts.ts';

const printerKey = (namespace: string, name: string): ActorKey => ({
  kind: 'printer',
  namespace,
  name,
});

const topicOf = (paper: string): string => `paper/${paper}`;

const toPrinter = (namespace: string, name: string, event: Message) => {
  const key = printerKey(namespace, name);
  return [{ to: key, root: key, event }];
};

const toJob = ({ namespace, name, printer }: JobFact, event: Message) => [
  {
    to: { kind: 'job', namespace, name } as const,
    root: printerKey(namespace, printer),
    event,
  },
];

const ofOwner = ({ namespace, owner }: TrayFact, event: Message) =>
  owner?.kind === 'Printer' ? toPrinter(namespace, owner.name, event) : [];

export const printRoutes: readonly Route[] = [
  route<PrinterFact>('Printer', {
    decode: readPrinter,
    seen: (fact) => toPrinter(fact.namespace, fact.name, { type: 'printer.observed', fact }),
    gone: ({ namespace, name, uid }) => toPrinter(namespace, name, { type: 'printer.gone', uid }),
    followed: ({ namespace, name, paper }) => ({
      root: printerKey(namespace, name),
      topics: paper === '' ? [] : [topicOf(paper)],
    }),
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
    announced: ({ name, size }) => [
      {
        to: ['job'],
        topic: topicOf(name),
        seen: { type: 'paper.observed', name, size },
        gone: { type: 'paper.gone', name },
      },
    ],
  }),
];
