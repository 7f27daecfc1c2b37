// What frames every view: places, search, the connection, who is asking; and above the view what is
// wrong with the connection, for as long as it is.
import type { ComponentChildren } from 'preact';
import { connection, isListed, isPaused, missing, restart, session } from '../core/feed.ts';
import { isHelpShown } from '../core/keys.ts';
import { address, go, route, setParameter } from '../core/route.ts';
import { changes, allRows } from '../core/rows.ts';
import { isRestarting } from '../core/states.ts';
import { themeNow, toggleTheme } from '../core/theme.ts';
import { age, clock, tick } from '../core/time.ts';
import { Mark } from './mark.tsx';

const places = [
  ['Overview', '/ui/', ['overview']],
  ['Actors', '/ui/actors', ['actors', 'actor', 'trace']],
  ['Trouble', '/ui/trouble', ['trouble']],
  ['Timeline', '/ui/timeline', ['timeline']],
  ['Machines', '/ui/machines', ['machines', 'machine']],
] as const;

export function Shell({ children }: { children: ComponentChildren }) {
  return (
    <>
      <header class="top">
        <a class="brand" href="/ui/">
          coppice
        </a>
        <nav aria-label="views">
          {places.map(([name, href, views]) => (
            <a
              key={href}
              href={href}
              {...(views.some((view) => view === route.value.view)
                ? { 'aria-current': 'page' }
                : {})}
            >
              {name}
              {name === 'Trouble' && <TroubleCount />}
            </a>
          ))}
        </nav>
        <Search />
        <Status />
        <button type="button" class="plain" onClick={toggleTheme}>
          {themeNow() === 'dark' ? 'light' : 'dark'}
        </button>
        <button
          type="button"
          class="plain"
          aria-label="keys"
          onClick={() => {
            isHelpShown.value = true;
          }}
        >
          ?
        </button>
      </header>
      <Banner />
      <main id="main">{children}</main>
    </>
  );
}

function TroubleCount() {
  void changes.value;
  const count = Iterator.from(allRows()).reduce(
    (sum, row) => sum + (row.isParked || isRestarting(row) ? 1 : 0),
    0,
  );
  return count === 0 ? null : <span class="badge">{count}</span>;
}

/** Filters the actors, from wherever it is typed. */
function Search() {
  const isActors = route.value.view === 'actors';
  const shown = isActors ? (address.value.searchParams.get('text') ?? '') : '';
  return (
    <input
      id="search"
      type="search"
      placeholder="search actors  /"
      aria-label="search actors"
      spellcheck={false}
      value={shown}
      onInput={({ currentTarget: { value } }) => {
        if (isActors) setParameter('text', value);
        else if (value !== '') go(`/ui/actors?text=${encodeURIComponent(value)}`);
      }}
      onKeyDown={(event) => {
        if (event.key === 'Escape') event.currentTarget.blur();
        if (event.key !== 'Enter' && event.key !== 'ArrowDown') return;
        event.preventDefault();
        document.querySelector<HTMLElement>('[role=treegrid]')?.focus();
      }}
    />
  );
}

const words = {
  connecting: ['progress', 'connecting'],
  live: ['good', 'live'],
  paused: ['parked', 'paused'],
  lost: ['bad', 'lost'],
  refused: ['bad', 'refused'],
} as const;

function Status() {
  const [tone, word] = words[connection.value.is];
  const { user = '', process = '' } = session.value ?? {};
  return (
    <div class="status">
      <button
        type="button"
        class={`plain word ${tone}`}
        aria-pressed={isPaused.value}
        title="pause (p)"
        onClick={() => {
          isPaused.value = !isPaused.value;
        }}
      >
        <Mark tone={tone} />
        {word}
      </button>
      {process !== '' && (
        <span class="id dim" title={`answered by ${process}`}>
          {user}
        </span>
      )}
    </div>
  );
}

function Banner() {
  const now = connection.value;
  const silent = missing.value;
  return (
    <div aria-live="polite">
      {now.is === 'lost' && (
        <p class="banner bad" id="lost">
          <Mark tone="bad" />
          <span>
            Connection lost {age(now.since, tick.value)} ago
            {isListed.value ? `; what is shown is as it was at ${clock(now.since)}` : ''}. {now.why}
            . Next attempt in {Math.max(0, Math.ceil((now.retryAt - tick.value) / 1000))}s.
          </span>
          <button type="button" onClick={restart}>
            Try now
          </button>
        </p>
      )}
      {now.is === 'refused' && (
        <p class="banner bad">
          <Mark tone="bad" />
          <span>Refused: {now.why}. Nothing is asked any more.</span>
          <button type="button" onClick={restart}>
            Try again
          </button>
        </p>
      )}
      {now.is === 'paused' && (
        <p class="banner parked">
          <Mark tone="parked" />
          <span>
            Paused {age(now.since, tick.value)} ago at {clock(now.since)}; press p to go on.
          </span>
        </p>
      )}
      {silent.length > 0 && (
        <p class="banner warn">
          <Mark tone="warn" />
          <span>Of these processes nothing is known now: {silent.join(', ')}</span>
        </p>
      )}
    </div>
  );
}
