// Who wrote an object last: of its managedFields, and on the way to who listens.
import { expect, test } from 'vitest';
import { editorsOf } from '#machines/kubernetes/editors.ts';
import { clique, status } from '../support/objects.ts';
import { Reflecting } from '../support/reflecting.ts';

const entry = (manager: string, time: string, fields: object, subresource?: string) => ({
  manager,
  operation: 'Update',
  apiVersion: 'grove.io/v1alpha1',
  time: `2026-11-22T10:00:${time}Z`,
  fieldsType: 'FieldsV1',
  fieldsV1: fields,
  ...(subresource === undefined ? {} : { subresource }),
});

const ofSpec = { 'f:spec': { 'f:replicas': {} } };
const ofLabels = { 'f:metadata': { 'f:labels': { 'f:a': {} } } };
const ofStatus = { 'f:status': {} };
const managed = (...managedFields: unknown[]) => ({ metadata: { managedFields } });

test('the newest writer of the spec is told from those of labels and of the status', () => {
  const editors = editorsOf(
    managed(
      entry('helm', '01', ofSpec),
      entry('kubectl-edit', '02', ofSpec),
      entry('labeller', '03', ofLabels),
      entry('coppice', '04', ofStatus, 'status'),
    ),
  );
  expect(editors).toMatchObject({
    ofSpec: { manager: 'kubectl-edit', operation: 'Update', at: '2026-11-22T10:00:02Z' },
    besidesStatus: { manager: 'labeller', subresource: '' },
    newest: { manager: 'coppice', subresource: 'status' },
  });
});

test('whoever scales is a writer of the spec', () => {
  const scaled = managed(
    entry('helm', '01', ofSpec),
    entry('autoscaler', '02', ofSpec, 'scale'),
    entry('coppice', '02', ofStatus, 'status'),
  );
  expect(editorsOf(scaled)?.ofSpec).toMatchObject({ manager: 'autoscaler', subresource: 'scale' });
});

test.each([undefined, null, 'text', {}, managed(), managed(null, 'x'), { metadata: null }])(
  'nobody is named by %j',
  (raw) => {
    expect(editorsOf(raw)).toBeUndefined();
  },
);

test('entries that say nothing name nobody in particular, and do no harm', () => {
  const nobody = { manager: '', operation: '', at: '', subresource: '' };
  const raw = managed({ manager: 7, fieldsV1: 'x' });
  expect(editorsOf(raw)).toEqual({ newest: nobody, besidesStatus: nobody, ofSpec: nobody });
});

test('an observation of a watch or a later list carries them, and one of the first list does not', async () => {
  const written = (name: string, version: number, manager: string) => {
    const { metadata, ...rest } = clique({ name, version });
    return { ...rest, metadata: { ...metadata, managedFields: [entry(manager, '01', ofSpec)] } };
  };
  const r = await Reflecting.at(5, [written('a', 1, 'found')]);
  r.transport.lastWatch.send('ADDED', written('b', 6, 'added'));
  r.transport.lastWatch.send('MODIFIED', written('a', 7, 'changed'));
  r.transport.lastWatch.send('DELETED', written('b', 8, 'ended'));
  r.transport.lastWatch.refuse(410, status(410, 'Expired'));
  await r.clock.advance(5_000);
  await r.answerList(20, [written('a', 9, 'listed')]);
  expect(
    r.observations.map((one) => (one.type === 'seen' ? one.editors?.newest.manager : one.type)),
  ).toEqual([undefined, 'added', 'changed', 'gone', 'listed']);
  for (const one of r.observations) {
    if (one.type === 'seen') expect(one.object.metadata).not.toHaveProperty('managedFields');
  }
});
