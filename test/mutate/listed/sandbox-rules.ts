// More lines on which the rules of spec agent-sandbox rest that are about Sandboxes, templates, and
// the process that runs them.
import type { ListedMutant } from './mutant.ts';

const sandbox = 'machines/agentsandbox/sandbox';
const objects = 'machines/agentsandbox/objects';

export const ofSandboxRules: readonly ListedMutant[] = [
  {
    shows: 'R51',
    file: `${sandbox}/pod.ts`,
    from: '  missing: (context, own) => situationOf(context, own).owned.length === 0,\n',
    to: "  missing: (context, own) =>\n    situationOf(context, own).owned.length === 0 && ['', own.name].includes(podNameIn(own)),\n",
  },
  {
    shows: 'R53',
    file: `${objects}/adoption.ts`,
    from: "return controller.uid === uid ? 'owned' : 'other';",
    to: "return controller.kind === 'Sandbox' ? 'owned' : 'other';",
  },
  {
    shows: 'R54',
    file: `${sandbox}/readiness.ts`,
    from: "      running: { ...no, reason: 'NotSuspended', message: () => 'Sandbox is not suspended' },\n",
    to: '      running: undefined,\n',
  },
  {
    shows: 'R55',
    file: `${sandbox}/situation.ts`,
    from: "    if (ownershipOf(one, own) !== 'owned') continue;\n",
    to: "    if (ownershipOf(one, own) !== 'owned' || one.deleting) continue;\n",
  },
  {
    shows: 'R62',
    file: `${sandbox}/metadata.ts`,
    from: 'Math.min(context.settings.writeBehindMs, longestMs);',
    to: 'context.settings.writeBehindMs;',
  },
  {
    shows: 'S5',
    file: `${sandbox}/metadata.ts`,
    from: '  const driftSince = context.driftSince ?? now;\n',
    to: '  const driftSince = now;\n',
  },
  {
    shows: 'S6',
    file: `${sandbox}/metadata.ts`,
    from: '  if (!isPauseOver(until, now, windowMs)) {\n',
    to: '  if (context.driftSince === undefined && !isPauseOver(until, now, windowMs)) {\n',
  },
  {
    shows: 'S7',
    file: `${sandbox}/expiry.ts`,
    from: 'export const hasExpired = ({ shutdownTime }: ObservedSandbox, now: EpochMs): boolean =>\n  shutdownTime !== undefined',
    to: "export const hasExpired = ({ shutdownTime, operatingMode }: ObservedSandbox, now: EpochMs): boolean =>\n  operatingMode === 'Running' && shutdownTime !== undefined",
  },
  {
    shows: 'R64',
    file: `${sandbox}/status.ts`,
    from: '  const pod = podOf(context, own);\n  const scheduled = ',
    to: '  const pod = podOf(context, own) ?? situationOf(context, own).other;\n  const scheduled = ',
  },
  {
    shows: 'R65',
    file: `${objects}/name-hash.ts`,
    from: ".padStart(8, '0')",
    to: '',
  },
  {
    shows: 'R72',
    file: `${sandbox}/status.ts`,
    from: '...(pod === undefined || pod.podIPs.length === 0 ? {} : { podIPs: [...pod.podIPs] }),',
    to: "...(isEqual(own.status['podIPs'] ?? [], []) ? { podIPs: [...(pod?.podIPs ?? [])] } : { podIPs: own.status['podIPs'] ?? [] }),",
  },
  {
    shows: ['S1', 'K5'],
    file: `${objects}/pod-metadata.ts`,
    from: "[label.warmPool]: controller?.kind === 'SandboxWarmPool' ? own[label.warmPool] : undefined,",
    to: "...(controller?.kind === 'SandboxWarmPool' && { [label.warmPool]: own[label.warmPool] }),",
  },
  {
    shows: 'K6',
    file: `${sandbox}/pod.ts`,
    from: '      ownerReferences: [controllerReference(own)],\n    },\n    spec:',
    to: '      ownerReferences: [controllerReference({ ...own, ...own.controller } as never)],\n    },\n    spec:',
  },
  {
    shows: 'G11',
    file: `${sandbox}/pod.ts`,
    from: "  phase === 'Succeeded' || phase === 'Failed';",
    to: "  phase === 'Succeeded';",
  },
  {
    shows: 'R70',
    file: `${objects}/policy.ts`,
    from: "['fc00::/7', 'fe80::/10']",
    to: "['fc00::/7']",
  },
  {
    shows: 'G14',
    file: 'machines/agentsandbox/template/policy.ts',
    from: '  hasLabel(own)\n    ? idle\n',
    to: '  own.deleting\n    ? idle\n',
  },
  {
    shows: 'R66',
    file: 'actors/shards/lease/keeper.ts',
    from: '    if (isEmpty) await this.#membership.end();\n',
    to: '',
  },
  {
    shows: 'R67',
    file: 'src/kube/transport/http.ts',
    from: "pools.pick(outgoing.isWatch ? 'watches' : 'requests', outgoing.credentials),",
    to: "pools.pick('requests', outgoing.credentials),",
  },
  {
    shows: 'R68',
    file: 'actors/effects/work.ts',
    from: "return { op: 'patch', ref, patch: withPreconditions(intent) };",
    to: "return { op: 'patch', ref, patch: { ...known?.object, ...withPreconditions(intent) } };",
  },
  {
    shows: 'R71',
    file: 'src/http/profiling.ts',
    from: "    if (isBusy) return text(409, 'a profile is being taken; ask again when it is done');\n",
    to: '',
  },
];
