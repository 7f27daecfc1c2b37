// The lines on which the rules of spec agent-sandbox rest that are about claims.
import type { ListedMutant } from './mutant.ts';

const claim = 'machines/agentsandbox/claim';
const assigning = 'machines/agentsandbox/warmpool/assigning';
const binding = 'machines/agentsandbox/binding';

export const ofClaims: readonly ListedMutant[] = [
  {
    shows: 'R2',
    file: `${assigning}/serve.ts`,
    from: 'const phase = phaseNow(context, assignment, now);',
    to: "const phase = 'asked' as Phase;",
  },
  {
    shows: 'R4',
    file: `${assigning}/serve.ts`,
    from: "return isThere && !isOver ? 'stored' : 'clearing';",
    to: "return 'stored';",
  },
  {
    shows: 'R8',
    file: `${claim}/binding.ts`,
    from: 'export const isForeign: Query<boolean> = ({ named }) => named !== undefined;',
    to: 'export const isForeign: Query<boolean> = () => false;',
  },
  {
    shows: ['R9', 'Q22'],
    file: `${assigning}/serve.ts`,
    from: 'const isPatient = !isPauseOver(until, now, patienceMs) && hasMore(context);',
    to: 'const isPatient = false;',
  },
  {
    shows: 'Q26',
    file: `${assigning}/serve.ts`,
    from: 'return template === undefined || isStale(member, template) ? undefined : member.name;',
    to: 'return template === undefined ? undefined : member.name;',
  },
  {
    shows: 'Q27',
    file: `${assigning}/serve.ts`,
    from: 'return template === undefined || isStale(member, template) ? undefined : member.name;',
    to: 'return template !== undefined && isStale(member, template) ? undefined : member.name;',
  },
  {
    shows: ['R16', 'Q20'],
    file: `${assigning}/serve.ts`,
    from: 'candidate(context, pool, context.ready) ??',
    to: 'candidate(context, pool, context.unready) ??',
  },
  {
    shows: 'R17',
    file: `${claim}/steps.ts`,
    from: 'const metadata = { annotations: { [key]: assigned }, labels: { [key]: null } };',
    to: 'const metadata = { annotations: { [key]: assigned } };',
  },
  {
    shows: 'R18',
    file: `${assigning}/express.ts`,
    from: '        [annotation.podName]: name,\n',
    to: '',
  },
  {
    shows: 'R24',
    file: `${claim}/status.ts`,
    from: '    generation: claim.generation,\n',
    to: '',
  },
  {
    shows: 'R26',
    file: `${claim}/observability.ts`,
    from: 'if (!was.unready || !was.ready) return false;',
    to: 'if (!was.ready) return false;',
  },
  {
    shows: 'R29',
    file: `${claim}/env.ts`,
    from: "    if (list(container['envFrom']).length > 0) {",
    to: "    if (list(container['envFrom']).length > 1) {",
  },
  {
    shows: 'R30',
    file: `${binding}/rules.ts`,
    from: 'domain === one || domain.endsWith(`.${one}`)',
    to: 'domain.endsWith(one)',
  },
  {
    shows: 'R31',
    file: `${claim}/steps.ts`,
    from: '    return { intents: [deletionOf(sandbox, reason)], changes: {} };\n',
    to: '    return idle;\n',
  },
  {
    shows: 'R32',
    file: `${binding}/expiry.ts`,
    from: 'return deadline !== undefined && now >= deadline;',
    to: 'return deadline !== undefined && now > deadline;',
  },
  {
    shows: ['C3', 'K1'],
    file: `${claim}/status.ts`,
    from: '  ...(podIPs.length > 0 && { podIPs: [...podIPs] }),\n',
    to: '',
  },
  {
    shows: ['C8', 'G8'],
    file: `${claim}/binding.ts`,
    from: 'return errorOfClaim(claim, context.settings, mayStart ? context.template : undefined);',
    to: "if (context.template === undefined) return 'its template is gone';\n  return errorOfClaim(claim, context.settings, mayStart ? context.template : undefined);",
  },
  {
    shows: ['K2', 'R13'],
    file: `${claim}/behaviour.ts`,
    from: "    { do: searchPool, in: ['active.binding.searchingPool'] },\n",
    to: '',
  },
  {
    shows: 'G9',
    file: `${binding}/rules.ts`,
    from: 'return other === undefined || other === value\n',
    to: 'return other !== value\n',
  },
  {
    shows: 'G12',
    file: `${claim}/behaviour.ts`,
    from: '  expiring: is.isToMark,\n',
    to: '  expiring: () => false,\n',
  },
  {
    shows: 'R3',
    file: `${assigning}/reduce.ts`,
    from: '  if (isRetryable(code) && pauseMs < patienceMs) return context;\n',
    to: '  if (isRetryable(code) && pauseMs < patienceMs) return withoutClaim(context, ref.name, withMember);\n',
  },
  {
    shows: 'R5',
    file: `${assigning}/reduce.ts`,
    from: '  if (claim.assigned !== undefined) {',
    to: '  if (claim.assigned !== undefined && known !== undefined) {',
  },
  {
    shows: 'R7',
    file: `${claim}/context.ts`,
    from: '      const controlled = event.value ?? [];',
    to: '      const controlled = (event.value ?? []).filter(({ name }) => name !== context.claim?.name);',
  },
  {
    shows: 'R21',
    file: `${binding}/metadata.ts`,
    from: 'const ofPool = [label.warmPool, label.podTemplateHash',
    to: 'const ofPool = [label.podTemplateHash',
  },
  {
    shows: 'R22',
    file: `${claim}/steps.ts`,
    from: '...(isStray && { [label.createdBy]: null }) };',
    to: '};',
  },
  {
    shows: 'R25',
    file: `${claim}/behaviour.ts`,
    from: "    { do: searchSandbox, in: ['active.binding.searching', 'active.binding.expired'] },\n",
    to: '',
  },
  {
    shows: 'C2',
    file: `${claim}/status.ts`,
    from: '      ? !isGone && named !== undefined && { sandbox: named }',
    to: '      ? false',
  },
  {
    shows: 'R28',
    file: `${claim}/say.ts`,
    from: "    'InvalidMetadata',",
    to: "    'ReconcilerError',",
  },
  {
    shows: 'R33',
    file: `${claim}/status.ts`,
    from: '  return isOver ? conditions : others;',
    to: '  return others;',
  },
  {
    shows: 'R61',
    file: `${claim}/status.ts`,
    from: "    text(before?.['reason']) === ready?.reason &&\n",
    to: '',
  },
  {
    shows: 'C4',
    file: `${assigning}/serve.ts`,
    from: '(isPatient ? undefined : (candidate(context, pool, context.unready) ?? claim.name));',
    to: '(isPatient ? undefined : candidate(context, pool, context.unready));',
  },
  {
    shows: 'Q6',
    file: 'machines/agentsandbox/warmpool/queue/queue.ts',
    from: '    return new WarmQueue(this.size - 1, this.#version.change(change));',
    to: "    return change.name === '' ? new WarmQueue(this.size - 1, this.#version.change(change)) : this;",
  },
  {
    shows: 'C5',
    file: `${assigning}/serve.ts`,
    from: "  return isOurs ? 'stored' : 'clearing';",
    to: "  return 'stored';",
  },
  {
    shows: 'C10',
    file: `${claim}/steps.ts`,
    from: '  told.has(what) ? idle : {',
    to: "  told.has(what) && what !== 'recorded' ? idle : {",
  },
  {
    shows: 'M1',
    file: 'machines/agentsandbox/warmpool/queue/spread.ts',
    from: '    if (queued === undefined) this.byName.delete(name);\n    else {',
    to: '    if (queued !== undefined) {',
  },
];
