// The entry of the inspector's page: which view an address shows, and what runs for all of them.
import { render } from 'preact';
import { useEffect } from 'preact/hooks';
import { keepTokenOfLink, tokenWanted } from './core/api.ts';
import { connection, isListed, session, startFeed } from './core/feed.ts';
import { startKeys } from './core/keys.ts';
import { route } from './core/route.ts';
import { startTheme } from './core/theme.ts';
import { startTicks } from './core/time.ts';
import { Help, TokenForm } from './parts/dialogs.tsx';
import { Shell } from './parts/shell.tsx';
import { ActorView } from './views/actor.tsx';
import { ActorsView } from './views/actors.tsx';
import { MachinesView, MachineView } from './views/machines.tsx';
import { OverviewView } from './views/overview.tsx';
import { TimelineView } from './views/timeline.tsx';
import { TraceView } from './views/trace.tsx';
import { TroubleView } from './views/trouble.tsx';

function View() {
  const here = route.value;
  // Another process counts its facts anew.
  const process = session.value?.process ?? '';
  switch (here.view) {
    case 'overview':
      return <OverviewView />;
    case 'actors':
      return <ActorsView />;
    case 'actor':
      return <ActorView key={`${process} ${here.id}`} id={here.id} />;
    case 'trace':
      return <TraceView key={here.id} id={here.id} />;
    case 'timeline':
      return <TimelineView key={process} />;
    case 'trouble':
      return <TroubleView />;
    case 'machines':
      return <MachinesView />;
    case 'machine':
      return <MachineView key={here.machine} machine={here.machine} />;
    case 'missing':
      return (
        <section>
          <h1>There is no such page</h1>
          <p>
            <a href="/ui/">Overview</a>
          </p>
        </section>
      );
  }
}

/** Before the first list; the banner says what keeps it away. */
const Waiting = () => (
  <p class="quiet">
    {connection.value.is === 'connecting' ? 'asks for the actors' : 'No actor is known.'}
  </p>
);

function titleOf(): string {
  const here = route.value;
  const what = 'id' in here ? here.id : 'machine' in here ? here.machine : here.view;
  return `${what} · Coppice`;
}

function Page() {
  const title = titleOf();
  useEffect(() => {
    document.title = title;
  }, [title]);
  if (tokenWanted.value !== undefined) return <TokenForm />;
  return (
    <>
      <Shell>{isListed.value ? <View /> : <Waiting />}</Shell>
      <Help />
    </>
  );
}

startTheme();
startKeys();
startTicks();
render(<Page />, document.body);
keepTokenOfLink();
startFeed();
