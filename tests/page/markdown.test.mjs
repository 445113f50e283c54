// What a model may say to a page that shows it: nothing of it runs, leaves the machine, or makes the page wait.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { browsing, until } from './chromium.mjs';

const HOSTILE = {
  'a script': '<script>window.ran = 1</script>\n\n<img src=x onerror="window.ran = 1"> <svg onload="window.ran=1">',
  'addresses that run': '[a](javascript:window.ran=1) [b](JaVa\tScRiPt:window.ran=1) <javascript:window.ran=1>',
  'data addresses': '![x](data:text/html;base64,PHNjcmlwdD4=) [y](data:text/html,<script>window.ran=1</script>)',
  'images from elsewhere': '![tracker](https://tracker.invalid/pixel.gif) ![again](//tracker.invalid/a.png)',
  'frames and forms':
    '<iframe src="https://tracker.invalid"></iframe><form action="https://tracker.invalid"><input></form>',
  styles: '<style>* { display: none }</style><div style="position:fixed;inset:0">over it</div>',
  'a closed tag': '</div></article></main><h1>out of it</h1>',
  'direction marks': 'safe \u202e elif.exe \u202c text',
  'math that runs': '$\\href{javascript:window.ran=1}{x}$ and $$\\htmlClass{a}{\\url{javascript:window.ran=1}}$$',
  'a diagram that runs':
    '```mermaid\ngraph TD\n  A["<img src=x onerror=window.ran=1>"] --> B\n  click A "javascript:window.ran=1"\n```',
};
const LONG = {
  'one line of a megabyte': 'a'.repeat(1 << 20),
  'a hundred thousand nested lists': `${'- '.repeat(100_000)}deep`,
  'lists that are indented ever more': Array.from({ length: 1_000 }, (_, at) => `${'  '.repeat(at)}- x`).join('\n'),
  'a hundred thousand nested quotes': `${'> '.repeat(100_000)}deep`,
  'emphasis that never ends': '*a **b _c '.repeat(30_000),
  // Chromium itself lays out more of them ever more slowly, in plain text too.
  'brackets that never close': '[a]('.repeat(8_000),
  'backticks of every length': Array.from({ length: 800 }, (_, at) => '`'.repeat(at)).join(' '),
  'a table of many columns': `|${'a|'.repeat(2_000)}\n|${'-|'.repeat(2_000)}\n|${'b|'.repeat(2_000)}`,
};
/** Milliseconds that a text may hold the page, on any machine. */
const HELD = 5_000;

const say = (page, id, text) =>
  page.evaluate(
    async ([message, words]) => {
      const start = performance.now();
      window.backend.say('s1', { type: 'message_chunk', message_id: message, text: words });
      await window.__painted();
      return performance.now() - start;
    },
    [id, text],
  );

const shown = (page) => page.evaluate(() => document.querySelector('[role=feed]').textContent.includes('after it'));

test('hostile Markdown stays text', async (t) => {
  await browsing(t, async ({ page, open, photo }) => {
    for (const [name, text] of Object.entries(HOSTILE)) {
      await open('dev', { state: 'working' });
      await page.waitForSelector('[role=feed] > article');
      await say(page, 'hostile', text);
      await say(page, 'next', 'What comes after it.');
      await until(page, () => document.querySelector('[role=feed]').textContent.includes('after it'));
      const found = await page.evaluate(() => {
        const feed = document.querySelector('[role=feed]');
        const bad = (element) =>
          [...element.attributes].some(
            ({ name: key, value }) =>
              /^on/.test(key) ||
              /^\s*j\s*a\s*v\s*a\s*s\s*c\s*r\s*i\s*p\s*t\s*:/i.test(value) ||
              /^data:text/i.test(value),
          );
        return {
          ran: window.ran,
          bad: [...feed.querySelectorAll('*')].filter(bad).map((one) => one.outerHTML.slice(0, 200)),
          made: [...feed.querySelectorAll('script, iframe, form, style, object, embed, base, meta')].map((one) =>
            one.outerHTML.slice(0, 200),
          ),
          remote: [...feed.querySelectorAll('img')]
            .filter((img) => !/^(data:image|blob:)/.test(img.src))
            .map((i) => i.src),
        };
      });
      assert.deepEqual(found, { ran: undefined, bad: [], made: [], remote: [] }, name);
    }
    await photo('markdown-hostile');
  });
});

test('text that was made to be slow does not stop the page', async (t) => {
  await browsing(t, async ({ page, open }) => {
    for (const [name, text] of Object.entries(LONG)) {
      await open('dev', { state: 'working' });
      await page.waitForSelector('[role=feed] > article');
      const held = await say(page, 'long', text);
      const then = await say(page, 'next', 'What comes after it.');
      await until(page, () => document.querySelector('[role=feed]').textContent.includes('after it'));
      const nodes = await page.evaluate(() => document.querySelectorAll('*').length);
      t.diagnostic(
        `${name} (${text.length} characters): ${held.toFixed(0)} ms, then ${then.toFixed(0)}, ${nodes} nodes`,
      );
      assert.ok(held < HELD && then < HELD, `${name} held the page for ${held} and ${then} ms`);
      assert.ok(await shown(page), name);
    }
  });
});

test('a delta costs the same at the end of a long message as at its start', async (t) => {
  await browsing(t, async ({ page, open }) => {
    await open('dev', { state: 'working' });
    await page.waitForSelector('[role=feed] > article');
    const costs = await page.evaluate(async () => {
      const piece = (at) =>
        at % 8 === 7
          ? `\n\n## Part ${at}\n\n`
          : at % 8 === 3
            ? '\n\n- an item with `code`\n- another\n\n'
            : `some words of part ${at}, **bold** and more. `;
      const parts = [];
      for (let part = 0; part < 8; part += 1) {
        let spent = 0;
        for (let at = 0; at < 250; at += 1) {
          const start = performance.now();
          window.backend.say('s1', { type: 'message_chunk', message_id: 'grows', text: piece(part * 250 + at) });
          await Promise.resolve();
          document.querySelector('[role=feed]').getBoundingClientRect();
          spent += performance.now() - start;
          await new Promise(requestAnimationFrame);
        }
        parts.push(spent / 250);
      }
      return parts;
    });
    t.diagnostic(
      `ms for a delta, eighth by eighth of a message of 2,000: ${costs.map((ms) => ms.toFixed(2)).join(' ')}`,
    );
    const last = Math.min(...costs.slice(-3));
    const first = Math.max(...costs.slice(0, 2));
    assert.ok(last < 2 * first + 1, `${last} ms at the end, ${first} at the start`);
  });
});
