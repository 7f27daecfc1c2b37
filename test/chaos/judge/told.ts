// Lines of a recording as a reader of a failure sees them. Used by judge.ts.
import { at, numberAt, textAt } from '#test/sim/fields.ts';
import type { Committed, ProcessRecord } from '../recording/records.ts';
import type { Line } from './tape.ts';

/** `34.120 s  controller 3 asks POST /api/v1/namespaces/default/pods alpha-0-w-x1`. */
export const told = (second: number, line: Line): string =>
  `${second.toFixed(3)} s  ${textOf(line)}`;

export const toldChange = (second: number, change: Committed): string =>
  `${second.toFixed(3)} s  version ${change.version}: ${objectOf(change)}`;

function textOf(line: Line): string {
  if (line.of === 'note') return line.note.text;
  if (line.of === 'process') return `controller ${line.life} ${actOf(line.line)}`;
  const { life, method, path, status } = line.answered;
  return `the server answers ${method} ${path} of controller ${life} with ${status}`;
}

function actOf(line: ProcessRecord): string {
  if (line.is === 'lost') return 'has lost shards';
  if (line.is === 'event') {
    const [, name, , version] = line.object;
    const [path = ''] = line.path.split('?', 1);
    return `is shown ${line.type} ${path} ${name} at ${version}`;
  }
  if (line.is === 'asks') {
    const name = textAt(line.body, 'metadata', 'name');
    return `asks (${line.id}) ${line.method} ${line.path} ${name}`;
  }
  return line.is === 'sends'
    ? `sends (${line.id})`
    : `hears (${line.id}) ${line.status ?? 'nothing'}`;
}

function objectOf({ collection, isDeleted, object }: Committed): string {
  const going = at(object, 'metadata', 'deletionTimestamp') === undefined ? '' : ', going';
  const wanted = at(object, 'spec', 'replicas');
  const scale = wanted === undefined ? '' : `, ${String(wanted)} wanted`;
  const holder = textAt(object, 'spec', 'holderIdentity');
  const lease =
    holder === '' ? '' : `, ${holder} in ${numberAt(object, 'spec', 'leaseTransitions')}`;
  const name = textAt(object, 'metadata', 'name');
  return `${collection} ${name}${isDeleted ? ' is gone' : `${going}${scale}${lease}`}`;
}
