// The reasons of Kubernetes Events, which people alert on. They stand where they are decided, so
// they are read out of the sources: `reason` of every `recordEvent`, and what a function named
// `eventReason` may return.
import { Visitor } from 'rolldown/utils';
import { readSources, type Source } from '#test/tidy/sources.ts';
import { page } from './page.ts';

export function renderEvents(): string {
  const reasons = readSources()
    .filter(({ path }) => /^(?:machines|actors)\//.test(path))
    .flatMap(reasonsOf);
  return page(...[...new Set(reasons)].toSorted());
}

function reasonsOf(source: Source): readonly string[] {
  const found: string[] = [];
  const textsIn = ({ start, end }: { readonly start: number; readonly end: number }) => {
    for (const [, reason = ''] of source.text.slice(start, end).matchAll(/'([A-Z][A-Za-z]+)'/g)) {
      found.push(reason);
    }
  };
  new Visitor({
    ObjectExpression: ({ properties }) => {
      const named = new Map(
        properties.flatMap((property) =>
          property.type === 'Property' && property.key.type === 'Identifier'
            ? [[property.key.name, property.value] as const]
            : [],
        ),
      );
      const type = named.get('type');
      const reason = named.get('reason');
      if (type?.type !== 'Literal' || type.value !== 'recordEvent' || reason === undefined) return;
      textsIn(reason);
    },
    VariableDeclarator: ({ id, init }) => {
      if (id.type === 'Identifier' && id.name === 'eventReason' && init !== null) textsIn(init);
    },
    FunctionDeclaration: ({ id, body }) => {
      if (id?.name === 'eventReason' && body !== null) textsIn(body);
    },
  }).visit(source.ast.program);
  return found;
}
