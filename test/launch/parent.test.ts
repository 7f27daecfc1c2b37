// A command does not outlive the npm that started it.
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { describe, expect, it } from 'vitest';

describe('watchParent', () => {
  it('calls when the parent was killed without a chance to say so', async () => {
    const command = `
      import { watchParent } from ${JSON.stringify(import.meta.resolve('#src/launch/parent.mjs'))};
      const alive = setInterval(() => {}, 1000);
      watchParent(() => { console.log('gone'); clearInterval(alive); });
      console.log('watching');`;
    const parent = spawn(
      process.execPath,
      [
        '-e',
        `require('node:child_process').spawn(process.execPath, ['--input-type=module', '-e', ${JSON.stringify(command)}], { stdio: 'inherit' });`,
      ],
      { stdio: ['ignore', 'pipe', 'inherit'] },
    );
    let output = '';
    parent.stdout.on('data', (chunk) => {
      output += String(chunk);
      if (output === 'watching\n') parent.kill('SIGKILL');
    });
    await once(parent.stdout, 'end');
    expect(output).toBe('watching\ngone\n');
  });
});
