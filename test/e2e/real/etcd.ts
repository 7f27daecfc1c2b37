// etcd's own gateway: what `etcdctl compact` does, over HTTP and JSON.

async function ask(url: string, path: string, body: unknown): Promise<unknown> {
  const reply = await fetch(`${url}${path}`, { method: 'POST', body: JSON.stringify(body) });
  const text = await reply.text();
  if (!reply.ok) throw new Error(`etcd ${path}: ${reply.status} ${text}`);
  return JSON.parse(text);
}

/** The newest revision: what Kubernetes shows as resourceVersion. */
export async function revision(url: string): Promise<string> {
  const answer = await ask(url, '/v3/kv/range', { key: Buffer.from('/').toString('base64') });
  return (answer as { header: { revision: string } }).header.revision;
}

/** Forgets all history before the revision. */
export async function compact(url: string, before: string): Promise<void> {
  await ask(url, '/v3/kv/compaction', { revision: before, physical: true });
}
