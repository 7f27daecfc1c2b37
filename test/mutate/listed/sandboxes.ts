// The lines on which the rules of spec agent-sandbox rest that are about Sandboxes and what they
// have.
import type { ListedMutant } from './mutant.ts';

const sandbox = 'machines/agentsandbox/sandbox';
const objects = 'machines/agentsandbox/objects';

export const ofSandboxObjects: readonly ListedMutant[] = [
  {
    shows: 'R20',
    file: `${objects}/owner.ts`,
    from: "const ownerGroup = text(owner.apiVersion).split('/')[0];",
    to: 'const ownerGroup = text(owner.apiVersion);',
  },
  {
    shows: 'R49',
    file: `${sandbox}/pod.ts`,
    from: '  several: (context, own, now) => !hasExpired(own, now) && hasSeveral(context, own),\n',
    to: '  several: () => false,\n',
  },
  {
    shows: 'R50',
    file: `${objects}/adoption.ts`,
    from: "return controller.uid === uid ? 'owned' : 'other';",
    to: "return 'owned';",
  },
  {
    shows: 'R52',
    file: `${objects}/adoption.ts`,
    from: "if (labels[label.adoptable] === 'true' || isTracked) return undefined;",
    to: "if (labels[label.adoptable] !== 'false' || isTracked) return undefined;",
  },
  {
    shows: 'R56',
    file: `${objects}/pod-metadata.ts`,
    from: 'Object.fromEntries(Object.entries(map).filter(([key]) => !isReserved(key)));',
    to: 'Object.fromEntries(Object.entries(map));',
  },
  {
    shows: 'R57',
    file: `${objects}/pod-metadata.ts`,
    from: '{ ...former.labels, ...wanted.labels }',
    to: 'wanted.labels',
  },
  {
    shows: 'S2',
    file: `${objects}/pod-metadata.ts`,
    from: "...patchOf('labels', labels, {",
    to: "...patchOf('labels', labels, {\n      ...Object.fromEntries(Object.keys(labels).map((key) => [key, undefined])),",
  },
  {
    shows: 'R58',
    file: `${objects}/adoption.ts`,
    from: '  if (refusal !== undefined || controller !== undefined || isHeadless) return refusal;\n',
    to: '  if (refusal !== undefined || controller !== undefined || !isHeadless) return refusal;\n',
  },
  {
    shows: 'R59',
    file: `${sandbox}/pod.ts`,
    from: "phase === 'Running' && isReady && podIPs.length > 0;",
    to: "phase === 'Running' && isReady;",
  },
  {
    shows: 'S3',
    file: `${sandbox}/status.ts`,
    from: 'if (status === undefined || isNodeAlone(own, status, ready)) return undefined;',
    to: 'if (status === undefined) return undefined;',
  },
  {
    shows: 'S4',
    file: `${sandbox}/behaviour.ts`,
    from: '    { do: recordPodName, in: hasPod },\n',
    to: '',
  },
  {
    shows: 'R60',
    file: `${sandbox}/pod.ts`,
    from: '      metadata: { annotations: { [annotation.podName]: name } },\n    }),',
    to: '      metadata: { annotations: { [annotation.podName]: name } },\n    }, { resourceVersion: own.resourceVersion }),',
  },
  {
    shows: 'R63',
    file: `${sandbox}/volumes.ts`,
    from: "        ...stringMap(metadata['labels']),\n",
    to: '',
  },
  {
    shows: 'G10',
    file: `${sandbox}/behaviour.ts`,
    from: "    { do: ensureVolumes, in: ['active.volumes.missing', 'active.volumes.blocked'] },\n",
    to: '',
  },
];
