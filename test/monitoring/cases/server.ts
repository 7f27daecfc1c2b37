// Of the alerts about the API server: what it refuses.
import type { SeriesValues } from '../promtool.ts';
import { type AlertCase, controller, job, namespace, ofClique, other, our } from './case.ts';

const requests = (labels: string, code: string, values: string): SeriesValues => ({
  [`rest_client_requests_total{${labels},code="${code}",method="PUT",host="h"}`]: values,
});

export const ofServer: Readonly<Record<string, AlertCase>> = {
  CoppiceConflicts: {
    firing: {
      series: { ...requests(our, '409', '0+12x60'), ...requests(our, '200', '0+48x60') },
      at: '25m',
      labels: { namespace, job },
      description:
        '20% of the requests of coppice to the API server are refused with 409. Somebody else writes the same objects.',
    },
    quiet: {
      'one of a hundred': {
        ...requests(our, '409', '0+12x60'),
        ...requests(our, '200', '0+1200x60'),
      },
      'one in ten minutes': {
        ...requests(our, '409', '0x9 1x50'),
        ...requests(our, '200', '0x60'),
      },
      'those of another operator': requests(other, '409', '0+60x60'),
    },
  },
  CoppiceStatusConflicts: {
    firing: {
      series: {
        [`grove_operator_status_update_conflict_total{${ofClique},target_kind="PodClique"}`]:
          '0+30x60',
      },
      at: '25m',
      labels: { namespace, job, controller, target_kind: 'PodClique' },
      description:
        'podclique-controller of coppice meets 0.50 conflicts a second on the status of PodClique.',
    },
    quiet: {
      'a few a minute': {
        [`grove_operator_status_update_conflict_total{${ofClique},target_kind="PodClique"}`]:
          '0+6x60',
      },
    },
  },
  CoppiceThrottled: {
    firing: {
      series: { ...requests(our, '429', '0+12x60'), ...requests(our, '200', '0+48x60') },
      at: '25m',
      labels: { namespace, job },
      description:
        '20% of the requests of coppice are refused with 429. Everything goes on, but slower.',
    },
    quiet: {
      'a burst of five minutes': {
        ...requests(our, '429', '0+12x5 60x55'),
        ...requests(our, '200', '0+48x60'),
      },
    },
  },
};
