// The log level of a running controller, switched by a signal.
import { afterAll, beforeAll, expect, test } from 'vitest';
import { Place } from '#test/support/place.ts';

const place = new Place();
beforeAll(() => place.start(), 60_000);
afterAll(() => place.end());

test(
  'SIGUSR2 switches a controller to debug lines and back, and the log notes it',
  { timeout: 120_000 },
  async () => {
    const { program } = await place.controller();
    await program.line(/controller synced/);
    expect(program.stderr.join('\n')).not.toContain('"level":"debug"');
    program.signal('SIGUSR2');
    const [there = ''] = await program.line(/^.*"to":"debug".*the log level was changed.*$/);
    expect(JSON.parse(there)).toMatchObject({ by: 'SIGUSR2', from: 'info', to: 'debug' });
    program.signal('SIGUSR2');
    const [back = ''] = await program.line(/^.*"to":"info".*the log level was changed.*$/);
    expect(JSON.parse(back)).toMatchObject({ by: 'SIGUSR2', from: 'debug', to: 'info' });
    program.signal('SIGTERM');
    expect(await program.ended).toEqual({ code: 0, signal: null });
  },
);
