// The runtime itself: actors, leases and the bus.
import { type Dashboard, gauge, one, rate, sum } from '../panel.ts';

export const actors: Dashboard = {
  name: 'actors-and-leases',
  title: 'Coppice / Actors and leases',
  about: 'Who owns what, what crashed, and is the bus well?',
  rows: [
    {
      title: 'Actors',
      panels: [
        {
          title: 'Alive',
          about: 'One for each object that has a life.',
          unit: 'short',
          queries: one('{{controller}}', sum('controller', gauge('coppice_actors'))),
        },
        {
          title: 'Parked',
          about: 'They wait for a new spec or a command.',
          unit: 'short',
          queries: one('{{controller}}', sum('controller', gauge('coppice_actors_parked'))),
        },
        {
          title: 'Restarts',
          about: 'After a crash.',
          unit: 'ops',
          queries: one('{{controller}}', sum('controller', rate('coppice_actor_restarts_total'))),
        },
        {
          title: 'Charts restored',
          about: '0. Each is a bug in Coppice.',
          unit: 'ops',
          queries: one('{{controller}}', sum('controller', rate('coppice_chart_restores_total'))),
        },
      ],
    },
    {
      title: 'Leases',
      panels: [
        {
          title: 'Shards held',
          about: 'By process; together they are all shards.',
          unit: 'short',
          queries: one('{{instance}}', gauge('coppice_leases_held')),
        },
        {
          title: 'Age of the renewal',
          about: 'A lease that is not renewed ends: 15 s by default.',
          unit: 's',
          queries: one('{{instance}}', gauge('coppice_lease_renewal_age_seconds')),
        },
        {
          title: 'May write',
          about: '0: the process is not sure of its lease, and writes nothing.',
          unit: 'short',
          queries: one('{{instance}}', gauge('coppice_lease_sure')),
        },
        {
          title: 'Shards that changed hands',
          about: 'With a restart; else none.',
          unit: 'ops',
          queries: one('{{instance}}', rate('coppice_lease_changes_total')),
        },
      ],
    },
    {
      title: 'Bus',
      panels: [
        {
          title: 'Connected',
          about: 'Without NATS everything goes on but what reads it.',
          unit: 'short',
          queries: one('{{instance}}', gauge('coppice_bus_connected')),
        },
        {
          title: 'Round trip',
          about: 'To the NATS server.',
          unit: 's',
          queries: one('{{instance}}', gauge('coppice_bus_round_trip_seconds')),
        },
        {
          title: 'Facts',
          about: 'Published, dropped since NATS was away or slow, and refused on the way in.',
          unit: 'ops',
          queries: ['published', 'dropped', 'rejected'].map((what) => ({
            expr: `sum(${rate(`coppice_bus_${what}_total`)})`,
            legend: what,
          })),
        },
        {
          title: 'Messages that woke nobody',
          about: 'By reason: docs/bus.md.',
          unit: 'ops',
          queries: one('{{reason}}', sum('reason', rate('coppice_messages_dropped_total'))),
        },
      ],
    },
  ],
};
