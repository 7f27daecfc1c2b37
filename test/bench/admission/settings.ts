// The arguments of `npm run bench -- admission`.
import type { Arguments } from '../arguments.ts';

export interface AdmissionCommand {
  readonly command: 'admission';
  readonly out: string | undefined;
  /** Reviews a second, half of each webhook. */
  readonly rate: number;
  readonly seconds: number;
  /** PodCliques of the set that is reviewed. */
  readonly cliques: number;
}

/** Milliseconds within which 99 of 100 reviews are to be answered (S-12). */
export const limitMs = 50;

export const readAdmission = (flags: Arguments, out: string | undefined): AdmissionCommand => ({
  command: 'admission',
  out,
  rate: flags.integer('rate', 100, { least: 1, most: 10_000 }),
  seconds: flags.integer('seconds', 60, { least: 1, most: 3600 }),
  cliques: flags.integer('cliques', 10, { least: 1, most: 500 }),
});
