// All cells of `npm run bench -- activator-micro`.
import type { Cell } from '../body.ts';
import { acquireCells } from './acquire.ts';
import { podCells } from './pods.ts';
import { waitingCells } from './waiting.ts';

export const cells: readonly Cell[] = [...acquireCells, ...waitingCells, ...podCells];

export const parts = [...new Set(cells.map(({ part }) => part))];
