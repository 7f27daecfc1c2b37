// The front door of machines/: every behaviour and every route by kind. The runtime imports from
// here and from the contracts beside it, nothing deeper.
import type { AnyMachineSnapshot } from 'xstate';
import type { Behaviour } from './behaviour.ts';
import type { ActorKind } from './kinds.ts';
import type { Meta } from './meta.ts';
import { cliqueInternal, cliqueMachine } from './podclique/machine.ts';
import * as clique from './podclique/why.ts';
import { setInternal, setMachine } from './podcliqueset/machine.ts';
import * as cliqueSet from './podcliqueset/why.ts';
import { entries } from './radix.ts';
import { gangInternal, gangMachine } from './podgang/machine.ts';
import * as gang from './podgang/why.ts';
import { groupInternal, groupMachine } from './scalinggroup/machine.ts';
import * as group from './scalinggroup/why.ts';
import { bindingInternal, bindingMachine } from './topologybinding/machine.ts';
import * as binding from './topologybinding/why.ts';

export { routes } from './routes.ts';

const identity = (meta: Meta | undefined) =>
  meta === undefined ? undefined : { uid: meta.uid, generation: meta.generation };

/** Final, or waiting for an object that never came with nothing left of it to care for. */
const isOver = (snapshot: AnyMachineSnapshot, hasNothing: boolean): boolean =>
  snapshot.status === 'done' || (snapshot.value === 'starting' && hasNothing);

const setOf = (snapshot: AnyMachineSnapshot): Parameters<typeof cliqueSet.why>[0] =>
  snapshot.context;
const cliqueOf = (snapshot: AnyMachineSnapshot): Parameters<typeof clique.why>[0] =>
  snapshot.context;
const gangOf = (snapshot: AnyMachineSnapshot): Parameters<typeof gang.why>[0] => snapshot.context;

const groupOf = (snapshot: AnyMachineSnapshot): Parameters<typeof group.why>[0] => snapshot.context;

const bindingOf = (snapshot: AnyMachineSnapshot): Parameters<typeof binding.why>[0] =>
  snapshot.context;
type SetContext = ReturnType<typeof setOf>;
type CliqueContext = ReturnType<typeof cliqueOf>;
type GroupContext = ReturnType<typeof groupOf>;

/** No fact was seen: one that came before the object itself must not be lost. */
const hasSeenNothing = ({ replicas, claims, access }: SetContext): boolean =>
  entries(replicas).next().done === true && claims.size === 0 && Object.keys(access).length === 0;

const isUnused = ({ pods, claims, gang: seen, podGroups }: CliqueContext): boolean =>
  pods.size === 0 && claims.size === 0 && seen === undefined && podGroups.size === 0;

const hasHeardOfNobody = ({ waiters, members, podGroups }: ReturnType<typeof gangOf>): boolean =>
  waiters.size === 0 && members.size === 0 && podGroups.size === 0;

const isAlone = ({ set, replicas, claims }: GroupContext): boolean =>
  set === undefined && claims.size === 0 && entries(replicas).next().done === true;

/** Controllers are named as Grove's, so that its dashboards work. */
export const behaviours: Record<ActorKind, Behaviour> = {
  podcliqueset: {
    kind: 'podcliqueset',
    controller: 'podcliqueset-controller',
    machine: setMachine,
    internal: setInternal,
    isOver: (snapshot) => isOver(snapshot, hasSeenNothing(setOf(snapshot))),
    identity: (snapshot) => identity(setOf(snapshot).set),
    why: (snapshot) => cliqueSet.why(setOf(snapshot)),
    view: (snapshot) => cliqueSet.view(setOf(snapshot)),
  },
  podclique: {
    kind: 'podclique',
    controller: 'podclique-controller',
    machine: cliqueMachine,
    saysAll: true,
    internal: cliqueInternal,
    isOver: (snapshot) => isOver(snapshot, isUnused(cliqueOf(snapshot))),
    identity: (snapshot) => identity(cliqueOf(snapshot).clique),
    why: (snapshot, now) => clique.why(cliqueOf(snapshot), now),
    view: (snapshot) => clique.view(cliqueOf(snapshot)),
  },
  scalinggroup: {
    kind: 'scalinggroup',
    controller: 'podcliquescalinggroup-controller',
    machine: groupMachine,
    saysAll: true,
    internal: groupInternal,
    isOver: (snapshot) => isOver(snapshot, isAlone(groupOf(snapshot))),
    identity: (snapshot) => identity(groupOf(snapshot).group),
    why: (snapshot) => group.why(groupOf(snapshot)),
    view: (snapshot) => group.view(groupOf(snapshot)),
  },
  podgang: {
    kind: 'podgang',
    controller: 'podgang',
    machine: gangMachine,
    internal: gangInternal,
    isOver: (snapshot) => isOver(snapshot, hasHeardOfNobody(gangOf(snapshot))),
    identity: (snapshot) => identity(gangOf(snapshot).gang),
    why: (snapshot) => gang.why(gangOf(snapshot)),
    view: (snapshot) => gang.view(gangOf(snapshot)),
  },
  topologybinding: {
    kind: 'topologybinding',
    controller: 'clustertopology',
    machine: bindingMachine,
    internal: bindingInternal,
    isOver: (snapshot) => isOver(snapshot, true),
    identity: (snapshot) => identity(bindingOf(snapshot).binding),
    why: (snapshot) => binding.why(bindingOf(snapshot)),
    view: (snapshot) => binding.view(bindingOf(snapshot)),
  },
};
