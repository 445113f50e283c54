// How the app comes up: what it shows first, and what it says when it cannot.
import assert from 'node:assert/strict';
import { chmodSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'node:test';
import { built, until } from './harness.mjs';
import { inLab } from './lab.mjs';

test('the first window invites to a session and nothing goes wrong in the page', async (t) => {
  await inLab(t, async (lab) => {
    const page = await lab.page(['--cli', built('kandev-rehearsal')]);
    await page.get('navigation', 'Sessions');
    await page.get('button', 'New session');
    await page.get('textbox', 'Prompt');
    await page.shows('Claude Code 2.1.332');
    assert.deepEqual(await page.sessionStates(), []);
    assert.equal(await page.browser.getTitle(), 'Kandev Desktop');
  });
});

test('without a CLI it says where it looked, and a rehearsal works all the same', async (t) => {
  await inLab(t, async (lab) => {
    const page = await lab.page(['--rehearsal-speed', 'max'], { PATH: lab.folder('bin') });
    await page.shows('Claude Code was not found');
    await page.shows('not there');
    await page.click('button', 'Try a rehearsal session');
    await page.prompt('error');
    await until('rows come', async () => (await page.all('article')).length > 2);
  });
});

test('a CLI that is chosen by the dialog is remembered', async (t) => {
  await inLab(t, async (lab) => {
    const cli = built('kandev-rehearsal');
    const env = { PATH: lab.folder('bin'), KANDEV_TEST_PICK: cli };
    let page = await lab.page([], env);
    await page.shows('Claude Code was not found');
    await page.click('button', /Choose/);
    await page.shows('Claude Code 2.1.332');
    await page.app.quit();
    page = await lab.page([], { PATH: lab.folder('bin') });
    await page.shows('Claude Code 2.1.332');
  });
});

test('--workspace opens the form for a session in that folder', async (t) => {
  await inLab(t, async (lab) => {
    const page = await lab.page(['--workspace', lab.workspace, '--cli', built('kandev-rehearsal')]);
    const folder = await page.get('textbox', 'Folder');
    assert.equal(await folder.getValue(), lab.workspace);
  });
});

test('--rehearsal opens a session that plays the recording', async (t) => {
  await inLab(t, async (lab) => {
    const recording = join(lab.root, 'recording.ndjson');
    writeFileSync(recording, lab.recording('edit_allowed.'));
    const page = await lab.page(['--rehearsal', recording, '--rehearsal-speed', 'max']);
    await page.get('feed', 'Timeline');
    assert.equal((await page.sessionStates()).length, 1);
  });
});

test('a second start hands its arguments to the first', async (t) => {
  await inLab(t, { bus: true }, async (lab) => {
    const page = await lab.page(['--cli', built('kandev-rehearsal')]);
    await page.shows('Start a session');
    const second = await lab.run(['--data-dir', lab.data, '--workspace', lab.workspace]);
    assert.deepEqual({ code: second.code, stderr: second.stderr }, { code: 0, stderr: '' });
    await until('the form has the folder', async () => {
      return (await (await page.get('textbox', 'Folder')).getValue()) === lab.workspace;
    });
  });
});

test('arguments that cannot be followed end it with words and status 2', async (t) => {
  await inLab(t, async (lab) => {
    for (const args of [['--workspace', '/no/such/folder'], ['--rehearsal', '/no/such/file'], ['--colour'], ['word']]) {
      const { code, stderr } = await lab.run(args);
      assert.equal(code, 2, args.join(' '));
      assert.match(stderr, new RegExp(args[0] === 'word' ? 'word' : args[0]));
    }
  });
});

test('without a display it says so and does not crash', async (t) => {
  await inLab(t, async (lab) => {
    const none = await lab.run([], { DISPLAY: '', WAYLAND_DISPLAY: '' });
    assert.equal(none.code, 3);
    assert.match(none.stderr, /there is no display/);
    const wrong = await lab.run([], { DISPLAY: ':59999' });
    assert.equal(wrong.code, 3);
    assert.match(wrong.stderr, /:59999 cannot be opened/);
  });
});

test('settings that cannot be understood are kept aside, and the app starts with defaults', async (t) => {
  await inLab(t, async (lab) => {
    writeFileSync(join(lab.data, 'settings.json'), '{"theme":"dark"');
    const page = await lab.page(['--cli', built('kandev-rehearsal')]);
    await page.shows('Start a session');
    await page.shows('settings.json.bad-1');
    await lab.has('data/settings.json.bad-1', '{"theme":"dark"');
  });
});

test('a text file as the CLI is named as the reason', async (t) => {
  await inLab(t, async (lab) => {
    const cli = join(lab.root, 'claude');
    writeFileSync(cli, 'These are words.\n');
    chmodSync(cli, 0o644);
    const page = await lab.page(['--cli', cli]);
    await page.shows('cannot be run');
    await page.shows(cli);
  });
});
