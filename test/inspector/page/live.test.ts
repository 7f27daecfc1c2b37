// What the inspector's page does in a real browser as things change: rows, searches, commands; and
// all of it by the keyboard.
import type { Page } from 'playwright-core';
import { describe, expect, it } from 'vitest';
import { systemClock } from '#src/time/clock.ts';
import { axeViolations, patient, soon, withoutBrowser } from './browser.ts';
import { states } from './rows.ts';
import { parked, stuck } from './scene-ids.ts';
import { pageStage, rowIn } from './stage.ts';

describe.skipIf(withoutBrowser !== '')(
  `The inspector's page, live${withoutBrowser}`,
  patient,
  () => {
    const { start } = pageStage();
    const focusOf = (page: Page, role: string) =>
      page.evaluate(
        `document.getElementById(document.querySelector('[role=${role}]').getAttribute('aria-activedescendant')).textContent`,
      );

    it('shows what changes, comes and goes without a reload', async () => {
      const { fake, page } = await start();
      await page.goto(`${fake.url}/ui/actors?text=mixtral`);
      await rowIn(page, 'mixtral-0-router').getByText('ready').waitFor();
      fake.change({
        id: 'podclique/inference/mixtral-0-router',
        parent: 'podcliqueset/inference/mixtral',
        state: states.cliqueUnscheduled,
        since: systemClock.now(),
      });
      await rowIn(page, 'mixtral-0-router').getByText('insufficient').waitFor();
      fake.change({
        id: 'podclique/inference/mixtral-0-cache',
        parent: 'podcliqueset/inference/mixtral',
        state: 'awaited',
      });
      await rowIn(page, 'mixtral-0-cache').getByText('awaited').waitFor();
      fake.remove('podclique/inference/mixtral-0-cache');
      await rowIn(page, 'mixtral-0-cache').waitFor({ state: 'detached' });
    });

    it('shows what comes while more comes all the time', async () => {
      const { fake, page } = await start();
      await page.goto(`${fake.url}/ui/actors`);
      await page.getByText('63 of 63').waitFor();
      for (let index = 0; index < 60; index++) {
        fake.change({ id: `podgang/flood/gang-${index}`, state: states.gangCollecting });
        await page.waitForTimeout(50);
      }
      const [shown = ''] = (await page.locator('.filters .count').innerText()).split(' of ');
      expect(Number(shown)).toBeGreaterThan(80);
    });

    it('finds actors by words, kind, namespace and state, and keeps all of it in the address', async () => {
      const { fake, page } = await start();
      await page.goto(`${fake.url}/ui/`);
      await page.keyboard.press('/');
      await page.keyboard.type('engine worker');
      await page
        .getByText('16 of 63')
        .or(page.getByText(/^\d+ of 63$/))
        .waitFor();
      expect(new URL(page.url()).searchParams.get('text')).toBe('engine worker');
      await page.getByLabel('state', { exact: true }).fill('unscheduled');
      await page.getByText('1 of 63').waitFor();
      await rowIn(page, 'deepseek-r1-0-engine-1-worker').waitFor();
      // What is above it is there, as the way to it.
      expect(await page.getByRole('row').count()).toBe(3);
      await page.getByRole('button', { name: 'Clear' }).click();
      await page.getByText('63 of 63').waitFor();
      await page.getByLabel('parked', { exact: true }).check();
      await page.getByText('1 of 63').waitFor();
      expect(page.url()).toContain('parked=true');
    });

    it('does all of it by the keyboard', async () => {
      const { fake, page } = await start();
      await page.goto(`${fake.url}/ui/`);
      await page.getByText('Actors by kind and state').waitFor();
      await page.keyboard.press('g');
      await page.keyboard.press('a');
      await page.waitForURL('**/ui/actors');
      await page.keyboard.press('/');
      await page.keyboard.type('deepseek-r1');
      await page.getByText(/^8 of 63$|^9 of 63$/).waitFor();
      await page.keyboard.press('Enter');
      await page.keyboard.press('Home');
      expect(await focusOf(page, 'treegrid')).toContain('deepseek-r1');
      const open = await page.getByRole('row').count();
      await page.keyboard.press('ArrowLeft');
      await expect.poll(() => page.getByRole('row').count(), soon).toBe(1);
      await page.keyboard.press('ArrowRight');
      await expect.poll(() => page.getByRole('row').count(), soon).toBe(open);
      await page.keyboard.press('j');
      await page.keyboard.press('j');
      expect(await focusOf(page, 'treegrid')).toContain('deepseek-r1-0-engine');
      await page.keyboard.press('k');
      await page.keyboard.press('End');
      expect(await focusOf(page, 'treegrid')).toContain('deepseek-r1-0-router');
      await page.keyboard.press('Enter');
      await page.waitForURL('**/ui/actors/podclique/inference/deepseek-r1-0-router');
      await page.getByRole('tab', { name: 'why', selected: true }).waitFor();
      const tabs = { c: 'chart', h: 'history', t: 'data', m: 'mailbox', w: 'why' };
      for (const [key, tab] of Object.entries(tabs)) {
        await page.keyboard.press(key);
        await page.getByRole('tab', { name: tab, selected: true }).waitFor();
      }
      const places = { t: 'trouble', l: 'timeline', m: 'machines', o: '' };
      for (const [key, path] of Object.entries(places)) {
        await page.keyboard.press('g');
        await page.keyboard.press(key);
        await page.waitForURL(`**/ui/${path}`);
      }
      await page.keyboard.press('?');
      await page.getByRole('dialog', { name: 'Keys' }).waitFor();
      await page.keyboard.press('Escape');
      await page.getByRole('dialog').waitFor({ state: 'detached' });
    });

    it('pauses, holds what it shows, and catches up', async () => {
      const { fake, page } = await start();
      await page.goto(`${fake.url}/ui/actors?text=mixtral-0-router`);
      await rowIn(page, 'mixtral-0-router').getByText('ready').waitFor();
      await page.keyboard.press('p');
      await page.getByText(/^Paused/).waitFor();
      const router = {
        id: 'podclique/inference/mixtral-0-router',
        parent: 'podcliqueset/inference/mixtral',
      };
      fake.change({ ...router, state: states.cliqueUnready });
      await expect.poll(() => fake.viewers, soon).toBe(0);
      expect(await rowIn(page, 'mixtral-0-router').textContent()).toContain('ready');
      expect(await axeViolations(page)).toEqual([]);
      await page.keyboard.press('p');
      await rowIn(page, 'mixtral-0-router').getByText('unready').first().waitFor();
    });

    it('parks with a reason, and unparks', async () => {
      const { fake, page } = await start();
      await page.goto(`${fake.url}/ui/actors/${stuck}`);
      await page.getByRole('button', { name: 'Park' }).click();
      const confirm = page.getByRole('dialog').getByRole('button', { name: 'Park', exact: true });
      expect(await confirm.isDisabled()).toBe(true);
      await page.getByLabel('Reason').fill('quota is being raised');
      await confirm.click();
      await page.locator('.actor-head .line').getByText('parked').waitFor();
      await page.getByRole('button', { name: 'Unpark' }).click();
      await page.getByLabel('Reason').fill('quota is there');
      await page.getByLabel('Reason').press('Enter');
      await page.getByRole('button', { name: 'Park', exact: true }).waitFor();
      expect(fake.commands).toEqual([
        { id: stuck, command: 'park', reason: 'quota is being raised' },
        { id: stuck, command: 'unpark', reason: 'quota is there' },
      ]);
    });

    it('says who may not park, and keeps the reason', async () => {
      const { fake, page } = await start();
      fake.mayCommand = false;
      await page.goto(`${fake.url}/ui/actors/${parked}`);
      await page.getByRole('button', { name: 'Unpark' }).click();
      await page.getByLabel('Reason').fill('it is mended');
      await page.getByRole('dialog').getByRole('button', { name: 'Unpark' }).click();
      await page.getByText(/FORBIDDEN: kim may not park/).waitFor();
      expect(await page.getByLabel('Reason').inputValue()).toBe('it is mended');
    });

    it('pages history back to its end', async () => {
      const { fake, page } = await start();
      const about = 'podgang/training/pretrain-b-0';
      const at = systemClock.now();
      fake.facts.splice(0);
      fake.note(
        ...Array.from({ length: 450 }, (_, index) => ({
          sequence: index + 1,
          id: `h-${index}`,
          cause: '',
          trace: `h-${index}`,
          at: at - 450 + index,
          about,
          what: 'decided',
          data: { what: 'listPods', why: `turn ${index}` },
        })),
      );
      fake.older = 'restarted';
      await page.goto(`${fake.url}/ui/actors/${about}?tab=history`);
      await page.getByText('listPods: turn 449').waitFor();
      const list = page.getByRole('list', { name: 'history' });
      await list.focus();
      const first = page.getByText('listPods: turn 0', { exact: true });
      await expect
        .poll(async () => {
          await page.keyboard.press('End');
          return first.isVisible();
        }, soon)
        .toBe(true);
      await page.getByText(/The process started at .* nothing older is known/).waitFor();
      const [oldest] = fake.facts;
      if (oldest === undefined) throw new Error('no facts');
      const data = { what: 'listPods', why: 'before the restart' };
      fake.streamed = [{ ...oldest, sequence: 0, id: 'before', data }];
      await page.reload();
      const before = page.getByText('listPods: before the restart');
      await list.focus();
      await expect
        .poll(async () => {
          await page.keyboard.press('End');
          return before.isVisible();
        }, soon)
        .toBe(true);
      await page.getByText('The life of this actor began here.').waitFor();
    });
  },
);
