// A session of 100,000 rows in the real window: it opens at once, scrolls, keeps still while more is said, and is found in.
import assert from 'node:assert/strict';
import { execFileSync } from 'node:child_process';
import { test } from 'node:test';
import { heldStill, holdStill, rate, scrolling, scrollingNothing } from './frames.mjs';
import { built, until } from './harness.mjs';
import { inLab } from './lab.mjs';
import { FEED, idle } from './talk.mjs';

const ROWS = 100_000;
/** Budgets (design): frames of the page against those of an empty one, pixels, nodes. */
const NODES = 3_000;
const STILL = 2;
/** Of the frames that an empty page of that size has on the same machine at the same time. */
const SHARE = 0.5;

/** A window whose data folder holds the long session; its id. */
async function long(lab, env = {}) {
  const id = execFileSync(built('kandev-long-session'), [lab.data, lab.workspace, `${ROWS}`], {
    encoding: 'utf8',
  }).trim();
  const page = await lab.page(['--cli', built('kandev-rehearsal')], env);
  await page.get('button', 'New session');
  await until('the session is listed', () =>
    page.browser.execute((s) => !!document.querySelector(`nav [data-session-id="${s}"]`), id),
  );
  return { page, id };
}

/** Clicks the row of a session; milliseconds until its last rows are painted. */
const open = (page, id, words) =>
  page.browser.execute(
    async (session, wanted) => {
      const start = performance.now();
      document.querySelector(`nav [data-session-id="${session}"]`).click();
      const shown = () => document.querySelector('[role=feed]')?.textContent.includes(wanted);
      while (!shown() && performance.now() - start < 15_000) await new Promise(requestAnimationFrame);
      await new Promise(requestAnimationFrame);
      return { ms: performance.now() - start, shown: shown() };
    },
    id,
    words,
  );

test('100,000 rows open at a click, scroll with few nodes, and keep still while more is said', async (t) => {
  await inLab(t, async (lab) => {
    const env = { KANDEV_REHEARSAL_WORDS: '500,100,500', KANDEV_REHEARSAL_DIR: lab.workspace };
    const { page, id } = await long(lab, env);
    const opened = await open(page, id, `Part ${ROWS - 2} is`);
    assert.ok(opened.shown, 'the end is shown');
    t.diagnostic(`${ROWS} rows: the last are painted ${opened.ms.toFixed(0)} ms after the click`);
    assert.ok(opened.ms < 4_000, `first rows after ${opened.ms} ms`);

    const nothing = await scrollingNothing(page, FEED);
    const frames = await scrolling(page, FEED, 4_000);
    const share = frames.frames / nothing.frames;
    t.diagnostic(`scrolling: ${rate(frames)}, an empty page ${rate(nothing)}, share ${share.toFixed(2)}`);
    t.diagnostic(`at most ${frames.nodes} nodes`);
    assert.ok(frames.nodes < NODES, `${frames.nodes} nodes`);
    assert.ok(share > SHARE, `${rate(frames)} against ${rate(nothing)} of an empty page`);

    await page.click('button', /^Jump to/);
    await page.prompt('Go on');
    await page.shows('w5 ', { within: 30_000, selector: FEED });
    await page.browser.execute(() => (document.querySelector('[role=feed]').scrollTop -= 2_500));
    await page.frames(4);
    await holdStill(page);
    await idle(page);
    const still = await heldStill(page);
    t.diagnostic(`over 500 deltas the row that is read moved ${still.moved.toFixed(2)} px in ${still.frames} frames`);
    assert.ok(still.frames > 20, `it was looked at ${still.frames} times`);
    assert.ok(still.moved < STILL, `it moved by ${still.moved} px`);
    await page.browser.execute(() => {
      const feed = document.querySelector('[role=feed]');
      feed.scrollTop = feed.scrollHeight;
    });
    await page.shows('w499', { selector: FEED });

    // The oldest prompt of all, which is in no part that was read.
    await page.browser.keys(['Control', 'f']);
    await page.type('Find in this session', 'GANNET');
    const asked = performance.now();
    await page.shows('Mind the gannet.', { selector: FEED });
    t.diagnostic(`a word of the first prompt is shown ${(performance.now() - asked).toFixed(0)} ms after it was typed`);
    await page.shows('1 of 1', { selector: '[role=search]' });
    await page.type('Find in this session', 'cormorant');
    await page.shows('Mind the cormorant.', { selector: FEED });
    await page.browser.keys('Escape');
    await page.gone('textbox', 'Find in this session');
    await page.browser.execute(() => document.querySelector('[role=feed]').focus());
    await page.browser.keys('p');
    await page.shows(`Prompt ${ROWS / 40 + 1}:`, { selector: FEED });
    await page.browser.keys(['Shift', 'p']);
    await page.browser.keys(['Shift', 'p']);
    await page.shows(`Prompt ${ROWS / 40 - 1}:`, { selector: FEED });
    assert.ok(await page.browser.execute((most) => document.querySelectorAll('*').length < most, NODES));
  });
});
