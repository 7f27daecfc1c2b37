// What must be in the end, when all faults are healed and nobody does anything: every claim has
// what it can have and says so, pools are full, and nothing is left of what is gone. Made from the
// spec, knows nothing of the code under test.
import type { Store } from '#src/devcluster/api/store/store.ts';
import type { Stored } from '#src/devcluster/contract.ts';
import { at, labelsOf, numberAt, textAt, uidOf } from '../fields.ts';
import { deadlineOf } from './deletions.ts';
import {
  all,
  annotationOf,
  blueprintOf,
  boundTo,
  claimIpsOf,
  conditionOf,
  controllerOf,
  find,
  madeOf,
  ipsOf,
  isGoing,
  isOf,
  isReady,
  isRecreating,
  label,
  membersOf,
  nameHash,
  nameOf,
  needsOwn,
  poolOf,
  replicasOf,
  templateOf,
  type What,
  wrong,
} from './objects.ts';
import type { Ending } from './ending.ts';
import { aboutSandbox } from './expected-sandbox.ts';

/** Sentences; empty: all is well. */
export function complaintsAbout(ending: Ending): readonly string[] {
  const { store } = ending;
  return [
    ...all(store, 'claims').flatMap((claim) => aboutClaim(ending, claim)),
    ...all(store, 'pools').flatMap((pool) => aboutPool(store, pool)),
    ...all(store, 'sandboxes').flatMap((sandbox) => aboutSandbox(ending, sandbox)),
    ...all(store, 'templates').flatMap((template) => aboutTemplate(store, template)),
    ...leftOvers(store),
  ];
}

// claims:

function aboutClaim(ending: Ending, claim: Stored): readonly string[] {
  const { store } = ending;
  const name = nameOf(claim);
  if (isGoing(claim)) return [`claim ${name} is on its way out`];
  const controlled = all(store, 'sandboxes').filter((one) =>
    isOf(one, 'SandboxClaim', uidOf(claim)),
  );
  const { reason } = conditionOf(claim, 'Ready');
  const says = (wanted: string): readonly string[] =>
    reason === wanted ? [] : [`claim ${name} says "${reason}" and not ${wanted}`];
  const deadline = deadlineOf(claim);
  if (deadline <= ending.now) return [...says('ClaimExpired'), ...aboutExpired(claim, controlled)];
  const faults = annotationOf(claim, wrong);
  if (faults === 'metadata') return says('InvalidMetadata');
  const [sandbox] = controlled;
  if (sandbox !== undefined) return aboutBound(claim, sandbox);
  const pool = find(store, 'pools', poolOf(claim));
  if (pool === undefined) return says('WarmPoolNotFound');
  if (find(store, 'templates', templateOf(pool)) === undefined) return says('TemplateNotFound');
  const stranger = find(store, 'sandboxes', name);
  if (stranger !== undefined && needsOwn(claim)) return says('ReconcilerError');
  if (faults !== '' && templateOf(pool) === 'other') {
    return says(faults === 'env' ? 'EnvVarsInjectionRejected' : 'VolumeClaimTemplatesError');
  }
  // It started cold when somebody had its name already.
  if (stranger !== undefined && reason === 'ReconcilerError') return [];
  return [`claim ${name} has no Sandbox: "${reason}"`];
}

function aboutExpired(claim: Stored, controlled: readonly Stored[]): readonly string[] {
  const policy = textAt(at(claim, 'spec', 'lifecycle'), 'shutdownPolicy');
  const left = controlled.map((one) => `claim ${nameOf(claim)} has expired and has ${nameOf(one)}`);
  const named = boundTo(claim);
  return [
    ...left,
    ...(policy === 'Retain' ? [] : [`claim ${nameOf(claim)} has expired and is there`]),
    ...(named === '' ? [] : [`claim ${nameOf(claim)} has expired and names ${named}`]),
  ];
}

/** It says what its Sandbox says. */
function aboutBound(claim: Stored, sandbox: Stored): readonly string[] {
  const what = `claim ${nameOf(claim)}`;
  const [theirs, own] = [conditionOf(sandbox, 'Ready'), conditionOf(claim, 'Ready')];
  const isShutDown = theirs.reason === 'SandboxExpired';
  const same = (field: 'status' | 'reason' | 'message'): readonly string[] =>
    theirs[field] === own[field] || (isShutDown && field === 'message')
      ? []
      : [`${what}: ${field} of Ready is "${own[field]}" and not "${theirs[field]}"`];
  const [its, finished] = [sandbox, claim].map((one) => conditionOf(one, 'Finished').reason);
  return [
    ...(boundTo(claim) === nameOf(sandbox) ? [] : [`${what} names "${boundTo(claim)}"`]),
    ...(claimIpsOf(claim) === ipsOf(sandbox) ? [] : [`${what} has IPs ${claimIpsOf(claim)}`]),
    ...(['status', 'reason', 'message'] as const).flatMap(same),
    ...(its === finished ? [] : [`${what}: Finished is "${finished}" and not "${its}"`]),
  ];
}

// pools:

function aboutPool(store: Store, pool: Stored): readonly string[] {
  const what = `pool ${nameOf(pool)}`;
  if (isGoing(pool)) return [`${what} is on its way out`];
  const members = membersOf(store, pool);
  const ready = members.filter(isReady).length;
  const template = find(store, 'templates', templateOf(pool));
  const wanted = replicasOf(pool);
  const stale = members.filter(
    (member) =>
      isRecreating(pool) && template !== undefined && madeOf(member) !== blueprintOf(template),
  );
  const said = (field: string): number => numberAt(pool, 'status', field);
  const selector = `${label.pool}=${nameHash(nameOf(pool))}`;
  const sentences: readonly (readonly [boolean, string])[] = [
    [members.length === wanted, `has ${members.length} members and wants ${wanted}`],
    [ready === members.length, `has ${members.length} members, ${ready} of them ready`],
    [stale.length === 0, `has stale members: ${stale.map(nameOf).join(', ')}`],
    [said('replicas') === members.length, `says ${said('replicas')} replicas`],
    [said('readyReplicas') === ready, `says ${said('readyReplicas')} ready replicas`],
    [textAt(pool, 'status', 'selector') === selector, 'says no selector'],
    [
      said('observedGeneration') === numberAt(pool, 'metadata', 'generation'),
      `says generation ${said('observedGeneration')}`,
    ],
  ];
  return sentences.filter(([isRight]) => !isRight).map(([, text]) => `${what} ${text}`);
}

function aboutTemplate(store: Store, template: Stored): readonly string[] {
  const name = nameOf(template);
  const isManaged = textAt(template, 'spec', 'networkPolicyManagement') !== 'Unmanaged';
  const policy = find(store, 'policies', `${name}-network-policy`);
  const isOwn = isOf(policy, 'SandboxTemplate', uidOf(template));
  const hash = labelsOf(template)[label.template];
  return [
    ...(isGoing(template) ? [`template ${name} is on its way out`] : []),
    ...(isManaged === isOwn ? [] : [`template ${name} ${isOwn ? 'has a' : 'has no'} policy`]),
    ...(hash === nameHash(name) ? [] : [`template ${name} has the hash ${hash}`]),
  ];
}

// what is left:

/** Others may have such objects too. */
const ofModule: ReadonlySet<string> = new Set([
  'Sandbox',
  'SandboxClaim',
  'SandboxTemplate',
  'SandboxWarmPool',
]);

/** Whose owner is gone, or that a pool should have taken. */
function leftOvers(store: Store): readonly string[] {
  const owners = (['sandboxes', 'claims', 'pools', 'templates'] as const).flatMap((what) =>
    all(store, what).map(uidOf),
  );
  const there = new Set(owners);
  const owned: readonly What[] = ['sandboxes', 'pods', 'services', 'volumes', 'policies'];
  const lost = owned.flatMap((what) =>
    all(store, what)
      .filter((object) => {
        const owner = controllerOf(object);
        return owner !== undefined && ofModule.has(owner.kind) && !there.has(owner.uid);
      })
      .map((object) => `${what}: the owner of ${nameOf(object)} is gone`),
  );
  const hashes = new Set(all(store, 'pools').map((pool) => nameHash(nameOf(pool))));
  const orphans = all(store, 'sandboxes')
    .filter((one) => controllerOf(one) === undefined && hashes.has(labelsOf(one)[label.pool] ?? ''))
    .map((one) => `orphan ${nameOf(one)} is neither a member nor gone`);
  return [...lost, ...orphans];
}

/** Nothing that a controller has made is left. */
export const isEmpty = (store: Store): boolean =>
  (['claims', 'pools', 'sandboxes', 'templates', 'pods', 'volumes', 'policies'] as const).every(
    (what) => all(store, what).length === 0,
  ) && all(store, 'services').every((one) => controllerOf(one) === undefined);
