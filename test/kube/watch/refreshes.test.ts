// Who waits for a list: it has to be asked for after them, and to be complete.
import { expect, it } from 'vitest';
import { Refreshes } from '#src/kube/watch/refreshes.ts';
import { VirtualClock } from '#test/support/virtual-clock.ts';

function scene() {
  const heard: string[] = [];
  const outages = {
    noticed: 0,
    join: () => void heard.push('joined'),
    listed: () => void heard.push('listed'),
  };
  const refreshes = new Refreshes(outages as never);
  const ask = (name: string): void => void refreshes.ask().then(() => heard.push(name));
  const told = async (): Promise<readonly string[]> => {
    await new VirtualClock().drain();
    return heard.splice(0);
  };
  return { refreshes, outages, heard, ask, told };
}

it('Who asks ends the watch that is open, and hears of the next list that is complete', async () => {
  const { refreshes, heard, ask, told } = scene();
  expect(refreshes.isWanted).toBe(false);
  refreshes.watching(() => void heard.push('watch ends'));
  ask('one');
  expect([refreshes.isWanted, await told()]).toEqual([true, ['joined', 'watch ends']]);
  refreshes.watching();
  ask('two');
  refreshes.listing();
  expect([refreshes.isWanted, await told()]).toEqual([false, []]);
  ask('three');
  expect(refreshes.isWanted).toBe(true);
  refreshes.listed();
  expect(await told()).toEqual(['listed', 'one', 'two']);
  refreshes.listed();
  expect(await told()).toEqual(['listed']);
  refreshes.listing();
  refreshes.listed();
  expect(await told()).toEqual(['listed', 'three']);
});

it('Who waits for a list that fails waits for the next, with those who came meanwhile', async () => {
  const { refreshes, outages, ask, told } = scene();
  ask('one');
  refreshes.listing();
  expect(refreshes.askedAfter).toBe(0);
  ask('two');
  outages.noticed = 3;
  refreshes.listing();
  expect(refreshes.askedAfter).toBe(3);
  refreshes.listed();
  expect(await told()).toEqual(['joined', 'listed', 'one', 'two']);
});
