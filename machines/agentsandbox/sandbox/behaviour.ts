// The life of a Sandbox: one pod with its PVCs and its Service, as long as it is to run and its
// time is not over.
import { defineBehaviour } from '../../statechart/define.ts';
import type { ObservedSandbox } from '../objects/sandbox.ts';
import type { AgentSandboxInput } from '../settings.ts';
import { reduce, startContext } from './context.ts';
import type { SandboxContext, SandboxEvent } from './context.ts';
import { awaitShutdown, deleteExpired, expiry } from './expiry.ts';
import { explain, fine, view } from './explain.ts';
import { endDeferral, metadata, syncMetadata } from './metadata.ts';
import {
  adoptPod,
  announceSeveral,
  createPod,
  deletePods,
  dropPodName,
  dropStaleName,
  forgetSeveral,
  pod,
  recordPodName,
  retryPod,
} from './pod.ts';
import { conditions, isAtRest, mode, readiness } from './readiness.ts';
import {
  adoptService,
  createService,
  deleteService,
  repairService,
  retryService,
  service,
} from './service.ts';
import { readings } from './situation.ts';
import { writeStatus } from './status.ts';
import { ensureVolumes, volumes } from './volumes.ts';

const hasPod = ['terminating', 'finished', 'ready', 'starting'].map((name) => `active.pod.${name}`);

export const sandbox = defineBehaviour<
  SandboxContext,
  ObservedSandbox,
  SandboxEvent,
  AgentSandboxInput
>({
  kind: 'sandbox',
  controller: 'sandbox',
  own: { of: ({ sandbox: own }) => own, isGone: ({ isGone }) => isGone },
  start: startContext,
  reduce,
  reads: readings,
  chart: {
    active: { regions: { expiry, volumes, pod, metadata, service, mode, readiness } },
  },
  steps: [
    { do: awaitShutdown, in: ['active.expiry.ahead'] },
    { do: ensureVolumes, in: ['active.volumes.missing', 'active.volumes.blocked'] },
    { do: createPod, in: ['active.pod.missing'] },
    { do: retryPod, in: ['active.pod.foreign'] },
    { do: adoptPod, in: ['active.pod.adoptable'] },
    { do: deletePods, in: ['active.pod.leaving'] },
    { do: recordPodName, in: hasPod },
    { do: dropStaleName, in: ['active.pod.missing', 'active.pod.foreign'] },
    { do: dropPodName, in: ['active.pod.none'] },
    { do: announceSeveral, in: ['active.pod.several'] },
    {
      do: forgetSeveral,
      in: [...hasPod, 'active.pod.missing', 'active.pod.none', 'active.pod.over'],
    },
    { do: syncMetadata, in: ['active.metadata.drifted'] },
    { do: endDeferral, in: ['active.metadata.settled'] },
    { do: createService, in: ['active.service.missing'] },
    { do: retryService, in: ['active.service.foreign'] },
    { do: adoptService, in: ['active.service.adoptable'] },
    { do: repairService, in: ['active.service.drifted'] },
    { do: deleteService, in: ['active.service.leaving'] },
    { do: deleteExpired, in: ['active.expiry.expired'] },
  ],
  conditions,
  status: writeStatus,
  explain,
  fine,
  view,
  // An object of an earlier Sandbox needs none.
  hasNothing: () => true,
  yields: isAtRest,
  saysAll: true,
});
