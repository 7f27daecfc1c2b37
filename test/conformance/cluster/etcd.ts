// Makes a real kube-apiserver forget old versions at once: through etcd's own HTTP gateway, and by
// the key by which API servers tell each other of a compaction, which drops their snapshots too.
import { objectAt, textAt } from '#machines/kubernetes/fields.ts';
import type { JsonObject } from '#machines/kubernetes/objects.ts';
import type { KubeTransport } from '#src/kube/transport/transport.ts';
import { eventually } from '#test/support/eventually.ts';

/** Under this key API servers keep the revision of the last compaction. */
const key = Buffer.from('compact_rev_key').toString('base64');

/** The server looks after that key every few seconds; it takes its time under load. */
const forgetLimitMs = 180_000;

/** Resolves when the server refuses the version that was the latest before. */
export async function compactEtcd(etcdUrl: string, transport: KubeTransport): Promise<void> {
  const ask = async (path: string, body: JsonObject): Promise<JsonObject> => {
    const reply = await fetch(`${etcdUrl}/v3/kv/${path}`, {
      method: 'POST',
      body: JSON.stringify(body),
    });
    if (!reply.ok) throw new Error(`etcd: ${path}: ${reply.status} ${await reply.text()}`);
    return JSON.parse(await reply.text());
  };
  const before = textAt(objectAt(await ask('range', { key }), 'header'), 'revision');
  const value = Buffer.from(String(Number(before) + 1)).toString('base64');
  const put = await ask('put', { key, value });
  const revision = textAt(objectAt(put, 'header'), 'revision');
  await ask('compaction', { revision, physical: true });
  const path = `/api/v1/configmaps?limit=1&resourceVersion=${before}&resourceVersionMatch=Exact`;
  await eventually(
    `version ${before} forgotten`,
    () => transport.request({ method: 'GET', path }),
    ({ status }) => status === 410,
    forgetLimitMs,
  );
}
