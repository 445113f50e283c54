// The gallery: every view in every state, photographed in both themes, and looked over by axe with a layout under it.
import assert from 'node:assert/strict';
import { createRequire } from 'node:module';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'node:test';
import { browsing, until } from './chromium.mjs';

const AXE = readFileSync(createRequire(import.meta.url).resolve('axe-core/axe.min.js'), 'utf8');
/** The window, and its middle column. */
const [WIDTH, COLUMN] = [1440, 728];
/** A photograph shows this much of what is higher, in pixels. */
const HIGHEST = 2400;
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

/** Runs in the page: where the entry ends. */
function lowest() {
  return Math.ceil(document.querySelector('[data-entry]').getBoundingClientRect().bottom + scrollY);
}

/** Fonts, pictures and the diagrams in view are there, and what a worker colours has had its turn. */
async function settled(page) {
  await until(page, () =>
    [...document.querySelectorAll('[data-drawing]')].every((one) => one.getBoundingClientRect().top > innerHeight),
  );
  await page.evaluate(async () => {
    await document.fonts.ready;
    await Promise.all([...document.images].map((image) => image.decode().catch(() => {})));
    for (let frame = 0; frame < 6; frame++) await new Promise(requestAnimationFrame);
  });
}

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
  test(`every entry of the gallery in the ${theme} theme: photographed, and axe finds nothing`, async (t) => {
    await browsing(
      t,
      async ({ page, open, photo }) => {
        await open('gallery', { theme });
        await until(page, () => document.documentElement.dataset.shown !== undefined);
        const entries = await page.evaluate(() => window.gallery.entries);
        assert.ok(entries.length > 200, `${entries.length} entries`);
        const found = {};
        for (const { id, group } of entries) {
          const hash = `#show=${id}&theme=${theme}`;
          await page.evaluate((to) => (location.hash = to), hash);
          await until(page, (to) => document.documentElement.dataset.shown === to, hash);
          await settled(page);
          const height = Math.min(HIGHEST, await page.evaluate(lowest));
          const clip = { x: (WIDTH - COLUMN) / 2, y: 0, width: COLUMN, height };
          await photo(join('gallery', theme, id), { fullPage: true, clip });
          // Whatever unfolds is looked at unfolded, but where rows stand together.
          await page.evaluate(async (folded) => {
            if (folded) return;
            for (const head of document.querySelectorAll('[data-entry] [aria-expanded=false]')) head.click();
            await window.__painted();
          }, group === 'Rows together');
          const problems = [...(await wide(page)), ...(await axe(page))];
          if (problems.length > 0) found[id] = problems;
        }
        t.diagnostic(`${entries.length} entries`);
        assert.deepEqual(found, {});
      },
      { width: WIDTH, height: 900 },
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
