// Who takes part in `npm run bench -- activator-proxy`.

export const ourNames = ['ours-off', 'ours-cc0', 'ours-cc10', 'ours-cc1', 'ours-workers'] as const;

export const contenderNames = [
  'direct',
  'nginx',
  'haproxy',
  'http-proxy',
  'fast-proxy',
  'fast-proxy-undici',
  'fastify',
  'pipe',
  'admitted',
  ...ourNames,
] as const;

export type ContenderName = (typeof contenderNames)[number];

/** What every request carries, whoever it goes to: by it ours knows the revision. */
export const requestHeaders = {
  'knative-serving-namespace': 'bench',
  'knative-serving-revision': 'hello',
} as const;
