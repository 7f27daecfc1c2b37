// What the inspector's page does in a real browser where its server does not answer, or not as it
// should: a token that is refused, a review that fails, a connection that is lost.
import { describe, expect, it } from 'vitest';
import { axeViolations, patient, soon, withoutBrowser } from './browser.ts';
import { states } from './rows.ts';
import { pageStage, rowIn } from './stage.ts';

describe.skipIf(withoutBrowser !== '')(
  `The connection of the inspector's page${withoutBrowser}`,
  patient,
  () => {
    const { start, serve, tab } = pageStage();

    it('asks for a token where there is none, and takes the one of the link out of the address', async () => {
      const { fake, page } = await start({ token: 'sesame' });
      await page.goto(`${fake.url}/ui/trouble`);
      await page.getByRole('alert').getByText('a token is needed').waitFor();
      expect(await page.getByText('sweep-07').count()).toBe(0);
      expect(await axeViolations(page)).toEqual([]);
      await page.getByLabel('Token').fill('wrong');
      await page.getByRole('button', { name: 'Go on' }).click();
      await page.getByText(/UNAUTHORIZED/).waitFor();
      await page.getByLabel('Token').fill('sesame');
      await page.getByRole('button', { name: 'Go on' }).click();
      await page.getByText('sweep-07').first().waitFor();
      const other = await tab();
      await other.goto(`${fake.url}/ui/#token=sesame`);
      await other.getByText('Actors by kind and state').waitFor();
      expect(other.url()).toBe(`${fake.url}/ui/`);
      await other.reload();
      await other.getByText('Actors by kind and state').waitFor();
    });

    it('keeps the token of the link until the server can say whether it is valid', async () => {
      const { fake, page } = await start({ token: 'sesame' });
      fake.isSilent = true;
      await page.goto(`${fake.url}/ui/trouble#token=sesame`);
      await page.getByText('no answer within 1500 ms').first().waitFor();
      await page.reload();
      await page.getByText('no answer within 1500 ms').first().waitFor();
      fake.isSilent = false;
      await page.getByText('sweep-07').first().waitFor();
      fake.isSilent = true;
      await page.reload();
      await page.getByText('no answer within 1500 ms').first().waitFor();
      fake.isSilent = false;
      await page.getByText('sweep-07').first().waitFor();
    });

    it('asks for a token again where it ends, and no more of the server until there is one', async () => {
      const { fake, page } = await start();
      await page.goto(`${fake.url}/ui/actors`);
      await page.getByText('63 of 63').waitFor();
      fake.tell({ type: 'refused', code: 'UNAUTHORIZED', message: 'the token has ended' });
      await page.getByRole('alert').getByText('the token has ended').waitFor();
      await expect.poll(() => fake.viewers, soon).toBe(0);
    });

    it('comes back to a server that could not say who asks, and ended the stream', async () => {
      const { fake, page } = await start();
      await page.goto(`${fake.url}/ui/actors`);
      await page.getByText('63 of 63').waitFor();
      // Rows come before the stream is open, and nobody would hear it until then.
      await page.getByText('live', { exact: true }).waitFor();
      const message = 'the API server does not say who asks';
      fake.tell({ type: 'refused', code: 'SERVER_ERROR', message });
      await page.getByText(message).waitFor();
      await page.getByText(message).waitFor({ state: 'detached' });
      fake.change({ id: 'podgang/default/only-0', state: states.gangReady });
      await page.getByText('64 of 64').waitFor();
    });

    it('gives a request up that is not answered, and tries again', async () => {
      const { fake, page } = await start();
      fake.isMute = true;
      // The page waits for a minute.
      await page.addInitScript(() => {
        const real = AbortSignal.timeout;
        AbortSignal.timeout = (ms) => real.call(AbortSignal, ms / 100);
      });
      await page.goto(`${fake.url}/ui/actors`);
      await page.getByText(/Connection lost/).waitFor();
      fake.isMute = false;
      await page.getByText('63 of 63').waitFor();
    });

    it('says that the connection is lost, and comes back to a new process', async () => {
      const { fake, page } = await start({ process: 'first' });
      const { port } = fake;
      await page.goto(`${fake.url}/ui/actors`);
      await page.getByText('63 of 63').waitFor();
      await fake.stop();
      await page.getByText(/Connection lost/).waitFor();
      expect(await axeViolations(page)).toEqual([]);
      // What was known is shown still.
      await rowIn(page, 'deepseek-r1-0-engine-1-worker').waitFor();
      const second = await serve({ port, process: 'second' });
      second.change({ id: 'podgang/default/only-0', state: states.gangReady });
      await page.getByText('1 of 1').waitFor();
      await page.getByText(/Connection lost/).waitFor({ state: 'detached' });
    });
  },
);
