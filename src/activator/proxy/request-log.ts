// The request log: a line for each request, by the template that Knative's `config-observability`
// has (`logging.request-log-template`; spec activator 1.4). Of Go's templates it knows what such a
// template uses: fields, `js`, `index` and `Get` of a header. Anything else is refused at the
// start.
import type { LoggedRequest } from './logged.ts';
import type { RequestLogOptions } from './options.ts';

type Read = (request: LoggedRequest) => string;

const fields: Readonly<Record<string, Read>> = {
  '.Request.Method': ({ method }) => method,
  '.Request.RequestURI': ({ url }) => url,
  '.Request.URL': ({ url }) => url,
  '.Request.URL.Path': ({ url }) => url.split('?', 1)[0] ?? '',
  '.Request.Host': ({ host }) => host,
  '.Request.Proto': ({ protocol }) => protocol,
  '.Request.RemoteAddr': ({ remoteAddress }) => remoteAddress,
  '.Request.UserAgent': (request) => headerOf(request, 'user-agent'),
  '.Request.Referer': (request) => headerOf(request, 'referer'),
  '.Request.ContentLength': (request) => headerOf(request, 'content-length') || '0',
  '.Response.Code': ({ code }) => String(code),
  '.Response.Size': ({ size }) => String(size),
  '.Response.Latency': ({ latencyMs }) => String(latencyMs / 1_000),
  '.Revision.Name': ({ name }) => name,
  '.Revision.Namespace': ({ namespace }) => namespace,
  '.Revision.Service': ({ service }) => service,
  '.Revision.Configuration': ({ configuration }) => configuration,
  '.Revision.PodName': ({ podName }) => podName,
  '.Revision.PodIP': ({ podIp }) => podIp,
};

const fieldOf = (name: string): Read | undefined =>
  Object.hasOwn(fields, name) ? fields[name] : undefined;

const headerOf = ({ headers }: LoggedRequest, name: string): string => {
  const value = headers[name.toLowerCase()];
  return typeof value === 'object' ? value.join(', ') : (value ?? '');
};

const action = /\{\{-?\s*(.*?)\s*-?\}\}/gs;
const ofHeader =
  /^(?:\.Request\.Header\.Get\s+"([^"]+)"|index\s+\.Request\.Header\s+"([^"]+)"(?:\s+0)?)$/;

/** To standard output, where Knative's activator writes it too; without a template none. */
export const requestLogOf = (
  template: string | undefined,
): { readonly requestLog?: RequestLogOptions } =>
  template === undefined
    ? {}
    : { requestLog: { template, write: (line) => void process.stdout.write(`${line}\n`) } };

/** Throws an Error for a template that cannot be read. */
export function requestLogger({ template, write }: RequestLogOptions): (r: LoggedRequest) => void {
  const parts = partsOf(template);
  if (typeof parts === 'string') throw new Error(`requestLog.template ${parts}`);
  return (request) => write(parts.map((part) => part(request)).join(''));
}

/** What is wrong with it, behind the name of its field; undefined: nothing. */
export function templateProblem(template: string): string | undefined {
  const parts = partsOf(template);
  return typeof parts === 'string' ? parts : undefined;
}

function partsOf(template: string): readonly Read[] | string {
  const parts: Read[] = [];
  let end = 0;
  for (const found of template.matchAll(action)) {
    const text = template.slice(end, found.index);
    const read = readOf(found[1] ?? '');
    if (typeof read === 'string') return read;
    parts.push(() => text, read);
    end = found.index + found[0].length;
  }
  const rest = template.slice(end);
  if (rest.includes('{{')) return `has {{ without }} in "${rest}"`;
  return [...parts, () => rest];
}

function readOf(expression: string): Read | string {
  const isEscaped = expression.startsWith('js ');
  const inner = isEscaped
    ? expression
        .slice(3)
        .trim()
        .replace(/^\((.*)\)$/s, '$1')
    : expression;
  const [, got, indexed] = ofHeader.exec(inner) ?? [];
  const header = got ?? indexed;
  const read =
    header === undefined ? fieldOf(inner) : (r: LoggedRequest): string => headerOf(r, header);
  if (read === undefined) {
    const known = Object.keys(fields).join(' ');
    return (
      `has {{${expression}}}, which is not known; there is ${known}, ` +
      '.Request.Header.Get "Name", index .Request.Header "Name", and js before each'
    );
  }
  return isEscaped ? (request) => escapedForScript(read(request)) : read;
}

/** As Go's `js`: quotes and line ends do not end the string that they are in. */
const escapedForScript = (text: string): string =>
  text.replaceAll(/[\\'"<>&=\p{Cc}]/gu, (character) => {
    if (character === '\\' || character === "'" || character === '"') return `\\${character}`;
    return `\\u${character.codePointAt(0)?.toString(16).toUpperCase().padStart(4, '0')}`;
  });
