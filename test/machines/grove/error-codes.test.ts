// What a failed write is called, whole: Grove's code in `lastErrors` (spec api 2.4) and the reason
// of the Warning (spec controllers 9.3), for each kind that an actor writes.
import { expect, it } from 'vitest';
import type { ErrorEntry } from '#machines/contract/failure-log.ts';
import type { Operation } from '#machines/contract/kind.ts';
import type { Kind } from '#machines/kinds.ts';
import * as clique from '#machines/grove/podclique/status.ts';
import { eventReason as ofClique } from '#machines/grove/podclique/steps/announce.ts';
import * as set from '#machines/grove/podcliqueset/status.ts';
import { eventReason as ofGang } from '#machines/grove/podgang/steps.ts';
import * as group from '#machines/grove/scalinggroup/status.ts';

const operations = ['create', 'patch', 'delete', 'status'] as const satisfies Operation[];

/** By operation. */
type Names = readonly string[];

/** For creation and patch, and for deletion; a status is one of the object itself. */
const both = (write: string, remove: string, status: string): Names => [
  ...[write, write, remove],
  status,
];

const ofSet = 'ERR_UPDATE_PCS_STATUS';
const ofGroup = 'ERR_UPDATE_STATUS';

it.each<[Kind, Names]>([
  ['PodCliqueSet', both(ofSet, ofSet, ofSet)],
  [
    'PodClique',
    ['ERR_CREATE_OR_UPDATE_PODCLIQUE', 'ERR_SYNC_PODCLIQUE', 'ERR_DELETE_PODCLIQUE', ofSet],
  ],
  [
    'PodCliqueScalingGroup',
    [
      'ERR_CREATE_PODCLIQUESCALINGGROUP',
      'ERR_SYNC_PODCLIQUESCALINGGROUP',
      'ERR_DELETE_PODCLIQUESCALINGGROUP',
      ofSet,
    ],
  ],
  ['PodGang', both('ERR_CREATE_OR_PATCH_PODGANG', 'ERR_DELETE_EXCESS_PODGANG', ofSet)],
  [
    'ComputeDomain',
    ['ERR_SYNC_COMPUTEDOMAIN', 'ERR_DELETE_COMPUTEDOMAIN', 'ERR_DELETE_COMPUTEDOMAIN', ofSet],
  ],
  ['Service', both('ERR_SYNC_PODCLIQUESET_SERVICE', 'ERR_DELETE_PODCLIQUESET_SERVICE', ofSet)],
  ['ServiceAccount', both('ERR_SYNC_SERVICEACCOUNT', 'ERR_DELETE_SERVICEACCOUNT', ofSet)],
  ['Role', both('ERR_SYNC_ROLE', 'ERR_DELETE_ROLE', ofSet)],
  ['RoleBinding', both('ERR_SYNC_ROLEBINDING', 'ERR_DELETE_ROLEBINDING', ofSet)],
  ['HorizontalPodAutoscaler', both('ERR_SYNC_HPA', 'ERR_DELETE_HPA', ofSet)],
  ['Secret', ['ERR_CREATE_SECRET', 'ERR_GET_SECRET', 'ERR_DELETE_SECRET', ofSet]],
  ['ResourceClaim', both('ERR_SYNC_PCS_RESOURCE_CLAIM', 'ERR_DELETE_PCS_RESOURCE_CLAIM', ofSet)],
])('A write of %s that a PodCliqueSet fails to do has its code of Grove', (kind, codes) => {
  expect(operations.map((op) => set.groveCode(op, kind))).toEqual(codes);
});

it.each<[Kind, Names]>([
  ['PodClique', both('ERR_SYNC_PODCLIQUE', 'ERR_SYNC_PODCLIQUE', 'ERR_SYNC_PODCLIQUE')],
  [
    'Pod',
    [
      'ERR_CREATE_POD',
      'ERR_REMOVE_POD_SCHEDULING_GATE',
      'ERR_DELETE_POD',
      'ERR_REMOVE_POD_SCHEDULING_GATE',
    ],
  ],
  [
    'ResourceClaim',
    both(
      'ERR_SYNC_PCLQ_RESOURCE_CLAIM',
      'ERR_DELETE_PCLQ_RESOURCE_CLAIM',
      'ERR_SYNC_PCLQ_RESOURCE_CLAIM',
    ),
  ],
])('A write of %s that a PodClique fails to do has its code of Grove', (kind, codes) => {
  expect(operations.map((op) => clique.groveCode(op, kind))).toEqual(codes);
});

it.each<[Kind, Names]>([
  ['PodCliqueScalingGroup', both(ofGroup, ofGroup, ofGroup)],
  [
    'PodClique',
    ['ERR_CREATE_PODCLIQUE', 'ERR_CREATE_OR_UPDATE_PODCLIQUES', 'ERR_DELETE_PODCLIQUE', ofGroup],
  ],
  ['ResourceClaim', operations.map(() => 'ERR_SYNC_PCSG_RESOURCE_CLAIM')],
])('A write of %s that a scaling group fails to do has its code of Grove', (kind, codes) => {
  expect(operations.map((op) => group.groveCode(op, kind))).toEqual(codes);
});

const usual: Names = both(
  'PodCliqueCreateOrUpdateFailed',
  'PodCliqueDeleteFailed',
  'PodCliqueCreateOrUpdateFailed',
);
const ofScaling = 'PodCliqueScalingGroupCreateOrUpdateFailed';

it.each<[string, (entry: ErrorEntry) => string, Kind, Names]>([
  ...(['PodCliqueSet', 'PodClique', 'Service', 'Role', 'Secret', 'ResourceClaim'] as const).map(
    (kind): [string, (entry: ErrorEntry) => string, Kind, Names] => [
      ...(['PodCliqueSet', set.eventReason] as const),
      ...([kind, usual] as const),
    ],
  ),
  [
    'PodCliqueSet',
    set.eventReason,
    'PodCliqueScalingGroup',
    both(ofScaling, 'PodCliqueScalingGroupDeleteFailed', ofScaling),
  ],
  [
    'PodCliqueSet',
    set.eventReason,
    'PodGang',
    both('PodGangCreateOrUpdateFailed', 'PodGangDeleteFailed', 'PodGangCreateOrUpdateFailed'),
  ],
  [
    'PodCliqueSet',
    set.eventReason,
    'ComputeDomain',
    [
      'ComputeDomainCreateFailed',
      'ComputeDomainDeleteFailed',
      'ComputeDomainDeleteFailed',
      'ComputeDomainDeleteFailed',
    ],
  ],
  [
    'PodClique',
    ofClique,
    'Pod',
    ['PodCreateFailed', 'PodGateRemovalFailed', 'PodDeleteFailed', 'PodDeleteFailed'],
  ],
  ['PodClique', ofClique, 'PodClique', operations.map(() => 'PodCliqueCreateOrUpdateFailed')],
  [
    'scaling group',
    group.eventReason,
    'PodClique',
    [
      'PodCliqueCreateFailed',
      'PodCliqueCreateOrUpdateFailed',
      'PodCliqueDeleteFailed',
      'PodCliqueCreateOrUpdateFailed',
    ],
  ],
  ['PodGang', ofGang, 'PodGang', operations.map(() => 'PodGangCreateOrUpdateFailed')],
  ['PodGang', ofGang, 'KaiPodGroup', operations.map(() => 'PodGroupSyncFailed')],
])('A Warning of a %s about a failed write has the reason %o of %s', (_, reasonOf, kind, names) => {
  const ref = { kind, namespace: 'demo', name: 'demo' };
  const entry = { ref, code: 'FORBIDDEN', message: 'no', at: 0 } as const;
  expect(operations.map((op) => reasonOf({ ...entry, op }))).toEqual(names);
});
