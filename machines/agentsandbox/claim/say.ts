// What a claim's condition Ready says in each state in which no Sandbox speaks for it (spec
// agent-sandbox 1.7), and what people are told besides.
import type { ConditionReason } from '../../contract/condition-reasons.ts';
import { sayError } from '../../contract/failure-log.ts';
import { conditionsOf } from '../../kubernetes/conditions.ts';
import { word } from '../../kubernetes/json.ts';
import { sayWhen } from '../../kubernetes/time.ts';
import { deadlineOf } from '../binding/expiry.ts';
import { metadataError, refusalOf, sandboxOf, sayForeign } from './binding.ts';
import type { ObservedClaim } from '../objects/claim.ts';
import type { ClaimContext, Query } from './context.ts';
import { sayOf } from './search.ts';

const not = <M>(reason: ConditionReason, message: Query<M>) =>
  ({ status: 'False', reason, message }) as const;

const sayRefused: Query<string> = (context, claim) => refusalOf(context, claim)?.message ?? '';

/** A Sandbox that its status names and that is somebody else's is left alone (R31). */
const sayExpired: Query<string> = ({ controlled, named }, claim) => {
  if (controlled.length === 0 && named !== undefined) {
    return `Claim expired. ${sayForeign(claim, named.name)}; deletion skipped.`;
  }
  const said = claim.bound === undefined ? messageOf(claim, 'ClaimExpired') : undefined;
  return said ?? 'Claim expired. Sandbox cleanup initiated.';
};

/** What its condition Ready says already, where that has this reason. */
const messageOf = ({ status }: ObservedClaim, reason: string): string | undefined =>
  word(
    conditionsOf(status).find((one) => one['type'] === 'Ready' && one['reason'] === reason)?.[
      'message'
    ],
  );

const sayFailed: Query<string> = ({ errors }) =>
  `Error seen: ${errors.slice(0, 1).map(sayError).join('')}`;

/** Without a row nothing is said: a Sandbox does, or it is not known yet what is true. */
export const readyRows = {
  expiring: not('ClaimExpired', sayExpired),
  expired: not('ClaimExpired', sayExpired),
  invalid: not(
    'InvalidMetadata',
    (context: ClaimContext, claim, now) => metadataError(context, claim, now) ?? '',
  ),
  bound: undefined,
  searching: undefined,
  lost: not('SandboxMissing', () => 'Sandbox does not exist'),
  searchingPool: undefined,
  poolless: not('WarmPoolNotFound', (_, { pool }) => `SandboxWarmPool "${pool}" not found`),
  refused: not('ReconcilerError', ({ failure = '' }) => `Error seen: ${failure}`),
  waiting: undefined,
  foreign: not('ReconcilerError', (_, claim) => `Error seen: ${sayForeign(claim)}`),
  searchingTemplate: undefined,
  templateless: not(
    'TemplateNotFound',
    ({ templateName = '' }) => `SandboxTemplate "${templateName}" not found`,
  ),
  envRefused: not('EnvVarsInjectionRejected', sayRefused),
  volumesRefused: not('VolumeClaimTemplatesError', sayRefused),
  unbuildable: not(
    'ReconcilerError',
    (context, claim, now) => `Error seen: ${sayRefused(context, claim, now)}`,
  ),
  failing: not('ReconcilerError', sayFailed),
  creating: undefined,
};

type Explain = Query<readonly string[]>;

/** Where its own condition says why, that is the sentence. */
const byRow =
  (state: keyof typeof readyRows): Explain =>
  (context, claim, now) => {
    const row = readyRows[state];
    return row === undefined ? [] : [row.message(context, claim, now)];
  };

export const explain: Readonly<Record<string, Explain>> = {
  terminating: (_, { name }) => [`${name} is being deleted, and its Sandbox goes with it`],
  active: (context, claim, now) => {
    const deadline = deadlineOf(claim);
    return deadline === undefined || deadline <= now
      ? []
      : [`it expires ${sayWhen(deadline, now)}`].filter(
          () => sandboxOf(context, claim) === undefined,
        );
  },
  'active.binding.expiring': byRow('expiring'),
  'active.binding.expired': byRow('expired'),
  'active.binding.invalid': byRow('invalid'),
  'active.binding.bound': (context, claim) => {
    const { name = '', ready, deleting } = sandboxOf(context, claim) ?? {};
    if (deleting === true) return [`its Sandbox ${name} is being deleted`];
    return ready?.['status'] === 'True'
      ? []
      : [
          `its Sandbox ${name} is not ready: ${String(ready?.['message'] ?? 'nothing is known yet')}`,
        ];
  },
  'active.binding.searching': ({ searches }, { bound = '' }) => sayOf(searches, 'sandbox', bound),
  'active.binding.lost': byRow('lost'),
  'active.binding.searchingPool': ({ searches }, { pool }) => sayOf(searches, 'pool', pool),
  'active.binding.poolless': byRow('poolless'),
  'active.binding.refused': byRow('refused'),
  'active.binding.waiting': (_, { pool, assigned }) => [
    assigned === undefined
      ? `SandboxWarmPool ${pool} has not decided yet which Sandbox it gets`
      : `SandboxWarmPool ${pool} is about to give it the Sandbox ${assigned}`,
  ],
  'active.binding.foreign': byRow('foreign'),
  'active.binding.searchingTemplate': ({ searches, templateName = '' }) =>
    sayOf(searches, 'template', templateName),
  'active.binding.templateless': byRow('templateless'),
  'active.binding.envRefused': byRow('envRefused'),
  'active.binding.volumesRefused': byRow('volumesRefused'),
  'active.binding.unbuildable': byRow('unbuildable'),
  'active.binding.failing': ({ errors }) => errors.map(sayError),
  'active.binding.creating': (_, { name }) => [`it starts cold: Sandbox ${name} is being created`],
  'active.record.unstamped': () => ['when it was ready first is being written on it'],
};
