// The window at three widths: nothing hangs over the side, nothing lies on something else, what can be pressed can be reached.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { browsing } from './chromium.mjs';

const WIDTHS = [1440, 1024, 720];
const STATES = [
  'working',
  'approval',
  'question',
  'plan',
  'queue',
  'tasks',
  'retry',
  'failed',
  'empty',
  'new',
  'inbox',
];

/** Runs in the page: what is wrong with where things are. */
function misplaced() {
  const shown = (el) => el.checkVisibility({ checkVisibilityCSS: true, checkOpacity: true });
  const name = (el) =>
    `${el.tagName.toLowerCase()} “${(el.ariaLabel ?? el.textContent).replace(/\s+/g, ' ').trim().slice(0, 40)}”`;
  const wrong = [];
  const page = document.scrollingElement;
  if (page.scrollWidth > innerWidth) wrong.push(`the page is ${page.scrollWidth} px wide`);

  // What stands side by side or one below the other keeps apart.
  const parts = [...document.querySelectorAll('nav[aria-label], header, [role=feed], .composer, aside[aria-label]')]
    .filter((el) => shown(el) && getComputedStyle(el).position === 'static')
    .map((el) => ({ el, box: el.getBoundingClientRect() }))
    .filter(({ box }) => box.width > 0 && box.height > 0);
  for (const [at, one] of parts.entries()) {
    for (const other of parts.slice(at + 1)) {
      if (one.el.contains(other.el) || other.el.contains(one.el)) continue;
      const [a, b] = [one.box, other.box];
      const wide = Math.min(a.right, b.right) - Math.max(a.left, b.left);
      const high = Math.min(a.bottom, b.bottom) - Math.max(a.top, b.top);
      if (wide > 1 && high > 1) wrong.push(`${name(one.el)} lies on ${name(other.el)} by ${wide} x ${high} px`);
    }
  }

  // What one presses in the middle is what one meant, unless it is scrolled out of its box.
  const clipped = (el, x, y) => {
    for (let up = el.parentElement; up; up = up.parentElement) {
      const box = up.getBoundingClientRect();
      const cuts = getComputedStyle(up).overflowY !== 'visible' || getComputedStyle(up).overflowX !== 'visible';
      if (cuts && (x < box.left || x > box.right || y < box.top || y > box.bottom)) return true;
    }
    return false;
  };
  for (const el of document.querySelectorAll(
    'button, [role=tab], [role=option], textarea, input:not([type=hidden], [type=file]), select',
  )) {
    const box = el.getBoundingClientRect();
    const [x, y] = [box.left + box.width / 2, box.top + box.height / 2];
    if (!shown(el) || box.width === 0 || el.closest('[inert]') || x < 0 || y < 0 || x > innerWidth || y > innerHeight)
      continue;
    if (clipped(el, x, y)) continue;
    const met = document.elementFromPoint(x, y);
    const label = [...(el.labels ?? [])];
    const isIt = met && (el.contains(met) || label.some((one) => one.contains(met)) || met.contains(el));
    // What floats over the ends of the timeline is meant to.
    if (!isIt && !met?.closest('.jump, .toasts, .stick'))
      wrong.push(`${name(el)} lies below ${met ? name(met) : 'nothing'}`);
  }
  return wrong;
}

for (const width of WIDTHS) {
  test(`at ${width} pixels nothing hangs over the side or lies on something else`, async (t) => {
    await browsing(
      t,
      async ({ page, open, photo }) => {
        const found = {};
        for (const state of STATES) {
          await open('dev', { state, calm: '' });
          await page.waitForSelector('h1, h2');
          await page.evaluate(() => document.fonts.ready);
          await page.evaluate(() => window.__painted());
          await photo(`layout-${state}-${width}`);
          const wrong = await page.evaluate(misplaced);
          if (wrong.length > 0) found[state] = wrong;
        }
        assert.deepEqual(found, {});
      },
      { width },
    );
  });
}
