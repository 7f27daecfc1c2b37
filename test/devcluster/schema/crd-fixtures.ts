// The chart's CRDs and samples as objects, for the tests of schemas.
import { readdirSync, readFileSync } from 'node:fs';
import { pathToFileURL } from 'node:url';
import { load } from 'js-yaml';
import { parseAllDocuments } from 'yaml';
import { modules } from '#machines/index.ts';
import type { Schema, Stored } from '#src/devcluster/contract.ts';
import { crdFolder } from '#src/modules/crds.ts';
import { isRecord, listAt, recordAt } from '#src/devcluster/schema/record.ts';

const folders = modules.map(({ name }) => pathToFileURL(crdFolder(name)));
const samples = new URL('../../../charts/coppice/samples/', import.meta.url);

const isStored = (value: unknown): value is Stored =>
  isRecord(value) && isRecord(value['metadata']);

function read(url: URL): Stored {
  const value: unknown = load(readFileSync(url, 'utf8'));
  if (!isStored(value)) throw new Error(`${url.pathname} is no object`);
  return value;
}

const files = folders.flatMap((folder) => readdirSync(folder).map((name) => new URL(name, folder)));

/** All CRDs of the chart. */
export const allCrds = (): Stored[] => files.map(read);

/** A CRD by its plural name. */
export function crd(plural: string): Stored {
  const file = files.find(({ pathname }) => pathname.endsWith(`/${plural}.yaml`));
  if (file === undefined) throw new Error(`the chart has no CRD of ${plural}`);
  return read(file);
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
