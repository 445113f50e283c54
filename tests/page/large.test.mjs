// What is large in itself, in Chromium: a diff of 20,000 lines, an output of ten megabytes, a word in thousands of rows.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { browsing, until } from './chromium.mjs';

const LINES = 20_000;
const NODES = 3_000;
/** Milliseconds that it may hold the page, on any machine. */
const HELD = 5_000;

/** Runs in the page: all elements, those in shadow trees too. */
function count() {
  const of = (root) =>
    [...root.querySelectorAll('*')].reduce((sum, el) => sum + 1 + (el.shadowRoot ? of(el.shadowRoot) : 0), 0);
  return of(document);
}

/** Says an event of the session; milliseconds until it is painted. */
const say = (page, body) =>
  page.evaluate(async (given) => {
    const start = performance.now();
    window.backend.say('s1', given);
    return (await window.__painted()) - start;
  }, body);

const call = (id, name, title, normalized) => ({
  type: 'tool_call',
  tool_call_id: id,
  tool_name: name,
  tool_title: title,
  tool_status: 'complete',
  normalized,
});

function diffOf(lines) {
  const body = Array.from(
    { length: lines / 4 },
    (_, at) => ` same ${at}\n-let old_${at} = ${at};\n+let fresh_${at} = ${at};\n+more(${at});\n`,
  );
  return `--- a/src/large.rs\n+++ b/src/large.rs\n@@ -1,${lines / 2} +1,${(lines / 4) * 3} @@\n${body.join('')}`;
}

test('a diff of 20,000 lines is shown in its row and gone through in the review, with few nodes', async (t) => {
  await browsing(t, async ({ page, open, photo }) => {
    await open('dev', { state: 'working', panel: 'changes' });
    await page.waitForSelector('[role=feed] > article');
    const diff = diffOf(LINES);
    const mutation = { type: 'patch', content: null, old_content: null, new_content: null, diff, start_line: 1 };
    const modify = { file_path: '/home/dev/code/ferry/src/large.rs', mutations: [mutation] };
    const row = await say(page, call('large', 'Edit', 'src/large.rs', { kind: 'modify_file', modify_file: modify }));
    await until(page, () => document.querySelector('[data-tool-call-id=large]') !== null);
    const inRow = await page.evaluate(count);
    assert.ok(inRow < NODES, `${inRow} nodes with the row`);
    const shown = page.locator('[data-tool-call-id=large]');
    if (await shown.locator('.sum[aria-expanded=false]').count()) await shown.locator('.sum').click();
    await shown.getByRole('button', { name: /^(Show|All)/ }).click();
    await page.evaluate(() => window.__painted());
    const whole = await page.evaluate(count);
    assert.ok(whole < NODES, `${whole} nodes with all of it shown`);

    const files = [{ path: 'src/large.rs', added: LINES / 2, removed: LINES / 4 }];
    const panel = await say(page, { type: 'turn_diff_updated', diff, files });
    await page.getByRole('option', { name: /large\.rs/ }).click();
    const area = page.getByRole('group', { name: /^Changes in src\/large\.rs$/ });
    await area.waitFor();
    await until(page, () => document.querySelector('.review-head') !== null);
    let most = 0;
    for (const part of [0, 0.5, 1]) {
      await area.evaluate((box, share) => (box.scrollTop = (box.scrollHeight - box.clientHeight) * share), part);
      await page.evaluate(() => window.__painted());
      most = Math.max(most, await page.evaluate(count));
    }
    // Its last line can be read there.
    await until(
      page,
      (last) => {
        const text = (root) =>
          [...root.querySelectorAll('*')].some((el) =>
            el.shadowRoot ? text(el.shadowRoot) : el.textContent.includes(last),
          );
        return text(document.querySelector('.review'));
      },
      `more(${LINES / 4 - 1})`,
    );
    await photo('large-diff');
    t.diagnostic(`a diff of ${LINES} lines: ${row.toFixed(0)} ms in its row, ${panel.toFixed(0)} ms in the panel`);
    t.diagnostic(`${inRow} nodes with the row, ${whole} with all of it, at most ${most} with the review`);
    assert.ok(row < HELD && panel < HELD, `it held the page for ${row} and ${panel} ms`);
    assert.ok(most < NODES, `${most} nodes`);
  });
});

test('an output of ten megabytes is looked through with few nodes', async (t) => {
  await browsing(t, async ({ page, open }) => {
    await open('dev', { state: 'working' });
    await page.waitForSelector('[role=feed] > article');
    const stdout = Array.from({ length: 100_000 }, (_, at) => `line ${at + 1} ${'of what it prints '.repeat(5)}`).join(
      '\n',
    );
    assert.ok(stdout.length > 9_000_000);
    const output = { exit_code: 1, stdout, stderr: '', interrupted: false, truncated: false };
    const shell = { command: 'make', work_dir: null, description: null, timeout: null, background: false, output };
    const held = await say(page, call('loud', 'Bash', 'make', { kind: 'shell_exec', shell_exec: shell }));
    const row = page.locator('[data-tool-call-id=loud]');
    await row.waitFor();
    if (await row.locator('.sum[aria-expanded=false]').count()) await row.locator('.sum').click();
    await row.getByRole('button', { name: 'Show all' }).click();
    const box = row.locator('.box');
    let most = 0;
    for (const part of [0.5, 1]) {
      await box.evaluate((el, share) => (el.scrollTop = el.scrollHeight * share), part);
      await page.evaluate(() => window.__painted());
      most = Math.max(most, await page.evaluate(count));
    }
    await until(page, () =>
      document.querySelector('[data-tool-call-id=loud] .box')?.textContent.includes('line 100000 '),
    );
    t.diagnostic(`10 MB: ${held.toFixed(0)} ms until its row is painted, at most ${most} nodes`);
    assert.ok(held < HELD, `it held the page for ${held} ms`);
    assert.ok(most < NODES, `${most} nodes`);
  });
});

test('a word is found in all of a session, place after place, and the rows that have it are shown', async (t) => {
  await browsing(t, async ({ page, open }) => {
    await open('dev', { state: 'working', rows: 20_000 });
    await page.waitForSelector('[role=feed] > article');
    await page.keyboard.press('Control+f');
    const field = page.getByRole('textbox', { name: 'Find in this session' });
    await field.fill('look at part 40 of');
    const bar = page.getByRole('search');
    await bar.getByText(/^1 of 1$/).waitFor();
    await until(page, () => document.querySelector('[role=feed]').textContent.includes('look at part 40 of'));
    assert.ok((await page.evaluate(count)) < NODES);
    await field.fill('LOOK AT PART');
    await bar.getByText(/ of 1\W?000\+?$/).waitFor();
    const said = () => bar.locator('[role=status]').textContent();
    const first = await said();
    await page.keyboard.press('Enter');
    await until(page, (before) => document.querySelector('[role=search] [role=status]').textContent !== before, first);
    await page.keyboard.press('Shift+Enter');
    await until(page, (before) => document.querySelector('[role=search] [role=status]').textContent === before, first);
    await field.fill('no such words anywhere');
    await bar.getByText('Nothing found').waitFor();
    await page.keyboard.press('Escape');
    await until(page, () => document.querySelector('[role=search]') === null);
  });
});
