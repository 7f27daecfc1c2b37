// The routes of the API, each with its handler. A name in braces stands for one part of the path.
import type { Answer } from '#actors/ports.ts';
import { listActors } from './actors.ts';
import type { Handle, Inspected } from './call.ts';
import { listChanges } from './changes.ts';
import { listFacts, showTrace } from './facts.ts';
import type { Feed } from './feed.ts';
import { askOne, questionsOfOne } from './one.ts';
import { showOverview, showSession } from './overview.ts';
import { wrongParameters } from './query.ts';
import type { Streams } from './streams.ts';

export interface Route {
  readonly method: 'GET' | 'POST';
  readonly path: string;
  readonly handle: Handle;
}

/** Serves it too, and needs no viewer: src/inspector/server/respond.ts. */
export const tradePath = '/api/v1/session';

export function apiRoutes(inspected: Inspected, feed: Feed, streams: Streams): readonly Route[] {
  const get = (path: string, handle: Handle): Route => ({
    method: 'GET',
    path: `/api/v1/${path}`,
    handle,
  });
  const one = 'actors/{kind}/{namespace}/{name}';
  return [
    get('session', (call) => showSession(inspected, call)),
    get('overview', (call) => showOverview(inspected, call)),
    get('actors', (call) => listActors(inspected, call)),
    get('stream', (call) => streams.open(call)),
    get('changes', (call) => listChanges(inspected, feed, call)),
    get('facts', (call) => listFacts(inspected, call)),
    get('charts', (call) => showCharts(call.query)),
    get('traces/{id}', (call) => showTrace(inspected, call)),
    ...Object.entries(questionsOfOne).map(([rest, question]): Route => ({
      ...get(`${one}${rest}`, askOne(inspected, question)),
      method: question.verb === 'park' ? 'POST' : 'GET',
    })),
  ];
}

/** The parts of the path that stand for names; undefined: it is not this route. */
export function namesIn({ path: route }: Route, path: string): readonly string[] | undefined {
  const wanted = route.split('/');
  const given = path.split('/');
  if (wanted.length !== given.length) return undefined;
  const names: string[] = [];
  for (const [index, part] of wanted.entries()) {
    const value = given[index] ?? '';
    if (!part.startsWith('{')) {
      if (part !== value) return undefined;
      continue;
    }
    const name = decoded(value);
    if (name === undefined || name === '' || name.includes('/')) return undefined;
    names.push(name);
  }
  return names;
}

function decoded(part: string): string | undefined {
  try {
    return decodeURIComponent(part);
  } catch {
    return undefined;
  }
}

/** Loaded at the first request, and kept as it is sent. */
let charts: Promise<string> | undefined;

async function showCharts(
  query: URLSearchParams,
): Promise<Answer | { readonly ok: true; readonly pieces: readonly string[] }> {
  const wrong = wrongParameters(query, []);
  if (wrong !== undefined) return wrong;
  charts ??= import('../charts.json', { with: { type: 'json' } }).then((module) =>
    JSON.stringify(module.default),
  );
  return { ok: true, pieces: [await charts] };
}
