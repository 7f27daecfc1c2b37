// Reasons of Warnings about writes of a PodCliqueSet's children (spec controllers 9.3), where a
// kind has none of its own in Grove: those of PodCliques.
import { sameForAll } from '../../children/type.ts';

export const usualReason = sameForAll('PodCliqueCreateOrUpdateFailed', 'PodCliqueDeleteFailed');
