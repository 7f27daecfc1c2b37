// One actor: what it waits for, where it is in its chart, what happened, what it knows; and the
// commands.
import { useEffect, useState } from 'preact/hooks';
import type { FactRow } from '#src/inspector/protocol.ts';
import { factsWanted, onFacts, onGap, session } from '../core/feed.ts';
import { useKeys } from '../parts/use-keys.ts';
import { useThrottled } from '../core/remote.ts';
import { linkToActor, linkToMachine, parameter, setParameter } from '../core/route.ts';
import { changes, childrenOf, type Row, rowOf } from '../core/rows.ts';
import { readState, toneOfRow } from '../core/states.ts';
import { age, clock, tick } from '../core/time.ts';
import { CommandDialog } from '../parts/dialogs.tsx';
import { Mark } from '../parts/mark.tsx';
import { AllStates, StateWord } from '../parts/state.tsx';
import type { TabProps } from '../core/tab.ts';
import { ActorChart } from './actor-chart.tsx';
import { Data, Mailbox } from './actor-data.tsx';
import { History } from './history.tsx';
import { Why } from './why.tsx';

const tabs = [
  ['why', 'w'],
  ['chart', 'c'],
  ['history', 'h'],
  ['data', 't'],
  ['mailbox', 'm'],
] as const;
type Tab = (typeof tabs)[number][0];

/** An actor that does much is asked again at most so often. */
const askAgainMs = 500;

const maxKept = 500;

export function ActorView({ id }: { id: string }) {
  void changes.value;
  const row = rowOf(id);
  const [facts, setFacts] = useState<readonly FactRow[]>([]);
  const [news, tell] = useThrottled(askAgainMs);
  useEffect(() => {
    factsWanted.value = id;
    const ends = [
      onFacts((fresh, skipped) => {
        const own = fresh.filter(({ about }) => about === id);
        if (own.length + skipped === 0) return;
        setFacts((before) => [...before, ...own].slice(-maxKept));
        tell();
      }),
      onGap(tell),
    ];
    return () => {
      ends.forEach((end) => end());
      factsWanted.value = '';
    };
  }, [id]);
  const seen = `${row?.state} ${row?.isParked} ${row?.restarts} ${row?.mailbox}`;
  useEffect(tell, [seen]);
  const tab = tabs.find(([name]) => name === parameter('tab'))?.[0] ?? 'why';
  const choose = (name: Tab): void => setParameter('tab', name === 'why' ? '' : name);
  useKeys(
    tabs.map(([, key]) => key),
    (pressed) => tabs.forEach(([name, key]) => key === pressed && choose(name)),
  );
  return (
    <section class="actor">
      <Head id={id} row={row} />
      <Tabs tab={tab} choose={choose} />
      <div role="tabpanel" id="panel" aria-labelledby={`tab-${tab}`} class="panel">
        <Panel tab={tab} id={id} row={row} news={news} facts={facts} />
      </div>
    </section>
  );
}

function Panel({ tab, ...props }: TabProps & { tab: Tab }) {
  switch (tab) {
    case 'why':
      return <Why {...props} />;
    case 'chart':
      return <ActorChart {...props} />;
    case 'history':
      return <History {...props} />;
    case 'data':
      return <Data {...props} />;
    case 'mailbox':
      return <Mailbox {...props} />;
  }
}

function Tabs({ tab, choose }: { tab: Tab; choose: (name: Tab) => void }) {
  const step = (by: number): void => {
    const at = tabs.findIndex(([name]) => name === tab);
    const next = tabs[(at + by + tabs.length) % tabs.length]?.[0] ?? 'why';
    choose(next);
    document.querySelector<HTMLElement>(`#tab-${next}`)?.focus();
  };
  return (
    <div class="tabs" role="tablist" aria-label="what to see of it">
      {tabs.map(([name, key]) => (
        <button
          key={name}
          id={`tab-${name}`}
          type="button"
          role="tab"
          aria-selected={name === tab}
          aria-controls="panel"
          tabIndex={name === tab ? 0 : -1}
          onClick={() => choose(name)}
          onKeyDown={({ key: pressed }) => {
            if (pressed === 'ArrowRight') step(1);
            if (pressed === 'ArrowLeft') step(-1);
          }}
        >
          {name} <kbd aria-hidden="true">{key}</kbd>
        </button>
      ))}
    </div>
  );
}

function Head({ id, row }: { id: string; row: Row | undefined }) {
  void changes.value;
  const [command, setCommand] = useState<'park' | 'unpark' | undefined>(undefined);
  const [kind = '', namespace = '', name = ''] = id.split('/');
  const isAllowed = session.value?.commands === true;
  return (
    <div class="actor-head">
      <Parents row={row} />
      <div class="line">
        <h1 class="id">{name}</h1>
        <span class="dim">
          <a href={linkToMachine(kind)}>{kind}</a> {namespace === '' ? '' : `in ${namespace}`}
        </span>
        {row === undefined ? (
          <span class="word idle">no such actor now</span>
        ) : (
          <>
            <StateWord row={row} />
            <span class="dim">
              since {age(row.since, tick.value)}
              {row.since === 0 ? '' : ` (${clock(row.since)})`}
            </span>
            <span class={row.restarts > 0 ? 'bad' : 'dim'}>
              {row.restarts} {row.restarts === 1 ? 'restart' : 'restarts'}
            </span>
            <span class={row.mailbox > 0 ? 'warn' : 'dim'}>{row.mailbox} in the mailbox</span>
            <button
              type="button"
              id="command"
              disabled={!isAllowed}
              title={isAllowed ? '' : 'commands are not obeyed here (inspector.commands)'}
              onClick={() => setCommand(row.isParked ? 'unpark' : 'park')}
            >
              {row.isParked ? 'Unpark' : 'Park'}
            </button>
          </>
        )}
      </div>
      {row !== undefined && readState(row.state).leaves.length > 1 && <AllStates row={row} />}
      {command !== undefined && (
        <CommandDialog id={id} command={command} onClose={() => setCommand(undefined)} />
      )}
    </div>
  );
}

const maxChildren = 12;

/** From the root down, and what is below it. */
function Parents({ row }: { row: Row | undefined }) {
  void changes.value;
  const parents: Row[] = [];
  for (let up = row && rowOf(row.parent); up !== undefined; up = rowOf(up.parent)) {
    if (parents.includes(up)) break;
    parents.unshift(up);
  }
  const children = row === undefined ? [] : childrenOf(row.id);
  return (
    <nav class="kin" aria-label="parents and children">
      {parents.map((parent) => (
        <span key={parent.id}>
          <a class="id" href={linkToActor(parent.id)}>
            {parent.name}
          </a>{' '}
          <span class="dim">{parent.kind} ›</span>
        </span>
      ))}
      {children.length > 0 && <span class="dim">below it:</span>}
      {children.slice(0, maxChildren).map((child) => (
        <a key={child.id} class="id" href={linkToActor(child.id)}>
          <Mark tone={toneOfRow(child)} /> {child.name}
        </a>
      ))}
      {children.length > maxChildren && (
        <a href={`/ui/actors?text=${encodeURIComponent(row?.name ?? '')}`}>
          and {children.length - maxChildren} more
        </a>
      )}
    </nav>
  );
}
