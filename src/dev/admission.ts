// The admission of `coppice dev`: webhooks on loopback at any free port, registered with the
// embedded cluster, which cannot reach Services. For the cluster that stays and for the rehearsal.
import type { Configuration } from '#src/config/schema.ts';

export const localAdmission = ({ admission }: Configuration): Configuration['admission'] => ({
  ...admission,
  enabled: true,
  bindAddress: '127.0.0.1',
  port: 0,
  registration: 'url',
  certificates: { ...admission.certificates, mode: 'auto' },
});
