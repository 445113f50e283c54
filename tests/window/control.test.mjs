// What a person asks of a running session besides prompts and answers, with the real CLI.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { text, tool } from './claude.mjs';
import { until } from './harness.mjs';
import { inLab } from './lab.mjs';
import { act, conversation, FEED, idle, panel, settle, SIDE, valueOf } from './talk.mjs';

test('effort and title are what the CLI confirmed, and the panel tells what fills the context and what it cost', async (t) => {
  await inLab(t, async (lab) => {
    settle(lab, { default_model: 'opus' });
    const script = { aside: text('{"title": "Tea for two"}'), turns: [{ replies: [text('Ready.')] }] };
    const page = await conversation(lab, script, 'Plan an afternoon with tea for two in the garden');
    await page.shows('Ready.', { within: 30_000 });
    await idle(page);
    await page.click('button', /^Effort/);
    await page.click('option', /^low/);
    await page.get('button', /^Effort\s*low/);

    await act(page, 'Suggest a title');
    await until('a title is suggested', async () => (await valueOf(page, 'Title')) === 'Tea for two');
    await page.browser.keys('Enter');
    await page.shows('Tea for two', { selector: 'nav [data-session-id]' });
    await page.browser.keys('F2');
    await page.type('Title', 'A better name');
    await page.browser.keys('Enter');
    await until('the title is taken', async () => (await page.text('h1')) === 'A better name');
    await page.shows('A better name', { selector: 'nav [data-session-id]' });

    await panel(page, 'Context');
    const shows = (words) => page.shows(words, { selector: SIDE });
    await shows('System prompt');
    await shows(/Context window\s+[\d.]+k of [\d.]+[kM], \d+ %/);
    await shows(/Last turn\s+\$\d/);
    await shows(/claude-opus\S*\s+\$\d/);
    await shows(/Effort\s+low/);
  });
});

test('an interrupt lets the queued prompt run next, another drops it into the field', async (t) => {
  await inLab(t, async (lab) => {
    const held = (words) => ({ steps: [{ text: words }, 'hold'] });
    const script = {
      turns: [{ replies: [held('First begun.')] }, { replies: [held('Second begun.')] }, { replies: [text('Third.')] }],
    };
    const page = await conversation(lab, script, 'one');
    await page.shows('First begun.', { within: 30_000 });
    await page.prompt('two');
    await page.shows('Queued');
    await page.click('button', 'Interrupt');
    await page.shows('Second begun.', { within: 30_000 });
    await page.prompt('three');
    await page.click('button', 'Interrupt and drop queue');
    await idle(page);
    await until('the prompt is in the field again', async () => (await valueOf(page, 'Prompt')) === 'three');
    assert.ok(!(await page.has('button', 'Withdraw')), 'nothing is queued');
    await page.click('button', 'Send');
    await page.shows('Third.', { within: 30_000 });
  });
});

test('a command in the background is followed and stopped from the tasks panel', async (t) => {
  await inLab(t, async (lab) => {
    const command = 'echo the first words; tail -f /dev/null';
    const input = { command, description: 'Watch for ever', run_in_background: true };
    const script = { turns: [{ replies: [tool('Bash', input), text('It runs.')] }, { replies: [text('Noted.')] }] };
    const page = await conversation(lab, script, 'Watch');
    await page.click('button', 'Allow', { within: 30_000 });
    await page.shows('It runs.', { within: 30_000 });
    await page.shows('1 task running');
    await page.click('button', 'Show tasks');
    await page.shows(/Watch for ever/, { selector: SIDE });
    await page.shows(/running \d+ ?s/, { selector: SIDE });
    await page.shows('the first words', { selector: SIDE });
    await page.click('button', 'Stop');
    await page.shows(/stopped, \d/, { selector: SIDE, within: 30_000 });
    await until('the command is gone', () => !lab.processes().some(({ command }) => command.includes('tail -f')));
    await until('nothing runs', async () => !(await page.text(FEED)).includes('1 task running'));
  });
});
