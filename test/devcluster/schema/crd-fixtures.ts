// The chart's CRDs and samples as objects, for the tests of schemas.
import { readdirSync, readFileSync } from 'node:fs';
import { parseAllDocuments } from 'yaml';
import { readCrds } from '#src/dev/crds.ts';
import type { Schema, Stored } from '#src/devcluster/contract.ts';
import { isRecord, listAt, recordAt } from '#src/devcluster/schema/record.ts';

const samples = new URL('../../../charts/coppice/samples/', import.meta.url);

const isStored = (value: unknown): value is Stored =>
  isRecord(value) && isRecord(value['metadata']);

const crds = readCrds().map(({ body }) => body as Stored);

/** All CRDs of the chart, for whoever changes them too. */
export const allCrds = (): Stored[] => structuredClone(crds);

/** A CRD by its plural name. */
export function crd(plural: string): Stored {
  const found = crds.find(({ metadata }) => String(metadata.name).startsWith(`${plural}.`));
  if (found === undefined) throw new Error(`the chart has no CRD of ${plural}`);
  return structuredClone(found);
}

/** The schema of the only version of a CRD. */
export const crdSchema = (plural: string): Schema =>
  recordAt(
    recordAt(listAt(recordAt(crd(plural), 'spec'), 'versions')[0], 'schema'),
    'openAPIV3Schema',
  );

/** File name and object of every sample of a kind. */
export const samplesOf = (kind: string): [string, Stored][] =>
  readdirSync(samples).flatMap((name) =>
    parseAllDocuments(readFileSync(new URL(name, samples), 'utf8'))
      .map((document): unknown => document.toJS())
      .filter(isStored)
      .filter((object) => object['kind'] === kind)
      .map((object): [string, Stored] => [name, object]),
  );

/** Every PodCliqueSet among them. */
export const allSamples = (): [string, Stored][] => samplesOf('PodCliqueSet');
