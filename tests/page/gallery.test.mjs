// The gallery: every view in every state, photographed in both themes, and looked over by axe with a layout under it.
import assert from 'node:assert/strict';
import { createRequire } from 'node:module';
import { readFileSync } from 'node:fs';
import { test } from 'node:test';
import { browsing } from './chromium.mjs';

const AXE = readFileSync(createRequire(import.meta.url).resolve('axe-core/axe.min.js'), 'utf8');
/** The states of the whole window that have something of their own. */
const STATES = [
  'working',
  'approval',
  'question',
  'plan',
  'command',
  'queue',
  'tasks',
  'elicitation',
  'notices',
  'retry',
  'failed',
  'empty',
  'nocli',
  'many',
  'new',
  'inbox',
];
const PANELS = ['changes', 'todos', 'tasks', 'context', 'inspector'];

/** What axe finds, without what only a whole page has. */
async function axe(page, within = null) {
  await page.evaluate(AXE);
  const found = await page.evaluate(
    (scope) => window.axe.run(scope ?? document, { resultTypes: ['violations'] }),
    within,
  );
  return found.violations.flatMap(({ id, nodes }) =>
    nodes.map((node) => `${id}: ${node.html.slice(0, 160)} ${node.any[0]?.message ?? ''}`),
  );
}

/** Elements that reach beyond the page's side, and have no scroll bar of their own to be seen by. */
const wide = (page) =>
  page.evaluate(() => {
    const scrolls = (el) =>
      el && (/auto|scroll|hidden|clip/.test(getComputedStyle(el).overflowX) || scrolls(el.parentElement));
    return [...document.querySelectorAll('main *')]
      .filter((el) => el.getBoundingClientRect().right > innerWidth + 1 && !scrolls(el.parentElement))
      .map((el) => el.outerHTML.slice(0, 120));
  });

for (const theme of ['dark', 'light']) {
  test(`the gallery in the ${theme} theme: photographed, and axe finds nothing`, async (t) => {
    await browsing(
      t,
      async ({ page, open, photo }) => {
        await open('gallery', { theme });
        await page.waitForSelector('main h2');
        await page.evaluate(() => document.fonts.ready);
        const sections = await page.locator('main h2').count();
        assert.ok(sections > 15, `${sections} sections`);
        await photo(`gallery-${theme}`, { fullPage: true });
        assert.deepEqual(await wide(page), [], 'nothing hangs over the side');
        assert.deepEqual(await axe(page), []);
        // And with all open that can be.
        await page.evaluate(async () => {
          for (const head of document.querySelectorAll('main [aria-expanded=false]')) head.click();
          await window.__painted();
        });
        await photo(`gallery-${theme}-open`, { fullPage: true });
        assert.deepEqual(await wide(page), [], 'nothing hangs over the side when all is open');
        assert.deepEqual(await axe(page), [], 'with all open');
      },
      { width: 900, height: 1000 },
    );
  });

  test(`the window in the ${theme} theme: axe finds nothing in any state or panel`, async (t) => {
    await browsing(t, async ({ page, open, photo }) => {
      const cases = [...STATES.map((state) => ({ state })), ...PANELS.map((panel) => ({ state: 'tasks', panel }))];
      const found = {};
      for (const given of cases) {
        await open('dev', { theme, calm: '', ...given });
        await page.waitForSelector('nav');
        // Some states open a moment after the page.
        await page.waitForTimeout(250);
        await photo(`window-${Object.values(given).join('-')}-${theme}`);
        const violations = await axe(page);
        if (violations.length > 0) found[Object.values(given).join(' ')] = violations;
      }
      assert.deepEqual(found, {});
    });
  });
}
