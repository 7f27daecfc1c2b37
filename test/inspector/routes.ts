// The routes of the inspector as tests of access ask them, and actors of two namespaces to ask
// about.
import { clique, type ServedInspector } from './served.ts';

export const one = '/api/v1/actors/podclique/red/one';
export const reads = [
  '/api/v1/session',
  '/api/v1/overview',
  '/api/v1/actors',
  '/api/v1/actors?namespace=red',
  '/api/v1/stream',
  '/api/v1/changes?since=0',
  '/api/v1/facts',
  '/api/v1/charts',
  '/api/v1/traces/both',
  one,
  `${one}/why`,
  `${one}/history`,
];
export const command = (user = 'alice') => ({
  user,
  method: 'POST',
  body: '{"reason":"I look at it"}',
  headers: { 'content-type': 'application/json' },
});
export const commands = [`${one}/park`, `${one}/unpark`];

/** One actor in each, with a fact of the same trace. */
export function fillTwoNamespaces({ actors }: ServedInspector): void {
  for (const namespace of ['red', 'blue']) {
    actors.set(clique('one', namespace));
    actors.fact(clique('one', namespace), { trace: 'both' });
  }
}
