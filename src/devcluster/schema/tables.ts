// Server-side Tables (meta.k8s.io/v1), which `kubectl get` prints: built-in kinds compute their
// cells, custom kinds take them from JSONPaths. The REST layer adds the list's metadata.
import type { Json, JsonObject } from '#machines/kubernetes/objects.ts';
import type { PrinterColumn, ResourceInfo, Stored } from '../contract.ts';
import { nameColumn } from './columns/cells.ts';
import { defaultColumns } from './columns/index.ts';
import { age } from './human.ts';
import { jsonPath } from './jsonpath.ts';

export interface TableOptions {
  /** What comes with each row: nothing, its metadata (the default of the API), or all of it. */
  readonly includeObject: 'None' | 'Metadata' | 'Object';
  /** Milliseconds since the epoch, for ages. */
  readonly now: number;
}

export interface Table extends JsonObject {
  kind: 'Table';
  apiVersion: 'meta.k8s.io/v1';
  metadata: JsonObject;
  columnDefinitions: Json[];
  rows: Json[];
}

/** The objects as rows, in their order. */
export function tableOf(
  resource: ResourceInfo,
  objects: readonly Stored[],
  options: TableOptions,
): Table {
  const columns = columnsOf(resource);
  return {
    kind: 'Table',
    apiVersion: 'meta.k8s.io/v1',
    metadata: {},
    columnDefinitions: columns.map(define),
    rows: objects.map((object) => ({
      cells: columns.map((column) => cellOf(column, object, options.now)),
      object: rowObject(object, options.includeObject),
    })),
  };
}

/** Custom kinds always show their name first; their columns follow. */
function columnsOf(resource: ResourceInfo): readonly PrinterColumn[] {
  if (resource.columns === undefined) return defaultColumns;
  return resource.custom ? [nameColumn, ...resource.columns] : resource.columns;
}

const define = (column: PrinterColumn): JsonObject => ({
  name: column.name,
  type: column.type,
  format: column.format ?? '',
  description: column.description || describePath(column) || descriptions[column.name] || '',
  priority: column.priority,
});

const describePath = ({ jsonPath }: PrinterColumn): string =>
  jsonPath === undefined ? '' : `Column of a custom resource, in JSONPath format: ${jsonPath}`;

const descriptions: Readonly<Record<string, string>> = {
  Name: 'Name of the object, unique for its kind in the namespace.',
  Age: 'Time since the object was created.',
};

function rowObject(object: Stored, include: TableOptions['includeObject']): Json {
  if (include === 'Object') return object;
  if (include === 'None') return null;
  const { metadata } = object;
  return { kind: 'PartialObjectMetadata', apiVersion: 'meta.k8s.io/v1', metadata };
}

function cellOf(column: PrinterColumn, object: Stored, now: number): Json {
  if (column.cell !== undefined) return column.cell(object, now);
  if (column.jsonPath === undefined) return null;
  // Of several matches kube-apiserver shows the first alone.
  const [first] = jsonPath(column.jsonPath)(object);
  if (first === undefined || first === null) return null;
  switch (column.type) {
    case 'date':
      return age(first, now);
    case 'integer':
      return typeof first === 'number' ? Math.trunc(first) : null;
    case 'number':
      return typeof first === 'number' ? first : null;
    case 'boolean':
      return typeof first === 'boolean' ? first : null;
    default:
      return printValue(first);
  }
}

const printValue = (value: unknown): string =>
  typeof value === 'string' ? value : JSON.stringify(value);
