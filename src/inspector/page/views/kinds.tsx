// Of each kind of actor how many are in which state: a part of the overview.
import { linkToActors, linkToMachine } from '../core/route.ts';
import { allRows, changes } from '../core/rows.ts';
import { toneNames, type Tone, toneOfRow, tones, wordOfRow } from '../core/states.ts';
import { Mark } from '../parts/mark.tsx';

interface KindCount {
  total: number;
  readonly byTone: Map<Tone, number>;
  readonly byWord: Map<string, { tone: Tone; count: number }>;
}

function countKinds(): ReadonlyMap<string, KindCount> {
  const kinds = new Map<string, KindCount>();
  for (const row of allRows()) {
    const one = kinds.get(row.kind) ?? { total: 0, byTone: new Map(), byWord: new Map() };
    kinds.set(row.kind, one);
    const tone = toneOfRow(row);
    const word = wordOfRow(row);
    one.total++;
    one.byTone.set(tone, (one.byTone.get(tone) ?? 0) + 1);
    one.byWord.set(word, { tone, count: (one.byWord.get(word)?.count ?? 0) + 1 });
  }
  return new Map([...kinds].toSorted(([a], [b]) => (a < b ? -1 : 1)));
}

export function Kinds() {
  void changes.value;
  const kinds = countKinds();
  return (
    <table class="kinds">
      <caption>Actors by kind and state</caption>
      <thead>
        <tr>
          <th scope="col">kind</th>
          <th scope="col" class="number">
            all
          </th>
          {tones.map((tone) => (
            <th key={tone} scope="col" class="number">
              <Mark tone={tone} /> {toneNames[tone]}
            </th>
          ))}
        </tr>
      </thead>
      {[...kinds].map(([kind, { total, byTone, byWord }]) => (
        <tbody key={kind}>
          <tr>
            <th scope="row" class="id">
              <a href={linkToMachine(kind)}>{kind}</a>
            </th>
            <td class="number">
              <a href={linkToActors({ kind })}>{total.toLocaleString('en')}</a>
            </td>
            {tones.map((tone) => (
              <td key={tone} class={byTone.has(tone) ? `number ${tone}` : 'number none'}>
                {byTone.get(tone)?.toLocaleString('en') ?? '·'}
              </td>
            ))}
          </tr>
          <tr class="words">
            <td colSpan={tones.length + 2}>
              {[...byWord]
                .toSorted(([, a], [, b]) => tones.indexOf(a.tone) - tones.indexOf(b.tone))
                .map(([word, { tone, count }]) => (
                  <a key={word} class={`chip ${tone}`} href={linkToActors({ kind, state: word })}>
                    {word} <span class="number">{count.toLocaleString('en')}</span>
                  </a>
                ))}
            </td>
          </tr>
        </tbody>
      ))}
    </table>
  );
}
