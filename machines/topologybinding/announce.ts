// What the whole cluster hears of a topology: every PodCliqueSet the levels of each binding, as any
// may name it, and every binding the topologies of the scheduler backends, as any may refer to
// them. Used by machines/routes.ts.
import type { Announcement } from '../vocabulary.ts';
import type { BindingFact, TopologyFact } from './facts.ts';

/** Its status is nobody's business but its own. */
export const announceLevels = ({ name, uid, levels }: BindingFact): readonly Announcement[] => {
  const [seen, gone] = [
    { type: 'levels.observed', name, uid, levels },
    { type: 'levels.gone', name, uid },
  ];
  return [{ to: ['podcliqueset'], seen, gone }];
};

export const announceTopology = (fact: TopologyFact): readonly Announcement[] => {
  const [seen, gone] = [
    { type: 'topology.observed', fact },
    { type: 'topology.gone', name: fact.name, uid: fact.uid },
  ];
  return [{ to: ['topologybinding'], seen, gone }];
};
