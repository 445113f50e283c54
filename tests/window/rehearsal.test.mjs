// The rehearsal: what a newcomer without an account sees.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { until } from './harness.mjs';
import { inLab } from './lab.mjs';
import { allow, decideAll } from './tour.mjs';

const KINDS = [
  'ask_user',
  'code_search',
  'create_task',
  'generic',
  'http_request',
  'manage_todos',
  'mcp_tool',
  'misc',
  'modify_file',
  'read_file',
  'shell_exec',
  'show_plan',
  'subagent_task',
];

test('the tour shows every kind of row and every kind of question, and ends well', async (t) => {
  await inLab(t, async (lab) => {
    const page = await lab.page(['--rehearsal-speed', 'max']);
    await page.click('button', 'Try a rehearsal session');
    await page.prompt('Show me around');
    const seen = new Map();
    const asked = await decideAll(page, allow, async () => {
      for (const row of await page.tools()) seen.set(row.id, row.kind);
    });
    await page.scrollThrough(async () => {
      await page.openGroups();
      for (const row of await page.tools()) seen.set(row.id, row.kind);
      return false;
    });
    assert.deepEqual([...new Set(seen.values())].sort(), KINDS);
    for (const kind of ['Allow', 'Answer', 'Approve'])
      assert.ok(asked.includes(kind), `nothing had the button ${kind}`);
    await page.shows('Turn 1 done');
    assert.deepEqual(await page.sessionStates(), ['idle']);
  });
});

test('what is allowed in the tour is written, what is denied is not', async (t) => {
  await inLab(t, async (lab) => {
    const page = await lab.page(['--rehearsal-speed', 'max']);
    await page.click('button', 'Try a rehearsal session');
    await page.prompt('everything');
    await until('the scratch folder is there', () => scratch(lab));
    const source = `${scratch(lab)}/src/tides.ts`;
    const before = await until('the project is there', () => lab.file(source));
    const done = await decideAll(page, async () => {
      const question = await page.text('[aria-label="Permission request"]');
      if (!question.includes('src/tides.ts')) return allow(page);
      await page.click('button', 'Deny');
      return 'Deny';
    });
    assert.ok(done.includes('Deny'), 'the edit of src/tides.ts was asked about');
    assert.equal(lab.file(source), before);
    assert.match(lab.file(`${scratch(lab)}/test/midnight.test.ts`), /tomorrow's/);
  });
});

test('below a drawer or a dialog nothing draws a scroll bar', async (t) => {
  await inLab(t, { width: 1024, height: 900 }, async (lab) => {
    lab.lab.remember(1024, 900);
    const page = await lab.page(['--rehearsal-speed', 'max']);
    await page.click('button', 'Try a rehearsal session');
    await page.prompt('Show me around');
    await decideAll(page, allow);
    const scrolling = () =>
      page.browser.execute(() => {
        const overflows = (el) => el.scrollHeight > el.clientHeight || el.scrollWidth > el.clientWidth;
        const scrolls = (el) => /auto|scroll/.test(getComputedStyle(el).overflow);
        return [...document.querySelectorAll('.main *')].filter((el) => overflows(el) && scrolls(el)).length;
      });
    assert.ok((await scrolling()) > 0, 'there is something to scroll');
    await page.browser.keys(['Control', '3']);
    await page.get('button', 'Close session details');
    assert.equal(await scrolling(), 0, 'below the drawer');
    await page.click('button', 'Close session details');
    assert.ok((await scrolling()) > 0, 'it scrolls again');
    await page.browser.keys(['Control', 'k']);
    await page.get('dialog', null);
    assert.equal(await scrolling(), 0, 'below the palette');
  });
});

test('two rehearsals have a folder each, and it goes with the session', async (t) => {
  await inLab(t, async (lab) => {
    const page = await lab.page(['--rehearsal-speed', 'max']);
    await page.click('button', 'Try a rehearsal session');
    await page.get('feed', 'Timeline');
    await page.click('button', 'New session');
    await page.click('button', 'Try a rehearsal session');
    await until('two sessions', async () => (await page.sessionStates()).length === 2);
    assert.equal(lab.list('tmp').filter((name) => name.startsWith('kandev-rehearsal-')).length, 2);
    await page.app.quit();
    await until('the folders are gone', () => !lab.list('tmp').some((name) => name.startsWith('kandev-rehearsal-')));
  });
});

const scratch = (lab) => {
  const name = lab.list('tmp').find((entry) => entry.startsWith('kandev-rehearsal-'));
  return name && `tmp/${name}`;
};
