// Step 4: what happens. A printer makes its trays, counts them and the jobs of its tree, and lends
// a tray to whoever asks for one: it answers when the tray says so, so that no two have the same.
import type { ActorKey } from '#machines/contract/address.ts';
import type { Behaviour } from '#machines/contract/behaviour.ts';
import type { CommonEvent } from '#machines/contract/events.ts';
import type { Intent } from '#machines/contract/intents.ts';
import type { Answer, QuestionEvent } from '#machines/contract/question.ts';
import { apiVersionOf } from '#machines/kinds.ts';
import { text } from '#machines/kubernetes/json.ts';
import { defineBehaviour } from '#machines/statechart/define.ts';
import { classified, otherwise } from '#machines/statechart/region.ts';
import type { Rule } from '#machines/statechart/region.ts';
import type { StepResult } from '#machines/statechart/step.ts';
import type { ObservedPrinter, ObservedTray } from './facts.ts';
import type { PrintInput, PrintSettings } from './settings.ts';

interface Context {
  readonly key: ActorKey;
  readonly settings: PrintSettings;
  readonly printer: ObservedPrinter | undefined;
  readonly isGone: boolean;
  readonly trays: ReadonlyMap<string, ObservedTray>;
  readonly jobs: ReadonlySet<string>;
  /** Who asked for a tray and was not answered yet, by id of the question. */
  readonly asked: ReadonlyMap<string, string>;
}

type Event =
  | CommonEvent
  | QuestionEvent
  | { readonly type: 'printer.observed'; readonly observed: ObservedPrinter }
  | { readonly type: 'printer.gone'; readonly uid: string }
  | { readonly type: 'tray.observed'; readonly observed: ObservedTray }
  | { readonly type: 'tray.gone'; readonly name: string }
  | { readonly type: 'job.listed' | 'job.left'; readonly name: string };

function reduce(context: Context, event: Event): Context {
  const { trays, jobs } = context;
  switch (event.type) {
    case 'printer.observed':
      return { ...context, printer: event.observed };
    case 'printer.gone':
      return { ...context, isGone: context.printer?.uid === event.uid };
    case 'tray.observed':
      return { ...context, trays: new Map(trays).set(event.observed.name, event.observed) };
    case 'tray.gone':
      if (!trays.has(event.name)) return context;
      return { ...context, trays: new Map([...trays].filter(([name]) => name !== event.name)) };
    case 'job.listed':
      return jobs.has(event.name) ? context : { ...context, jobs: new Set([...jobs, event.name]) };
    case 'job.left':
      if (!jobs.has(event.name)) return context;
      return { ...context, jobs: new Set([...jobs].filter((name) => name !== event.name)) };
    case 'question.asked':
      return {
        ...context,
        asked: new Map(context.asked).set(event.id, text(event.payload['who'])),
      };
    case 'question.dropped':
      return { ...context, asked: new Map([...context.asked].filter(([id]) => id !== event.id)) };
    default:
      return context;
  }
}

const trayName = (printer: ObservedPrinter, index: number): string =>
  `${printer.name}-tray-${index}`;

const wanted = (printer: ObservedPrinter): readonly string[] =>
  Array.from({ length: printer.trays }, (_, index) => trayName(printer, index));

const ensureTrays: Rule<Context, ObservedPrinter, StepResult<Context>> = (context, printer) => {
  const { trays, settings } = context;
  // Nobody can build it: it is parked, and the other ones are not touched.
  if (printer.trays > settings.mostTrays) throw new Error(`${printer.trays} trays do not fit`);
  const { namespace, name, uid } = printer;
  const names = wanted(printer);
  const ref = (tray: string) => ({ kind: 'Tray', namespace, name: tray }) as const;
  const owner = { apiVersion: apiVersionOf('Printer'), kind: 'Printer', name, uid };
  const creates = names
    .filter((tray) => !trays.has(tray))
    .map((tray): Intent => ({
      type: 'createObject',
      ref: ref(tray),
      reason: 'a tray is missing',
      body: {
        apiVersion: apiVersionOf('Tray'),
        kind: 'Tray',
        metadata: { name: tray, namespace, ownerReferences: [{ ...owner, controller: true }] },
      },
    }));
  const deletes = [...trays.values()]
    .filter((tray) => !names.includes(tray.name) && !tray.deleting)
    .map((tray): Intent => ({
      type: 'deleteObject',
      ref: ref(tray.name),
      reason: 'a tray too many',
      uid: tray.uid,
    }));
  return { intents: [...creates, ...deletes], changes: {} };
};

/** Whoever asks again, also before the first answer, has the same one. */
const lendTrays: Rule<Context, ObservedPrinter, StepResult<Context>> = ({ asked, trays }, own) => {
  const intents: Intent[] = [];
  const open = new Map(asked);
  const all = [...trays.values()].filter(({ deleting }) => !deleting);
  const free = all.filter(({ lentTo }) => lentTo === '');
  for (const who of new Set(asked.values())) {
    const lent = all.find(({ lentTo }) => lentTo === who);
    const tray = lent === undefined ? free.shift() : undefined;
    if (tray !== undefined) {
      const { namespace, name, uid, resourceVersion } = tray;
      const ref = { kind: 'Tray', namespace, name } as const;
      const patch = { spec: { lentTo: who } };
      const reason = `${own.name} lends it to ${who}`;
      intents.push({ type: 'patchObject', ref, uid, resourceVersion, patch, reason });
      continue;
    }
    const answer: Answer =
      lent === undefined
        ? { ok: false, code: 'INVALID', message: 'no tray is free' }
        : { ok: true, data: { tray: lent.name } };
    if (lent !== undefined) {
      const { namespace, name, uid } = own;
      const regarding = { kind: 'Printer', namespace, name, uid } as const;
      const event = { type: 'recordEvent', regarding, severity: 'Normal' } as const;
      intents.push({ ...event, reason: 'TrayLent', note: `${lent.name} is lent to ${who}` });
    }
    for (const [id, asker] of asked) {
      if (asker === who && open.delete(id)) intents.push({ type: 'answer', id, answer });
    }
  }
  return { intents, changes: open.size === asked.size ? {} : { asked: open } };
};

const isComplete = ({ trays }: Context, printer: ObservedPrinter): boolean =>
  trays.size === printer.trays && wanted(printer).every((name) => trays.has(name));

export const printer: Behaviour<PrintInput> = defineBehaviour<
  Context,
  ObservedPrinter,
  Event,
  PrintInput
>({
  kind: 'printer',
  controller: 'printer',
  own: { of: ({ printer: own }) => own, isGone: ({ isGone }) => isGone },
  start: ({ key, settings }) => ({
    key,
    settings,
    printer: undefined,
    isGone: false,
    trays: new Map(),
    jobs: new Set(),
    asked: new Map(),
  }),
  reduce,
  chart: {
    active: {
      regions: { trays: classified({ complete: isComplete, pending: otherwise }) },
    },
  },
  steps: [
    { do: ensureTrays, in: ['active'] },
    { do: lendTrays, in: ['active'] },
  ],
  conditions: {
    Ready: {
      region: 'trays',
      rows: {
        complete: { status: 'True', reason: 'AllTrays', message: () => 'every tray is there' },
        pending: { status: 'False', reason: 'TraysMissing', message: () => 'trays are missing' },
      },
    },
  },
  status: ({ trays, jobs }, own, conditions) => ({
    type: 'writeStatus',
    ref: { kind: 'Printer', namespace: own.namespace, name: own.name },
    uid: own.uid,
    reason: 'trays and jobs',
    urgency: 'now',
    status: {
      trays: trays.size,
      jobs: [...jobs].toSorted(),
      conditions: conditions.map(({ type, status }) => ({ type, status })),
    },
  }),
  requiredStatus: { trays: 0 },
  explain: {
    'active.trays.pending': ({ trays }, own) => [`${trays.size} of ${own.trays} trays are there`],
  },
  questions: {
    lend: {
      description: 'the tray that is lent to who asks',
      payload: {
        properties: { who: { type: 'string', minLength: 1, maxLength: 63 } },
        required: ['who'],
      },
    },
  },
  fine: () => 'every tray is there',
  view: ({ trays, jobs }) => ({ trays: trays.size, jobs: jobs.size }),
  hasNothing: ({ trays, jobs }) => trays.size + jobs.size === 0,
  saysAll: true,
});
