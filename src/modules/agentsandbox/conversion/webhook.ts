// The conversion of agent-sandbox's kinds as a webhook, under the path that the original has (spec
// agent-sandbox 1.0). Loaded by edge.ts.
import type { WebhooksOf } from '../../edge.ts';
import { convert } from './convert.ts';

const plurals = {
  'agents.x-k8s.io': ['sandboxes'],
  'extensions.agents.x-k8s.io': ['sandboxtemplates', 'sandboxclaims', 'sandboxwarmpools'],
};

export const sandboxConversion = {
  path: '/convert',
  definitions: Object.entries(plurals).flatMap(([group, names]) =>
    names.map((plural) => `${plural}.${group}`),
  ),
  convert,
} as const;

/** Of CRDs that nobody needs, none may be there. */
export const sandboxWebhooks: WebhooksOf = ({ configuration: { agentSandbox } }) => [
  agentSandbox.extensions
    ? sandboxConversion
    : { ...sandboxConversion, definitions: ['sandboxes.agents.x-k8s.io'] },
];
