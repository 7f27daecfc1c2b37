// The lines on which those rules of spec activator rest that are about the actor of a revision:
// which pods it lets requests go to, and what becomes of it and its table when it crashes or ends.
import type { ListedMutant } from './mutant.ts';

const machines = 'machines/activator';
const activator = 'src/activator';

export const ofRevisions: readonly ListedMutant[] = [
  {
    shows: 'R-3',
    file: `${activator}/served-revision.ts`,
    from: '    this.#parts.validations.cancelAll();\n    this.admission.close();\n',
    to: '    this.#parts.validations.cancelAll();\n',
  },
  {
    shows: 'R-10',
    file: `${activator}/health.ts`,
    from: 'const mostWaitMs = 5_000;',
    to: 'export let mostWaitMs = 5_000;',
  },
  {
    shows: 'R-11',
    file: `${activator}/supervise.ts`,
    from: 'backoff: { minMs: 100, maxMs: 30_000, jitter: 0.1 },',
    to: 'backoff: { minMs: 0.1, maxMs: 30, jitter: 0.1 },',
  },
  {
    shows: 'R-14',
    file: `${machines}/pod/chart.ts`,
    from: "{ from: ['pending'], to: 'ready', cause: 'validated', when: isValidated },",
    to: "{ from: ['pending'], to: 'ready', cause: 'validated', when: isEligible },",
  },
  {
    shows: ['R-15', 'P-19', 'B-35'],
    file: `${machines}/pod/chart.ts`,
    from: 'return shown === id || id === dest ? undefined : shown;',
    to: 'return shown === id || id !== dest ? undefined : shown;',
  },
  {
    shows: ['R-17', 'P-17'],
    file: `${activator}/data-plane.ts`,
    from: 'if (known !== undefined) return known.carryOut(instruction);',
    to: "if (known !== undefined && instruction.type !== 'openTable') return known.carryOut(instruction);",
  },
  {
    shows: 'R-18',
    file: 'actors/questions/answers.ts',
    from: '  if (snapshot === undefined) {\n    const when',
    to: '  if (snapshot === undefined && wakesAt === undefined) {\n    const when',
  },
  {
    shows: 'R-19',
    file: `${activator}/served-revision.ts`,
    from: "    log('debug', 'pods of a revision', { ...named(key), ...changes, ...slots });\n",
    to: "    for (const pod of pods) log('debug', 'pods of a revision', { ...pod, ...changes, ...slots });\n",
  },
  {
    shows: 'R-29',
    file: `${activator}/health.ts`,
    from: 'const mostWaitMs = 5_000;',
    to: 'const mostWaitMs = 5_000_000;',
  },
  {
    shows: 'H-9',
    file: `${activator}/served-revision.ts`,
    from: '      table.setLimit(limit);\n',
    to: '',
  },
  {
    shows: 'H-17',
    file: `${machines}/revision/context.ts`,
    from: 'return { ...context, place, table: table && { ...table, isTold: false } };',
    to: 'return { ...context, place, table };',
  },
  {
    shows: 'H-18',
    file: `${machines}/revision/context.ts`,
    from: '  if (place.activators === count && place.place === at) return context;\n',
    to: '',
  },
  {
    shows: 'H-19',
    file: `${machines}/revision/services.ts`,
    from: '{ view: activatorsOfService, key: activators },',
    to: '{ view: activatorsOfService, key: keyIn(own, podsService(own, said)) },',
  },
  {
    shows: 'H-20',
    file: `${machines}/revision/services.ts`,
    from: '[...ips].toSorted().indexOf(address);',
    to: '[...ips].toSorted().findIndex((ip) => ip.startsWith(address));',
  },
  {
    shows: 'H-30',
    file: `${activator}/table/slots.ts`,
    from: '    else policy.leave(index);\n    return index;\n',
    to: '    return index;\n',
  },
  {
    shows: 'H-31',
    file: `${activator}/admission/limits.ts`,
    from: 'maxWaitingInProcess: 100_000,',
    to: 'maxWaitingInProcess: 10_000,',
  },
  {
    shows: 'H-42',
    file: `${machines}/pod/chart.ts`,
    from: "  { from: routable, to: 'not-ready', cause: 'unready', when: isUnready },\n",
    to: '',
  },
  {
    shows: 'H-44',
    file: `${machines}/pod/chart.ts`,
    from: "  { from: tabled, to: 'draining', cause: 'unlisted', when: isUnlisted },\n",
    to: '',
  },
  {
    shows: 'H-49',
    file: `${machines}/objects/revision.ts`,
    from: "at(container, 'readinessProbe', 'exec') !== undefined;",
    to: "at(container, 'livenessProbe', 'exec') !== undefined;",
  },
  {
    shows: 'H-50',
    file: `${machines}/objects/revision.ts`,
    from: "  at(container, 'startupProbe') !== undefined ||\n",
    to: '',
  },
  {
    shows: 'H-51',
    file: `${machines}/objects/revision.ts`,
    from: '!containers.some(hasKubeletProbe),',
    to: '!hasKubeletProbe(containers[0]),',
  },
  {
    shows: 'H-53',
    file: `${machines}/revision/validate-pods.ts`,
    from: 'pause: isQuick ? validationTick : slower,',
    to: 'pause: slower,',
  },
  {
    shows: 'H-54',
    file: `${machines}/revision/validate-pods.ts`,
    from: '{ since: now, next: now, attempt: 0, pause: validationTick, answer: undefined }',
    to: '{ since: now, next: now, attempt: 0, pause: microsOf(200), answer: undefined }',
  },
  {
    shows: 'H-56',
    file: `${machines}/revision/validate-pods.ts`,
    from: 'isEligible(situation) && (!isRoutable(situation.pod) || isDoubtful(situation));',
    to: 'isEligible(situation);',
  },
  {
    shows: ['H-57', 'B-36'],
    file: `${machines}/revision/follow-pods.ts`,
    from: 'const moved: Moved = { pods, isTold: table.isTold, intents: [] };',
    to: 'const moved: Moved = { pods, isTold: false, intents: [] };',
  },
  {
    shows: 'H-59',
    file: `${machines}/revision/services.ts`,
    from: 'service ?? said?.pods ?? `${name}-private`;',
    to: 'service ?? `${name}-private`;',
  },
  {
    shows: 'H-61',
    file: `${machines}/revision/services.ts`,
    from: '    if (activators === undefined && !Object.hasOwn(ports, port)) continue;\n',
    to: '',
  },
  {
    shows: 'H-68',
    file: `${activator}/data-plane.ts`,
    from: '    const validations = new Validations({ revision: key, probe, tell });\n',
    to: "    const heard = (fact: RevisionFact): void => {\n      if ('isOk' in fact && !fact.isOk) log('error', 'a pod does not answer', {});\n      tell(fact);\n    };\n    const validations = new Validations({ revision: key, probe, tell: heard });\n",
  },
  {
    shows: 'H-69',
    file: `${activator}/data-plane.ts`,
    from: '    this.#served.delete(id);\n',
    to: '',
  },
  {
    shows: 'H-70',
    file: `${machines}/revision/context.ts`,
    from: 'return context.revision?.uid === event.uid ? { ...context, isGone: true } : context;',
    to: 'return context;',
  },
  {
    shows: 'H-73',
    file: 'actors/run/deadlines.ts',
    from: '  stop(): void {\n    this.#cancel?.();\n',
    to: '  stop(): void {\n',
  },
  {
    shows: 'H-148',
    file: `${activator}/admission/admission.ts`,
    from: '      if (this.#canAnswer()) this.#turns.later(this);\n',
    to: '',
  },
  {
    shows: 'B-5',
    file: `${activator}/admission/admission.ts`,
    from: 'for (let left = most; left > 0 && this.#answerFirst(); left--);',
    to: 'while (this.#answerFirst());',
  },
];
