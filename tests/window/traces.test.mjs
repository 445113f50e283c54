// What can be seen of a session afterwards: raw lines, a report that plays, and files for the one who debugs.
import assert from 'node:assert/strict';
import { join } from 'node:path';
import { test } from 'node:test';
import { text, tool } from './claude.mjs';
import { built, until } from './harness.mjs';
import { inLab } from './lab.mjs';
import { conversation, FEED, idle, panel, SIDE } from './talk.mjs';

// In two parts, so that nobody takes it for a real one.
const TOKEN = `sk-ant-api03-${'Zq7'.repeat(30)}`;

test('a session is inspected line by line, its report plays as a rehearsal, and no file of it holds a secret', async (t) => {
  await inLab(t, async (lab) => {
    const opened = await lab.page(['--cli', built('kandev-rehearsal')]);
    await opened.click('button', 'Settings');
    await opened.tick('checkbox', /^Write down/);
    await opened.click('button', 'Save');
    await lab.has('data/settings.json', '"debug_messages": true');
    await opened.app.quit();

    const command = { command: 'echo from the shell', description: 'Say something' };
    const script = { turns: [{ replies: [tool('Bash', command), text('The end of it.')] }] };
    const page = await conversation(lab, script, `Use ${TOKEN} well`);
    await page.click('button', 'Allow', { within: 30_000 });
    await page.shows('The end of it.', { within: 30_000 });
    await idle(page);

    await panel(page, 'Inspector');
    await page.type('Filter by type or word', 'permission_request');
    await page.shows('1 found', { selector: SIDE });
    await page.click('option', /permission_request.*echo from/);
    await page.shows(/Event \d+, permission_request/i, { selector: SIDE });
    await page.shows(/control_request/, { selector: SIDE });
    await page.click('button', 'Raw lines');
    // What is picked is among the lines, though the filter was for events.
    await page.shows(/control_request\S*\s+events? \d+/, { selector: `${SIDE} [aria-selected=true][role=option]` });

    await page.click('button', 'Save a report');
    await page.click('button', 'Save');
    await page.shows(/The report was saved\.\s+\S+\.ndjson/, { selector: '.toasts' });
    const report = (await page.text('.toasts')).match(/\S+\.ndjson/)[0];
    const debug = lab.list('workspace/.kandev/debug');
    const files = debug.map((name) => lab.file(join('workspace/.kandev/debug', name)));
    files.push(lab.file(report.slice(lab.root.length + 1)));
    assert.ok(files.length > 1 && files.every((file) => file.includes('echo from the shell')), debug.join());
    for (const file of files) assert.ok(!file.includes(TOKEN), 'a secret is written');
    await page.app.quit();

    const played = await lab.page(['--rehearsal', report, '--rehearsal-speed', 'max']);
    await played.prompt('Play it');
    await played.click('button', 'Allow', { within: 30_000 });
    await played.shows('The end of it.', { selector: FEED, within: 30_000 });
    await played.shows('echo from the shell', { selector: FEED });
    await until('it is over', async () => ['idle', 'ended'].includes((await played.sessionStates())[0]));
  });
});
