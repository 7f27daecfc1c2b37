// The NATS server that the chart brings, with the configuration that Helm renders: it starts, and
// lets in whoever shows the token, and nobody else.
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { connect, type ConnectionOptions } from '@nats-io/transport-node';
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { at, list, text } from '#machines/kubernetes/json.ts';
import { findNatsServer } from '#src/natsserver/binary.ts';
import { release, rendered, unbuilt } from '#test/cluster/chart.ts';
import { natsSkip } from '#test/support/nats.ts';
import { Programs } from '#test/support/program.ts';
import { combinations } from './combinations.ts';
import { objectsIn, ofKind, podsIn } from './manifests.ts';

/** To NATS, half of a number. */
const token = '8e3f12';

const skip = natsSkip === '' ? unbuilt('helm') : natsSkip;

describe.skipIf(skip !== '')(`The NATS server of the chart${skip}`, () => {
  let folder = '';
  const programs = new Programs();
  beforeEach(() => {
    folder = mkdtempSync(join(tmpdir(), 'coppice-chart-nats-'));
  });
  afterEach(async () => {
    await programs.end();
    vi.unstubAllEnvs();
    rmSync(folder, { recursive: true, force: true });
  });

  it('lets in whoever shows its token, and nobody else, and keeps a history', async () => {
    const manifests = objectsIn(await rendered(folder, combinations['with NATS']?.values ?? {}));
    const [container] = list(at(podsIn(manifests)[`${release}-nats`], 'spec', 'containers'));
    const given = list(at(container, 'env')).find((each) => at(each, 'name') === 'NATS_TOKEN');
    vi.stubEnv('NATS_TOKEN', text(at(given, 'value')).replace('$(TOKEN)', token));
    const map = ofKind(manifests, 'ConfigMap')[`${release}-nats`];
    const file = join(folder, 'nats.conf');
    // On this machine alone, at any free port.
    const here = text(at(map, 'data', 'nats.conf'))
      .replaceAll(/0\.0\.0\.0:\d+/g, '127.0.0.1:-1')
      .replace('/var/lib/nats', folder);
    writeFileSync(file, here);
    const server = programs.run((await findNatsServer()).path, ['--config', file]);
    const [, port] = await server.line(/client connections on 127\.0\.0\.1:(\d+)/);
    await server.line(/Server is ready/);
    const enter = async (options: ConnectionOptions): Promise<boolean | undefined> => {
      const connection = await connect({ port: Number(port), reconnect: false, ...options });
      const { info } = connection;
      await connection.close();
      return info?.jetstream;
    };
    await expect(enter({})).rejects.toThrow(/authorization/i);
    await expect(enter({ token: 'another' })).rejects.toThrow(/authorization/i);
    await expect(enter({ user: 'coppice', pass: token })).rejects.toThrow(/authorization/i);
    expect(await enter({ token })).toBe(true);
  });
});
