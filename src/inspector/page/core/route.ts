// The address as the page reads it. Every view is an address, and so is every filter, so that a
// link shows a colleague the same; back and forward are the browser's.
import { computed, signal } from '@preact/signals';

export type Route =
  | { readonly view: 'overview' | 'actors' | 'timeline' | 'trouble' | 'machines' | 'missing' }
  | { readonly view: 'actor'; readonly id: string }
  | { readonly view: 'trace'; readonly id: string }
  | { readonly view: 'machine'; readonly machine: string };

export const address = signal(new URL(location.href));
export const route = computed(() => routeOf(address.value.pathname));

addEventListener('popstate', () => {
  address.value = new URL(location.href);
});

export function routeOf(path: string): Route {
  const [, ui, first = '', ...rest] = path.split('/').map(decoded);
  if (ui !== 'ui') return { view: 'missing' };
  if (first === '') return { view: 'overview' };
  const [one = '', two = '', three = ''] = rest;
  if (first === 'actors' && three !== '') {
    return { view: 'actor', id: `${one}/${two === '-' ? '' : two}/${three}` };
  }
  if (first === 'traces' && one !== '') return { view: 'trace', id: one };
  if (first === 'machines')
    return one === '' ? { view: 'machines' } : { view: 'machine', machine: one };
  if (first === 'actors' || first === 'timeline' || first === 'trouble') return { view: first };
  return { view: 'missing' };
}

function decoded(part: string): string {
  try {
    return decodeURIComponent(part);
  } catch {
    return part;
  }
}

/** `podclique/default/demo-0-worker` to `podclique/default/demo-0-worker` of an address: an empty
 *  namespace is `-`. */
export function pathOfActor(id: string): string {
  const [kind = '', namespace = '', name = ''] = id.split('/');
  return [kind, namespace === '' ? '-' : namespace, name].map(encodeURIComponent).join('/');
}

export const linkToActor = (id: string, tab?: string): string =>
  `/ui/actors/${pathOfActor(id)}${tab === undefined ? '' : `?tab=${tab}`}`;
export const linkToTrace = (id: string): string => `/ui/traces/${encodeURIComponent(id)}`;
export const linkToMachine = (id: string): string => `/ui/machines/${encodeURIComponent(id)}`;

export function linkToActors(filters: Readonly<Record<string, string>>): string {
  return `/ui/actors?${new URLSearchParams(filters).toString()}`;
}

export function go(to: string, how: 'push' | 'replace' = 'push'): void {
  const next = new URL(to, location.href);
  if (next.href === location.href) return;
  if (how === 'push') history.pushState(null, '', next);
  else history.replaceState(null, '', next);
  address.value = next;
  if (how === 'push') scrollTo(0, 0);
}

export const parameter = (name: string): string => address.value.searchParams.get(name) ?? '';

/** Empty takes it out. Replaces the entry of the history: a letter typed is not a step back. */
export function setParameter(name: string, value: string): void {
  const next = new URL(address.value);
  if (value === '') next.searchParams.delete(name);
  else next.searchParams.set(name, value);
  go(next.href, 'replace');
}

/** Links within the page load nothing; with a modifier they stay the browser's. */
addEventListener('click', (event) => {
  const { target, button, metaKey, ctrlKey, shiftKey, altKey } = event;
  if (event.defaultPrevented || button !== 0 || metaKey || ctrlKey || shiftKey || altKey) return;
  const link = target instanceof Element ? target.closest('a') : null;
  if (link === null || link.target !== '' || link.origin !== location.origin) return;
  if (!link.pathname.startsWith('/ui/')) return;
  event.preventDefault();
  go(link.href);
});
