// One fact as a line of a history, a trace or the timeline.
import type { FactRow } from '#src/inspector/protocol.ts';
import { sayFact, toneOfFact } from '../core/facts.ts';
import { linkToActor, linkToTrace } from '../core/route.ts';
import { clock, isoTime } from '../core/time.ts';
import { Mark } from './mark.tsx';

export const factHeight = 24;

export function FactWord({ fact }: { fact: FactRow }) {
  return (
    <span class={`what ${toneOfFact(fact)}`}>
      <Mark tone={toneOfFact(fact)} />
      {fact.what}
    </span>
  );
}

/** By its name, with its kind behind; the whole id where somebody points. */
export function ActorLink({ id }: { id: string }) {
  const [kind = '', namespace = '', name = ''] = id.split('/');
  return (
    <>
      <a class="id" href={linkToActor(id)} title={`${kind} ${namespace}/${name}`} tabIndex={-1}>
        {name}
      </a>{' '}
      <span class="dim">{kind}</span>
    </>
  );
}

/** `withActor`: the list is not of one actor alone. */
export function FactLine({ fact, withActor }: { fact: FactRow; withActor: boolean }) {
  return (
    <div class={`fact${withActor ? ' with-actor' : ''}`} role="listitem">
      <time dateTime={isoTime(fact.at)}>{clock(fact.at)}</time>
      <FactWord fact={fact} />
      {withActor && (
        <span class="who">
          <ActorLink id={fact.about} />
        </span>
      )}
      <span class="saying" title={sayFact(fact)}>
        {sayFact(fact)}
      </span>
      {fact.trace !== '' && (
        <a class="trace-link" href={linkToTrace(fact.trace)} aria-label={`trace ${fact.trace}`}>
          trace
        </a>
      )}
    </div>
  );
}
