// MCP servers as a person has them: added in the settings, seen in the panel, asked about, asking; and the host's own.
import assert from 'node:assert/strict';
import { join } from 'node:path';
import { test } from 'node:test';
import { fileURLToPath } from 'node:url';
import { claude, scripted, text, tool } from './claude.mjs';
import { until } from './harness.mjs';
import { inLab } from './lab.mjs';
import { act, begin, CARD, FEED, idle, panel, SIDE } from './talk.mjs';

const SERVER = fileURLToPath(new URL('mcp-server.mjs', import.meta.url));
const SECRET = 'a-secret-of-the-server';

/** Adds a server by the page of the settings, with a plain variable and a secret one. */
async function add(page, proof) {
  await act(page, 'MCP servers');
  await page.click('button', 'Add a server');
  await page.type('Name', 'tea');
  await page.type('Command', process.execPath);
  await page.type('Arguments', SERVER);
  await page.click('button', 'Add a variable');
  await page.type('Name of variable 1', 'PROOF');
  await page.type('Value of variable 1', proof);
  await page.click('button', 'Add a variable');
  await page.type('Name of variable 2', 'TOKEN');
  await page.tick('checkbox', 'Secret variable 2');
  await page.type('Value of variable 2', SECRET);
  await page.click('button', 'Add server');
  await page.shows(/tea\s+stdio, 1 secret/, { selector: '[role=dialog]' });
}

test('a server that is added in the settings connects, its tool is asked about, and its question is a form', async (t) => {
  await inLab(t, async (lab) => {
    const script = {
      turns: [
        {
          replies: [
            tool('mcp__tea__echo', { text: 'said by the server' }),
            tool('mcp__tea__order', {}),
            text('Ordered.'),
          ],
        },
      ],
    };
    const page = await lab.page(['--workspace', lab.workspace, '--cli', claude()], await scripted(lab, script));
    await add(page, join(lab.root, 'proof'));
    await page.shows(/secrets are kept in \S+secrets\.json, unencrypted/, { selector: '[role=dialog]' });
    await page.click('button', 'Edit tea');
    assert.ok(!(await page.browser.getPageSource()).includes(SECRET), 'a saved secret is not shown again');
    await page.click('button', 'Back');
    await page.click('button', 'Close');
    assert.ok(!lab.file('data/settings.json')?.includes(SECRET));

    await begin(page, 'Order tea');
    await page.shows(/echo/, { selector: CARD, within: 30_000 });
    await lab.has('proof', SECRET);
    await panel(page, 'Context');
    await page.shows(/tea\s+connected/, { selector: SIDE, within: 30_000 });
    await page.click('button', /^2 tools of tea/);
    await page.shows(/echo\s+order/, { selector: SIDE });
    await page.click('button', 'Allow');
    await page.shows(/order/, { selector: CARD, within: 30_000 });
    await page.click('button', 'Allow');

    await page.shows('Which tea is it to be?', { within: 30_000 });
    await page.click('button', 'Accept');
    await page.shows('2 to correct');
    await page.type(/^Your name/, 'Ada');
    await page.tick('radio', 'oolong');
    await page.tick('checkbox', 'With milk');
    await page.click('button', 'Accept');
    await page.shows('Ordered.', { within: 30_000 });
    await page.shows(/tea asks.*Which tea is it to be\?.*accepted by you/s, { selector: FEED });
    const calls = await page.tools();
    assert.deepEqual(
      calls.map((row) => `${row.kind} ${row.status}`),
      ['mcp_tool complete', 'mcp_tool complete'],
    );
    await idle(page);
    assert.ok(!(await page.browser.getPageSource()).includes(SECRET));

    await page.click('button', 'Reconnect tea');
    await page.shows(/tea\s+connected/, { selector: SIDE, within: 30_000 });
    await page.tick('checkbox', 'On: tea');
    await page.shows(/tea\s+off/, { selector: SIDE, within: 30_000 });
  });
});

test('what the agent tells by notify_user stands in the corner and in the timeline', async (t) => {
  await inLab(t, async (lab) => {
    const note = { message: 'The long run is over.', title: 'Come and look', level: 'info' };
    const script = { turns: [{ replies: [tool('mcp__kandev__notify_user', note), text('Told.')] }] };
    const page = await lab.page(['--workspace', lab.workspace, '--cli', claude()], await scripted(lab, script));
    await begin(page, 'Tell me when');
    await page.click('button', 'Allow', { within: 30_000 });
    await page.shows(/Come and look\s+The long run is over\./, { selector: '.toasts', within: 30_000 });
    await page.shows(/Come and look\s+The long run is over\./, { selector: FEED });
    await page.click('button', 'Close');
    await until('the toast is gone', async () => (await page.text('.toasts')).trim() === '');
    await page.shows('Told.', { within: 30_000 });
  });
});
