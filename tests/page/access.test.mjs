// The window for who uses no mouse, and for who does not see it: by the keyboard alone, in forced colours, without motion,
// read out, and as a plain document.
import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { test } from 'node:test';
import { browsing, until } from './chromium.mjs';

const axe = readFileSync(createRequire(import.meta.url).resolve('axe-core/axe.min.js'), 'utf8');

async function findings(page) {
  await page.evaluate(axe);
  return page.evaluate(async () => {
    const { violations } = await globalThis.axe.run(document, { resultTypes: ['violations'] });
    return violations.flatMap((rule) => rule.nodes.map((node) => `${rule.id}: ${node.html.slice(0, 160)}`));
  });
}

/** Runs in the page: what has the focus, where it stands, and whether that can be seen. */
function focused() {
  const at = document.activeElement;
  if (!at || at === document.body) return null;
  const { x, y, width, height } = at.getBoundingClientRect();
  const ring = (one) => getComputedStyle(one).outlineStyle !== 'none' && getComputedStyle(one).outlineWidth !== '0px';
  // A field's frame takes the ring in its place, and of a hidden box its label does.
  let shown = ring(at);
  for (let up = at.parentElement, n = 0; !shown && up && n < 4; up = up.parentElement, n++)
    shown = ring(up) || (up.matches(':focus-within') && getComputedStyle(up).borderColor === frame());
  function frame() {
    const probe = document.createElement('i');
    probe.style.color = 'var(--focus)';
    document.body.append(probe);
    const { color } = getComputedStyle(probe);
    probe.remove();
    return color;
  }
  return {
    name: `${at.tagName.toLowerCase()} ${at.getAttribute('aria-label') ?? at.textContent?.trim().slice(0, 40)}`,
    seen: shown,
    inside: x + width > 0 && y + height > 0 && x < innerWidth && y < innerHeight,
    path: [...document.querySelectorAll('*')].indexOf(at),
  };
}

/** As if the window had just been opened: the next Tab is the first. */
async function fromStart(page) {
  await page.evaluate(() => {
    document.activeElement?.blur();
    document.body.tabIndex = -1;
    document.body.focus();
    document.body.removeAttribute('tabindex');
  });
}

/** Presses Tab until the focus is where it was first, and gives all that it came by. */
async function walk(page, key = 'Tab') {
  const stops = [];
  for (let n = 0; n < 400; n++) {
    await page.keyboard.press(key);
    // The timeline has its say on where it stands.
    await page.evaluate(() => new Promise((done) => requestAnimationFrame(() => requestAnimationFrame(done))));
    const now = await page.evaluate(focused);
    if (now === null || (stops.length > 0 && now.path === stops[0].path)) return stops;
    stops.push(now);
  }
  assert.fail(`the focus is caught: ${JSON.stringify(stops.slice(-6).map((stop) => stop.name))}`);
}

const unseen = (stops) =>
  stops.flatMap(({ name, seen, inside }) => (seen && inside ? [] : [`${name}: ${seen ? 'out of sight' : 'no ring'}`]));

for (const [width, state] of [
  [1440, 'approval'],
  [1024, 'plan'],
  [720, 'working'],
]) {
  test(`Tab goes through all of the window and out of it, seen at each stop: ${state} at ${width}`, async (t) => {
    await browsing(
      t,
      async ({ page, open }) => {
        await open('dev', { state, theme: 'dark' });
        await until(page, () => document.querySelector('[role=feed] > article') !== null);
        await fromStart(page);
        const stops = await walk(page);
        assert.ok(stops.length > 10, `${stops.length} stops`);
        assert.deepEqual(unseen(stops), [], 'stops that cannot be seen');
        // Backwards the timeline's earlier rows come in, so there are more.
        const back = await walk(page, 'Shift+Tab');
        assert.ok(back.length >= stops.length - 2, `${stops.length} forwards, ${back.length} back`);
        assert.deepEqual(unseen(back), [], 'stops that cannot be seen');
        t.diagnostic(`${stops.length} stops: ${stops.map((stop) => stop.name).join(' | ')}`);
      },
      { width, height: 900 },
    );
  });
}

test('a dialog takes the focus, keeps it, and gives it back', async (t) => {
  await browsing(t, async ({ page, open }) => {
    await open('dev', { state: 'working', theme: 'dark' });
    await until(page, () => document.querySelector('[role=feed] > article') !== null);
    for (const key of ['Control+k', 'Control+,', '?']) {
      const from = await page.evaluate(() => {
        const button = document.querySelector('button[aria-label="Session menu"]');
        button.focus();
        return button.outerHTML;
      });
      await page.keyboard.press(key);
      await until(page, () => document.querySelector('[role=dialog]')?.contains(document.activeElement) === true);
      for (let n = 0; n < 30; n++) {
        await page.keyboard.press('Tab');
        assert.ok(
          await page.evaluate(() => document.querySelector('[role=dialog]').contains(document.activeElement)),
          `${key}: Tab leaves the dialog`,
        );
      }
      await page.keyboard.press('Escape');
      await until(page, () => document.querySelector('[role=dialog]') === null);
      await until(page, (html) => document.activeElement?.outerHTML.slice(0, 80) === html.slice(0, 80), from);
    }
  });
});

for (const theme of ['dark', 'light']) {
  test(`axe finds nothing in the plain document, in the ${theme} theme`, async (t) => {
    await browsing(t, async ({ page, open, photo }) => {
      await open('dev', { state: 'working', theme });
      await until(page, () => document.querySelector('[role=feed] > article') !== null);
      await page.keyboard.press('Control+Shift+V');
      await until(page, () => document.querySelector('.reader h3') !== null);
      await photo(`reader-${theme}`);
      await page.evaluate(() => document.querySelectorAll('.reader details').forEach((one) => (one.open = true)));
      await until(page, () => document.querySelector('.reader details[open] > :not(summary)') !== null);
      assert.deepEqual(await findings(page), []);
    });
  });
}

test('in forced colours nothing is lost', async (t) => {
  await browsing(
    t,
    async ({ page, open, photo }) => {
      for (const state of ['working', 'approval', 'question']) {
        await open('dev', { state, theme: 'dark' });
        await until(page, () => document.querySelector('[role=feed] > article') !== null);
        assert.ok(await page.evaluate(() => matchMedia('(forced-colors: active)').matches));
        // What is chosen and what is ticked is told by more than a background, which these colours take away.
        const lost = await page.evaluate(() =>
          [...document.querySelectorAll('input:checked + .box, [aria-selected=true], [aria-pressed=true]')]
            .filter((one) => {
              const style = getComputedStyle(one);
              return (
                style.forcedColorAdjust !== 'none' &&
                style.outlineStyle === 'none' &&
                style.borderBottomStyle === 'none' &&
                style.textDecorationLine === 'none'
              );
            })
            .map((one) => one.outerHTML.slice(0, 120)),
        );
        assert.deepEqual(lost, [], state);
        const seen = await page.evaluate(
          () =>
            [...document.querySelectorAll('input:not(:checked) + .box > .icon')].filter(
              (icon) => getComputedStyle(icon).visibility !== 'hidden',
            ).length,
        );
        assert.equal(seen, 0, `${state}: ticks that only their colour hid`);
        await photo(`forced-${state}`);
      }
    },
    { forcedColors: 'active' },
  );
});

test('nothing moves for who asked for no motion', async (t) => {
  await browsing(
    t,
    async ({ page, open }) => {
      for (const state of ['working', 'approval', 'tasks']) {
        await open('dev', { state, theme: 'dark' });
        await until(page, () => document.querySelector('[role=feed] > article') !== null);
        const moving = await page.evaluate(() =>
          document.getAnimations().map((one) => `${one.effect?.target?.outerHTML.slice(0, 80)} ${one.playState}`),
        );
        assert.deepEqual(moving, [], state);
      }
    },
    { reducedMotion: 'reduce' },
  );
});

test('the plain document is whole, has its headings in order, and gives the timeline back', async (t) => {
  await browsing(t, async ({ page, open }) => {
    await open('dev', { state: 'working', theme: 'light' });
    await until(page, () => document.querySelector('[role=feed] > article') !== null);
    await page.keyboard.press('Control+Shift+V');
    await until(page, () => document.querySelector('.reader h3') !== null);
    const levels = await page.evaluate(() =>
      [...document.querySelectorAll('.reader :is(h2,h3,h4,h5,h6)')].map((heading) => Number(heading.tagName[1])),
    );
    assert.equal(levels[0], 2);
    for (const [at, level] of levels.entries())
      assert.ok(at === 0 || level <= levels[at - 1] + 1, `a heading of level ${level} behind one of ${levels[at - 1]}`);
    await page.getByRole('button', { name: 'Back to the timeline' }).click();
    await until(page, () => document.querySelector('[role=feed] > article') !== null);
    await until(page, () => document.activeElement?.getAttribute('role') === 'feed');
  });
});
