// The chart's CRDs and samples as objects, for the tests of schemas.
import { readdirSync, readFileSync } from 'node:fs';
import { pathToFileURL } from 'node:url';
import { parse } from 'yaml';
import type { Schema, Stored } from '#src/devcluster/contract.ts';
import { crdFolder } from '#src/modules/crds.ts';
import { isRecord, listAt, recordAt } from '#src/devcluster/schema/record.ts';

const crds = pathToFileURL(crdFolder('grove'));
const samples = new URL('../../../charts/coppice/samples/', import.meta.url);

const isStored = (value: unknown): value is Stored =>
  isRecord(value) && isRecord(value['metadata']);

function read(url: URL): Stored {
  const value: unknown = parse(readFileSync(url, 'utf8'));
  if (!isStored(value)) throw new Error(`${url.pathname} is no object`);
  return value;
}

/** A CRD by its plural name. */
export const crd = (plural: string): Stored => read(new URL(`${plural}.yaml`, crds));

/** All CRDs of the chart. */
export const allCrds = (): Stored[] => readdirSync(crds).map((name) => read(new URL(name, crds)));

/** The schema of the only version of a CRD. */
export const crdSchema = (plural: string): Schema =>
  recordAt(
    recordAt(listAt(recordAt(crd(plural), 'spec'), 'versions')[0], 'schema'),
    'openAPIV3Schema',
  );

/** File name and object of every sample. */
export const allSamples = (): [string, Stored][] =>
  readdirSync(samples).map((name) => [name, read(new URL(name, samples))]);
