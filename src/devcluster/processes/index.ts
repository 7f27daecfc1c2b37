// Pods that are processes of this machine, where `createCluster` is told so: a pod that asks for it
// by annotation has its containers run, and Services have the EndpointSlices by which such pods are
// found.
import type { ClusterPlugin } from '../plugins/contract.ts';
import { EndpointSlices } from './endpoint-slices.ts';
import { nodeRuntime } from './runtime.ts';

export const processesPlugin: ClusterPlugin = {
  runtime: nodeRuntime,
  agents: [(context) => new EndpointSlices(context)],
};
