// What is said while something is waited for: a person, the model, a limit; and what stays of it.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { built, until } from './harness.mjs';
import { text, tool } from './claude.mjs';
import { inLab } from './lab.mjs';
import { begin, CARD, conversation, FEED, idle, settle } from './talk.mjs';

test('a question that nobody answers counts down, is denied, and both the row and the timeline say so', async (t) => {
  await inLab(t, async (lab) => {
    settle(lab, { permission_timeout_s: 4 });
    const script = { turns: [{ replies: [tool('Bash', { command: 'touch made.txt', description: 'Make it' })] }] };
    const page = await conversation(lab, script, 'Make a file');
    await page.shows(/denied and stopped in 0:0\d/, { selector: CARD, within: 30_000 });
    await page.gone('group', 'Permission request');
    await page.shows(/Denied and stopped\s+Nobody answered within 4 s/, { selector: FEED });
    await page.shows(/denied and stopped without an answer, \d+ s/i, { selector: FEED });
    await idle(page);
    assert.equal(lab.file('workspace/made.txt'), null);
  });
});

test('a turn that says nothing is told with what it waits for, and ends when the model speaks', async (t) => {
  await inLab(t, async (lab) => {
    settle(lab, { silence_after_s: 2 });
    const script = { turns: [{ replies: [{ steps: [{ wait: 4500 }, { text: 'There you are.' }] }] }] };
    const page = await conversation(lab, script, 'Take your time');
    await page.shows(/The model has not answered yet/, { selector: FEED, within: 30_000 });
    await page.shows(/silent \d+ ?s|silent 0:0\d/, { selector: FEED });
    await page.shows('There you are.', { within: 30_000 });
    await page.shows(/Nothing was heard for \d/, { selector: FEED });
  });
});

test('a command that is changed before it is allowed runs as changed, and its row keeps both', async (t) => {
  await inLab(t, async (lab) => {
    const script = {
      turns: [{ replies: [tool('Bash', { command: 'touch asked.txt', description: 'Make it' }), text('Done.')] }],
    };
    const page = await conversation(lab, script, 'Make a file');
    await page.get('group', 'Permission request', { within: 30_000 });
    await page.click('button', 'Edit');
    await page.type('Command', 'touch mine.txt');
    await page.click('button', /^Allow/);
    await page.shows('Done.', { within: 30_000 });
    await until('the changed command has run', () => lab.file('workspace/mine.txt') !== null);
    assert.equal(lab.file('workspace/asked.txt'), null);
    await page.shows(/touch mine\.txt\s+changed and allowed by you/, { selector: FEED });
    await page.press(await page.browser.$('[data-tool-call-id] button'));
    await page.shows(/Changed\s+command: touch asked\.txt to\s+touch mine\.txt/, { selector: FEED });
  });
});

test('an overloaded API is told once, with the attempt and the time until the next', async (t) => {
  await inLab(t, async (lab) => {
    const overloaded = { status: 529, error: 'overloaded_error', message: 'Overloaded' };
    const script = { turns: [{ replies: [overloaded, overloaded, text('Through.')] }] };
    const page = await conversation(lab, script, 'Go');
    await page.shows(/Overloaded \(529\)\s+Attempt \d+ of 10\s+in \d+ s/, { selector: FEED, within: 30_000 });
    await page.shows('Through.', { within: 60_000 });
    const shown = await page.text(FEED);
    assert.equal(shown.match(/Overloaded/g).length, 1, shown);
    assert.match(shown, /Attempt 2 of 10 went through after/);
  });
});

test('what the CLI refuses to the root user is said before the start, and a sandbox lifts it', async (t) => {
  await inLab(t, async (lab) => {
    const cli = ['--workspace', lab.workspace, '--cli', built('kandev-rehearsal')];
    const choice = async (env) => {
      const page = await lab.page(cli, env);
      const radio = await page.get('radio', /^autonomous/);
      const found = { words: await radio.getText(), enabled: await radio.isEnabled() };
      return { page, ...found };
    };
    const refused = await choice({});
    const isRoot = process.getuid() === 0;
    assert.equal(refused.enabled, !isRoot);
    if (isRoot) assert.match(refused.words, /root user/);
    await refused.page.app.quit();
    const sandboxed = await choice({ IS_SANDBOX: '1' });
    assert.equal(sandboxed.enabled, true);
    await begin(sandboxed.page, 'Go', { policy: 'autonomous' });
    await sandboxed.page.shows('autonomous: nothing is asked');
  });
});
