// The two claim templates of a ComputeDomain (spec compute-domain 1.3, 1.4, 2.6): by one each of
// its daemons gets the daemon device of its node, by the other each workload pod gets channels.
import { apiVersionOf } from '../../../contract/kinds.ts';
import type { JsonObject, KubeObject } from '../../../kubernetes/objects.ts';
import { daemonsName, domainLabel, finalizer, label } from '../../objects/labels.ts';
import type { Target } from '../../objects/labels.ts';
import type { ObservedDomain } from '../../objects/domain.ts';
import type { NvidiaSettings } from '../../settings.ts';

/** Of DRA; also the name of NVIDIA's kubelet plugin. */
const driver = 'compute-domain.nvidia.com';

interface Asked {
  readonly target: Target;
  readonly namespace: string;
  readonly name: string;
  /** The one request, and its device class. */
  readonly request: string;
  readonly deviceClassName: string;
  /** Decoded strictly by the kubelet plugin: no field may be added. */
  readonly parameters: JsonObject;
}

function template({ uid }: ObservedDomain, asked: Asked): KubeObject {
  const { target, namespace, name, request, deviceClassName, parameters } = asked;
  return {
    apiVersion: apiVersionOf('DomainClaimTemplate'),
    kind: 'ResourceClaimTemplate',
    metadata: {
      namespace,
      name,
      finalizers: [finalizer],
      labels: { [domainLabel]: uid, [label.target]: target },
    },
    spec: {
      spec: {
        devices: {
          requests: [{ name: request, exactly: { deviceClassName } }],
          config: [
            {
              requests: [request],
              opaque: {
                driver,
                parameters: { apiVersion: apiVersionOf('ComputeDomain'), ...parameters },
              },
            },
          ],
        },
      },
    },
  };
}

export const daemonTemplate = (
  domain: ObservedDomain,
  { driverNamespace }: NvidiaSettings,
): KubeObject =>
  template(domain, {
    target: 'Daemon',
    namespace: driverNamespace,
    name: daemonsName(domain.uid),
    request: 'daemon',
    deviceClassName: 'compute-domain-daemon.nvidia.com',
    parameters: { kind: 'ComputeDomainDaemonConfig', domainID: domain.uid },
  });

/** IMEX of the host serves one channel alone (spec 2.2). */
export const workloadTemplate = (domain: ObservedDomain, { mode }: NvidiaSettings): KubeObject =>
  template(domain, {
    target: 'Workload',
    namespace: domain.namespace,
    name: domain.templateName,
    request: 'channel',
    deviceClassName: 'compute-domain-default-channel.nvidia.com',
    parameters: {
      kind: 'ComputeDomainChannelConfig',
      domainID: domain.uid,
      allocationMode: mode === 'hostManaged' ? 'Single' : domain.allocationMode,
    },
  });
