// The steps of a ComputeDomain that lives, and what is told of it: our finalizer first, so that
// nothing is made that nobody would take away, then its children.
import { isSameRef } from '../../contract/address.ts';
import type { ObjectRef } from '../../contract/address.ts';
import { announceErrorsOf } from '../../contract/failure-log.ts';
import type { FailureLog } from '../../contract/failure-log.ts';
import type { Intent } from '../../contract/intents.ts';
import { warning, withFinalizer } from '../../contract/object-intents.ts';
import { idle } from '../../statechart/step.ts';
import { finalizer } from '../objects/labels.ts';
import { missingTypes } from './children/table.ts';
import type { DomainContext, Result, Step } from './context.ts';

/** Daemons that are replaced may be in the one list and not yet in the other for a moment. */
const mixedAfterMs = 10_000;

export const ensureFinalizer: Step = (_, domain) => ({
  intents: withFinalizer(domain, finalizer, 'what it makes is to go before it'),
  changes: {},
});

export const ensureChildren: Step = (context, domain) => {
  const missing = missingTypes(context, domain);
  return {
    intents: missing
      .filter(({ after }) => after === undefined || !missing.includes(after))
      .map(({ kind, what, build }): Intent => {
        const body = build(domain, context.settings);
        const { namespace = '', name } = body.metadata;
        const reason = `the ${what} is missing`;
        return { type: 'createObject', ref: { kind, namespace, name }, reason, body };
      }),
    changes: {},
  };
};

/** The log without failed creates of what is there: an earlier attempt made it. */
function unresolved({ errors, children }: DomainContext): FailureLog {
  const isThere = (ref: ObjectRef): boolean => children.some((child) => isSameRef(child, ref));
  const left = errors.filter(({ op, ref }) => op !== 'create' || !isThere(ref));
  return left.length === errors.length ? errors : left;
}

export const announceErrors: Step = (context, domain) => {
  const left = unresolved(context);
  const { intents, changes } = announceErrorsOf(left, domain, ({ ref }) =>
    ref.kind === 'ComputeDomain' ? 'ComputeDomainFinalizerFailed' : 'ComputeDomainChildFailed',
  );
  return { intents, changes: left === context.errors ? changes : { errors: left, ...changes } };
};

export const announceMixed: Step = (context, domain, now) => {
  const { listing, told } = context;
  const until = (listing.mixedSince ?? now) + mixedAfterMs;
  if (told.isMixed) return idle;
  if (now < until) return { ...idle, waits: [{ until }] };
  const event = warning(domain, 'ComputeDomainMixed', sayMixed(context));
  return tell(context, { isMixed: true }, [event]);
};

export const forgetMixed: Step = (context) =>
  context.told.isMixed ? tell(context, { isMixed: false }) : idle;

export const announceSize: Step = (context, domain) => {
  const { size } = context.listing;
  if (context.told.size === size) return idle;
  return tell(context, { size }, [
    warning(domain, 'ComputeDomainStatusTooLarge', saySize(context)),
  ]);
};

export const forgetSize: Step = (context) =>
  context.told.size === 'small' ? idle : tell(context, { size: 'small' });

const tell = (
  { told }: DomainContext,
  news: Partial<DomainContext['told']>,
  intents: readonly Intent[] = [],
): Result => ({ intents, changes: { told: { ...told, ...news } } });

export const sayMixed = ({ listing: { listed, unlisted } }: DomainContext): string =>
  `${unlisted} nodes are listed in the status alone and ${listed} in cliques: were daemons started ` +
  'before the gate ComputeDomainCliques was switched? Restart them';

export const saySize = ({ listing: { bytes, size } }: DomainContext): string => {
  const what = `the object takes some ${Math.ceil(bytes / 1024)} KiB`;
  return size === 'excessive'
    ? `${what}, more than a server stores, so its status is not written any more: use fewer nodes`
    : `${what}, and 1536 KiB are the most that a server stores: use fewer nodes`;
};
