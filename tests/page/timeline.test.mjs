// The timeline in Chromium with 100,000 rows loaded: how much of it is in the page, how it scrolls, and what keeps still.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { browsing, until } from './chromium.mjs';

const ROWS = 100_000;
const DELTAS = 500;
const NODES = 3_000;
/** Pixels. */
const STILL = 2;
/** Times as long as with a few rows, and the frames that an empty page has: what differs between machines is in both. */
const LONGER = 8;
const SHARE = 0.3;

const nodes = (page) => page.evaluate(() => document.querySelectorAll('*').length);
const long = { state: 'working', rows: ROWS, slice: 10 * ROWS };

/** Goes to the inbox and back to the session, which is loaded; milliseconds until its rows are painted. */
async function comeBack(page) {
  await page.evaluate(() => window.app.openInbox());
  await until(page, () => document.querySelector('[role=feed]') === null);
  return page.evaluate(async () => {
    const start = performance.now();
    window.app.place = 'session';
    while (document.querySelectorAll('[role=feed] > article').length === 0) await new Promise(requestAnimationFrame);
    return (await window.__painted()) - start;
  });
}

/** Runs in the page: scrolls a box to and fro, a step each frame. */
async function scroll({ selector, ms }) {
  const box = document.querySelector(selector);
  const times = [];
  let most = 0;
  let step = -120;
  const start = performance.now();
  for (let last = start; last - start < ms;) {
    box.scrollTop += step;
    if (box.scrollTop <= 0) step = 120;
    else if (box.scrollTop + box.clientHeight >= box.scrollHeight - 1) step = -120;
    const now = await new Promise((resolve) => requestAnimationFrame(resolve));
    if (now > last) times.push(now - last);
    last = Math.max(now, last);
    most = Math.max(most, document.querySelectorAll('*').length);
  }
  return { rate: (times.length * 1000) / times.reduce((sum, time) => sum + time, 0), most };
}

/** The same with a box of the same place and size that holds nothing. */
async function scrollNothing(page) {
  await page.evaluate(() => {
    const { x, y, width, height } = document.querySelector('[role=feed]').getBoundingClientRect();
    const box = document.createElement('div');
    box.id = 'nothing';
    const place = { left: `${x}px`, top: `${y}px`, width: `${width}px`, height: `${height}px` };
    Object.assign(box.style, { position: 'fixed', zIndex: 9999, background: 'Canvas', overflow: 'auto', ...place });
    const inside = document.createElement('div');
    inside.style.height = '1000000px';
    box.append(inside);
    document.body.append(box);
    box.scrollTop = 500_000;
  });
  const result = await page.evaluate(scroll, { selector: '#nothing', ms: 2_000 });
  await page.evaluate(() => document.querySelector('#nothing').remove());
  return result;
}

test('100,000 rows are painted about as soon as twenty, with few nodes, and scroll as an empty page does', async (t) => {
  await browsing(t, async ({ page, open }) => {
    await open('dev', { state: 'working', rows: 20 });
    await page.waitForSelector('[role=feed] > article');
    const few = Math.min(await comeBack(page), await comeBack(page));

    await open('dev', long);
    await page.waitForSelector('[role=feed] > article');
    assert.equal(await page.evaluate(() => window.app.store.view.rows.length), ROWS, 'all are loaded');
    const many = Math.min(await comeBack(page), await comeBack(page));
    t.diagnostic(`first rows painted: ${few.toFixed(0)} ms of 20, ${many.toFixed(0)} ms of ${ROWS} loaded`);
    assert.ok(many < LONGER * few + 1_000, `${many} ms against ${few} ms`);
    assert.ok((await nodes(page)) < NODES, `${await nodes(page)} nodes`);

    const nothing = await scrollNothing(page);
    const feed = await page.evaluate(scroll, { selector: '[role=feed]', ms: 3_000 });
    const share = feed.rate / nothing.rate;
    t.diagnostic(`scrolling: ${feed.rate.toFixed(1)} frames/s, an empty page ${nothing.rate.toFixed(1)}`);
    t.diagnostic(`at most ${feed.most} nodes`);
    assert.ok(feed.most < NODES, `${feed.most} nodes`);
    assert.ok(share > SHARE, `${feed.rate} frames/s against ${nothing.rate} of an empty page`);

    for (const part of [0, 0.25, 0.5, 0.75, 1]) {
      await page.evaluate((share) => {
        const feed = document.querySelector('[role=feed]');
        feed.scrollTop = (feed.scrollHeight - feed.clientHeight) * share;
      }, part);
      await until(
        page,
        (share) => {
          const row = document.querySelector('[role=feed] > article');
          const [at, of] = ['aria-posinset', 'aria-setsize'].map((name) => Number(row?.getAttribute(name)));
          return Math.abs(at / of - share) < 0.05;
        },
        part,
      );
      assert.ok((await nodes(page)) < NODES, `${await nodes(page)} nodes at ${part}`);
    }
  });
});

/** Streams that many pieces of an answer, one a frame; how far the row at the top of the screen moved. */
const stream = (page, deltas) =>
  page.evaluate(async (count) => {
    const feed = document.querySelector('[role=feed]');
    const edge = feed.getBoundingClientRect().top;
    const row = [...feed.querySelectorAll(':scope > article')].find((one) => one.getBoundingClientRect().top >= edge);
    const place = () => row.getBoundingClientRect().top;
    const first = place();
    let moved = 0;
    const start = performance.now();
    for (let at = 0; at < count; at += 1) {
      const text = at % 40 === 39 ? `word ${at}\n\n\`\`\`rust\nfn f() {}\n\`\`\`\n\n` : `word ${at} of the answer `;
      window.backend.say('s1', { type: 'message_chunk', message_id: 'streamed', text });
      await new Promise(requestAnimationFrame);
      moved = Math.max(moved, row.isConnected ? Math.abs(place() - first) : 1e9);
    }
    return { moved, name: row.textContent.slice(0, 40), ms: (performance.now() - start) / count };
  }, deltas);

test('the row that one reads keeps still while 500 pieces come at the end', async (t) => {
  await browsing(t, async ({ page, open }) => {
    // Of the long one only the end is loaded, as in the app.
    for (const rows of [400, ROWS]) {
      await open('dev', { state: 'working', rows });
      await page.waitForSelector('[role=feed] > article');
      await page.evaluate(() => (document.querySelector('[role=feed]').scrollTop -= 900));
      await page.evaluate(() => window.__painted());
      const { moved, name, ms } = await stream(page, DELTAS);
      t.diagnostic(`${rows} rows: moved ${moved.toFixed(2)} px, ${ms.toFixed(1)} ms from piece to piece`);
      assert.ok(moved < STILL, `“${name}” moved by ${moved} px in a session of ${rows} rows`);
    }
  });
});

test('at the end the timeline goes along with what comes, and stays once one has scrolled up', async (t) => {
  await browsing(t, async ({ page, open }) => {
    await open('dev', { ...long, rows: 400 });
    await page.waitForSelector('[role=feed] > article');
    const left = () =>
      page.evaluate(() => {
        const feed = document.querySelector('[role=feed]');
        return feed.scrollHeight - feed.clientHeight - feed.scrollTop;
      });
    const say = (text) =>
      page.evaluate(async (words) => {
        window.backend.say('s1', { type: 'message_chunk', message_id: 'm', text: words });
        await window.__painted();
      }, text);
    for (let at = 0; at < 30; at += 1) {
      await say(`Paragraph ${at} of what is said.\n\n`);
      assert.ok((await left()) < 2, `${await left()} px from the end after ${at} pieces`);
    }
    await page.locator('[role=feed]').hover();
    await page.mouse.wheel(0, -300);
    await until(page, () =>
      [...document.querySelectorAll('button')].some((b) => /^Jump to end/.test(b.textContent.trim())),
    );
    const before = await left();
    await say('More of it.\n\n'.repeat(10));
    assert.ok((await left()) > before, 'it stays where one reads');
    await page.getByRole('button', { name: /^Jump to end/ }).click();
    await until(page, () => {
      const feed = document.querySelector('[role=feed]');
      return feed.scrollHeight - feed.clientHeight - feed.scrollTop < 2;
    });
    await say('And the last.');
    assert.ok((await left()) < 2, 'it goes along again');
  });
});
