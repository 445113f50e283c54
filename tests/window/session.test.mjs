// A whole conversation in the window, with the real CLI and a scripted Messages API.
import assert from 'node:assert/strict';
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'node:test';
import { text, tool } from './claude.mjs';
import { until } from './harness.mjs';
import { inLab } from './lab.mjs';
import { act, conversation, idle } from './talk.mjs';

test('a prompt is answered, and the answer streams in', async (t) => {
  await inLab(t, async (lab) => {
    const words = Array.from({ length: 40 }, (_, i) => `word${i}`).join(' ');
    const script = { turns: [{ replies: [{ steps: [{ slowly: { text: words, ms: 60 } }] }] }] };
    const page = await conversation(lab, script, 'Count the words');
    await page.shows('Count the words', { selector: '[role=feed]' });
    await page.shows('word3', { within: 30_000 });
    const early = await page.text('[role=feed]');
    assert.ok(!early.includes('word39'), 'the whole answer came at once');
    await page.shows('word39');
    await idle(page);
    const whole = await page.text('[role=feed]');
    assert.equal(whole.split('word17 ').length, 2, 'the answer is shown once');
  });
});

test('an edit that is allowed by a click changes the file on disk, one that is denied does not', async (t) => {
  await inLab(t, async (lab) => {
    const file = join(lab.workspace, 'greeting.txt');
    writeFileSync(file, 'Hello\nworld\n');
    const script = {
      turns: [
        {
          replies: [
            tool('Read', { file_path: file }, 'I read it first.'),
            tool('Edit', { file_path: file, old_string: 'world', new_string: 'moon' }),
            tool('Edit', { file_path: file, old_string: 'Hello', new_string: 'Goodbye' }),
            text('One change was made, one was not.'),
          ],
        },
      ],
    };
    const page = await conversation(lab, script, 'Change the greeting');
    const first = await page.get('group', 'Permission request', { within: 30_000 });
    const shown = await first.getText();
    assert.match(shown, /world/);
    assert.match(shown, /moon/);
    assert.equal(lab.file('workspace/greeting.txt'), 'Hello\nworld\n', 'nothing is written before it is allowed');
    await page.click('button', 'Allow');
    await lab.has('workspace/greeting.txt', 'moon');

    await page.shows('Goodbye', { selector: '[aria-label="Permission request"]', within: 30_000 });
    await page.click('button', 'Deny');
    await page.shows('One change was made, one was not.', { within: 30_000 });
    await page.gone('group', 'Permission request');
    assert.equal(lab.file('workspace/greeting.txt'), 'Hello\nmoon\n');
    const edits = (await page.tools()).filter((row) => row.kind === 'modify_file');
    assert.deepEqual(
      edits.map((row) => row.status),
      ['complete', 'error'],
    );
  });
});

test('a command is asked about, denied with a message, and the message reaches the model', async (t) => {
  await inLab(t, async (lab) => {
    const script = {
      turns: [
        { replies: [tool('Bash', { command: 'touch made.txt', description: 'Make a file' }), text('Understood.')] },
      ],
    };
    const page = await conversation(lab, script, 'Make a file');
    await page.shows('touch made.txt', { selector: '[aria-label="Permission request"]', within: 30_000 });
    await page.click('button', 'Message');
    await page.write('Use another name');
    await page.browser.keys('Enter');
    await page.shows('Understood.', { within: 30_000 });
    assert.equal(lab.file('workspace/made.txt'), null);
    await page.shows('Use another name');
  });
});

test('a reloaded page shows the same timeline and goes on with it', async (t) => {
  await inLab(t, async (lab) => {
    const script = {
      turns: [
        { replies: [tool('Bash', { command: 'echo out', description: 'Say out' }), text('The **first** answer.')] },
        { replies: [text('The second answer.')] },
      ],
    };
    const page = await conversation(lab, script, 'First prompt');
    await page.click('button', 'Allow', { within: 30_000 });
    await page.shows('The first answer.', { within: 30_000 });
    await idle(page);
    const shape = async () =>
      (await page.text('[role=feed]')).replaceAll(/\d+(\.\d+)? ?(ms|s|min)\b|\bnow\b/g, 'T').trim();
    const before = await shape();
    await page.reload();
    await page.get('feed', 'Timeline');
    await page.shows('The first answer.');
    await until('the timeline is the same', async () => (await shape()) === before, { within: 5000 }).catch(async () =>
      assert.equal(await shape(), before),
    );
    await page.prompt('Second prompt');
    await page.shows('The second answer.', { within: 30_000 });
    assert.equal((await page.text('[role=feed]')).split('The first answer.').length, 2, 'nothing is shown twice');
  });
});

test('a reload while the answer streams loses nothing and doubles nothing', async (t) => {
  await inLab(t, async (lab) => {
    const words = Array.from({ length: 60 }, (_, i) => `word${i}.`).join(' ');
    const script = { turns: [{ replies: [{ steps: [{ slowly: { text: words, ms: 60 } }] }] }] };
    const page = await conversation(lab, script, 'Talk');
    await page.shows('word3.', { within: 30_000 });
    await page.reload();
    await page.shows('word59.', { within: 30_000 });
    const shown = await page.text('[role=feed]');
    const said = [...shown.matchAll(/word(\d+)\./g)].map((match) => Number(match[1]));
    assert.deepEqual(
      said,
      Array.from({ length: 60 }, (_, i) => i),
    );
  });
});

test('a question that is open survives a reload and can be answered then', async (t) => {
  await inLab(t, async (lab) => {
    const file = join(lab.workspace, 'new.txt');
    const script = { turns: [{ replies: [tool('Write', { file_path: file, content: 'made\n' }), text('Written.')] }] };
    const page = await conversation(lab, script, 'Write it');
    await page.get('group', 'Permission request', { within: 30_000 });
    await page.reload();
    await page.get('group', 'Permission request');
    await page.click('button', 'Allow');
    await lab.has('workspace/new.txt', 'made');
    await page.shows('Written.', { within: 30_000 });
  });
});

test('an interrupt ends the turn, and the session goes on', async (t) => {
  await inLab(t, async (lab) => {
    const script = {
      turns: [{ replies: [{ steps: [{ text: 'I begin. ' }, 'hold'] }] }, { replies: [text('Here again.')] }],
    };
    const page = await conversation(lab, script, 'Work for ever');
    await page.shows('I begin.', { within: 30_000 });
    await page.click('button', 'Interrupt');
    await idle(page);
    await page.prompt('Are you there?');
    await page.shows('Here again.', { within: 30_000 });
  });
});

test('mode and model show what the CLI confirmed', async (t) => {
  await inLab(t, async (lab) => {
    const page = await conversation(lab, { turns: [{ replies: [text('Ready.')] }] }, 'Hello');
    await page.shows('Ready.', { within: 30_000 });
    await idle(page);
    await page.click('button', /^Mode/);
    await page.click('option', /^plan/i);
    await page.get('button', /^Mode\s*plan/i);
    await page.click('button', /^Model/);
    await page.click('option', /^Haiku/);
    await page.get('button', /^Model\s*Haiku/);
    await page.shows('claude-haiku');
  });
});

test('an error of the API is told in words, and the next prompt works', async (t) => {
  await inLab(t, async (lab) => {
    const refusal = { status: 400, error: 'invalid_request_error', message: 'the scripted refusal' };
    const script = {
      turns: [
        // The CLI tries a second form of the request, which the script takes for another prompt, before it gives up.
        { replies: Array(20).fill(refusal) },
        { replies: Array(20).fill(refusal) },
        { replies: [text('Better now.')] },
      ],
    };
    const page = await conversation(lab, script, 'Fail');
    await page.shows('the scripted refusal', { within: 30_000 });
    await page.prompt('Again');
    await page.shows('Better now.', { within: 30_000 });
  });
});

test('a stopped session is resumed in the same row, with what was said', async (t) => {
  await inLab(t, async (lab) => {
    const script = { turns: [{ replies: [text('Before the stop.')] }, { replies: [text('After the stop.')] }] };
    const page = await conversation(lab, script, 'Begin');
    await page.shows('Before the stop.', { within: 30_000 });
    await idle(page);
    await act(page, 'End the session');
    await page.shows('Session ended');
    await until('the CLI is gone', () => !lab.processes().some(({ command }) => command.includes('stream-json')));
    await page.click('button', 'Resume');
    await page.prompt('Go on');
    await page.shows('After the stop.', { within: 30_000 });
    assert.equal((await page.sessionStates()).length, 1);
  });
});
