// Step 2: what is read of each object. What lacks a needed field says so and is nobody's news.
import { count, object, text, word } from '#machines/kubernetes/json.ts';
import { isMalformed, readMeta } from '#machines/kubernetes/meta.ts';
import type { Malformed, Meta } from '#machines/kubernetes/meta.ts';
import type { JsonObject, KubeObject } from '#machines/kubernetes/objects.ts';

export interface ObservedPrinter extends Meta {
  readonly kind: 'Printer';
  readonly trays: number;
  /** Name of the Paper that its jobs are printed on; empty: any. */
  readonly paper: string;
  readonly status: JsonObject;
}

export interface ObservedTray extends Meta {
  readonly kind: 'Tray';
  /** Who asked for it; empty: it is free. */
  readonly lentTo: string;
}

export interface ObservedJob extends Meta {
  readonly kind: 'Job';
  /** The root of the tree that it is in, for now. */
  readonly printer: string;
  readonly status: JsonObject;
}

export interface ObservedPaper extends Meta {
  readonly kind: 'Paper';
  readonly size: string;
}

export function readPrinter(source: KubeObject): ObservedPrinter | Malformed {
  const meta = readMeta(source);
  const { trays, paper } = object(source['spec']);
  const wanted = count(trays);
  if (isMalformed(meta)) return meta;
  if (wanted === undefined) return { malformed: 'spec.trays is not a number of trays' };
  const status = object(source['status']);
  return { ...meta, kind: 'Printer', trays: wanted, paper: text(paper), status };
}

export function readTray(source: KubeObject): ObservedTray | Malformed {
  const meta = readMeta(source);
  if (isMalformed(meta)) return meta;
  return { ...meta, kind: 'Tray', lentTo: text(object(source['spec'])['lentTo']) };
}

export function readJob(source: KubeObject): ObservedJob | Malformed {
  const meta = readMeta(source);
  const printer = word(object(source['spec'])['printer']);
  if (isMalformed(meta)) return meta;
  if (printer === undefined) return { malformed: 'spec.printer is not a name' };
  return { ...meta, kind: 'Job', printer, status: object(source['status']) };
}

export function readPaper(source: KubeObject): ObservedPaper | Malformed {
  const meta = readMeta(source, 'Cluster');
  if (isMalformed(meta)) return meta;
  return { ...meta, kind: 'Paper', size: text(object(source['spec'])['size']) };
}
