// `/livez`, `/readyz`, `/healthz` as the API server has them: 200 `ok` or 500, `?verbose` lists the
// checks, `?exclude=name` leaves one out, `/livez/name` runs one alone.
import { type Handler, type Reply, type Routes, text } from './server.ts';

/** A check tells what is wrong in a few words, or undefined where all is well. */
export interface Check {
  /** Lower case with dashes, e.g. `event-loop`. */
  readonly name: string;
  readonly run: () => string | undefined;
}

/** `live` decides whether the process is restarted, `ready` whether it gets traffic. */
export function probeRoutes(live: readonly Check[], ready: readonly Check[]): Routes {
  return {
    ...probe('livez', live),
    ...probe('readyz', ready),
    ...probe('healthz', live), // older name, kept for tools that know no other
  };
}

function probe(name: string, checks: readonly Check[]): Routes {
  const all: Handler = (query) => {
    const excluded = query.getAll('exclude');
    const chosen = checks.filter((check) => !excluded.includes(check.name));
    return report(name, chosen, query.has('verbose'));
  };
  const one: Handler = (query, path) => {
    const wanted = path.slice(`/${name}/`.length);
    const check = checks.find((candidate) => candidate.name === wanted);
    if (check !== undefined) return report(name, [check], query.has('verbose'));
    const known = checks.map((candidate) => candidate.name).join(', ');
    return text(404, `no check "${wanted}"; the checks are ${known}`);
  };
  return { [`/${name}`]: all, [`/${name}/*`]: one };
}

function report(name: string, checks: readonly Check[], isVerbose: boolean): Reply {
  const results = checks.map((check) => ({ name: check.name, wrong: check.run() }));
  const failed = results.some(({ wrong }) => wrong !== undefined);
  if (!failed && !isVerbose) return text(200, 'ok');
  const lines = results.map(({ name, wrong }) =>
    wrong === undefined ? `[+]${name} ok` : `[-]${name} ${wrong}`,
  );
  lines.push(`${name} check ${failed ? 'failed' : 'passed'}`);
  return text(failed ? 500 : 200, lines.join('\n'));
}
