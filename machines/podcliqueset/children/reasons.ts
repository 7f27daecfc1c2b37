// Reasons of Warnings about writes of a PodCliqueSet's children (spec controllers 9.3).
import { sameForAll } from '../../children/type.ts';

export const cliqueReason = sameForAll('PodCliqueCreateOrUpdateFailed', 'PodCliqueDeleteFailed');

/** Grove has none for the kind. */
export const noReason = cliqueReason;
