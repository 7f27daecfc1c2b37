// Why is it stuck: the answer to `why`, in the words that the bus and the command line give too.
import { at, list, text } from '#machines/kubernetes/json.ts';
import { useEvery, useRemote } from '../core/remote.ts';
import { pathOfActor } from '../core/route.ts';
import type { TabProps } from '../core/tab.ts';
import { again, clock, tick, until } from '../core/time.ts';
import { Mark } from '../parts/mark.tsx';
import { Problem } from '../parts/problem.tsx';

/** Sentences say how long something takes still, so they are asked for anew. */
const askEveryMs = 5000;

export function Why({ id, news }: TabProps) {
  const again = `${news} ${useEvery(askEveryMs)}`;
  const remote = useRemote<unknown>(`/actors/${pathOfActor(id)}/why`, again);
  const { data } = remote;
  if (data === undefined) return <Problem remote={remote} what="reasons" />;
  return (
    <div class="why">
      <Problem remote={remote} what="reasons" />
      <Reasons data={data} />
      <Blocked data={data} />
      <Decisions data={data} />
    </div>
  );
}

function Reasons({ data }: { data: unknown }) {
  const because = list(at(data, 'because')).map(text);
  const wakesAt = momentOf(at(data, 'wakesAt'));
  return (
    <>
      <h2>It waits for</h2>
      {because.length === 0 ? (
        <p class="reason good">
          <Mark tone="good" /> nothing: all is as it should be
        </p>
      ) : (
        <ol class="reasons">
          {because.map((sentence, index) => (
            <li key={sentence} class={index === 0 ? 'first' : ''}>
              {sentence}
            </li>
          ))}
        </ol>
      )}
      <p class="deadline">
        <span class="dim">looks again</span>{' '}
        {wakesAt === undefined
          ? 'when it hears something: no deadline is set'
          : `at ${clock(wakesAt)}, ${until(wakesAt, tick.value)}`}
      </p>
    </>
  );
}

const momentOf = (value: unknown): number | undefined =>
  typeof value === 'number' ? value : undefined;

function Blocked({ data }: { data: unknown }) {
  const blocked = list(at(data, 'blocked'));
  if (blocked.length === 0) return null;
  return (
    <table>
      <caption>Blocked writes</caption>
      <thead>
        <tr>
          <th scope="col">object</th>
          <th scope="col">error</th>
          <th scope="col">message</th>
          <th scope="col" class="number">
            again
          </th>
        </tr>
      </thead>
      <tbody>
        {blocked.map((one) => (
          <tr key={text(at(one, 'object'))}>
            <td class="id">{text(at(one, 'object'))}</td>
            <td class="bad">{text(at(one, 'code'))}</td>
            <td class="wrap">{text(at(one, 'message'))}</td>
            <td class="number">{again(momentOf(at(one, 'retryAt')) ?? null)}</td>
          </tr>
        ))}
      </tbody>
    </table>
  );
}

function Decisions({ data }: { data: unknown }) {
  const decisions = list(at(data, 'decisions')).toReversed();
  return (
    <table>
      <caption>Last decisions, newest first</caption>
      <tbody>
        {decisions.map((one) => {
          const when = momentOf(at(one, 'at')) ?? 0;
          return (
            <tr key={`${when} ${text(at(one, 'what'))} ${text(at(one, 'why'))}`}>
              <td class="number">
                <time>{clock(when)}</time>
              </td>
              <td class="id">{text(at(one, 'what'))}</td>
              <td class="wrap">{text(at(one, 'why'))}</td>
            </tr>
          );
        })}
        {decisions.length === 0 && (
          <tr>
            <td class="dim">none since it was started</td>
          </tr>
        )}
      </tbody>
    </table>
  );
}
