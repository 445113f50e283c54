// CLIs that misbehave: each is told in words, nothing that was said or typed is lost, and the app goes on.
import assert from 'node:assert/strict';
import { chmodSync, existsSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'node:test';
import { built, until } from './harness.mjs';
import { inLab } from './lab.mjs';

const PROMPT = 'Keep these words of mine';

/** Starts a session with this CLI from the form, its first prompt typed. */
async function begin(lab, cli, env = {}) {
  const page = await lab.page(['--workspace', lab.workspace, '--cli', cli, '--rehearsal-speed', 'max'], {
    KANDEV_REHEARSAL_DIR: lab.workspace,
    KANDEV_REHEARSAL_SPEED: 'max',
    ...env,
  });
  await page.type('Prompt', PROMPT);
  await page.click('button', 'Start');
  return page;
}

const misbehaving = (lab, words) => begin(lab, built('kandev-rehearsal'), { KANDEV_REHEARSAL_MISBEHAVE: words });

/** The prompt that was not delivered stands in a field again. */
/** The prompt is back in the field, and what went wrong was told once. */
async function givenBack(page) {
  await until('the prompt is given back', async () => {
    const fields = await page.all('textbox', 'Prompt');
    const values = await Promise.all(fields.map((field) => field.getValue()));
    return values.some((value) => value.includes(PROMPT));
  });
  const errors = () => page.browser.$$('[role=feed] [data-kind=error]').getElements();
  assert.ok((await errors()).length <= 1, 'it is told once');
}

/** The app is usable: another session, the rehearsal, starts and answers. */
async function goesOn(page) {
  await page.click('button', 'Command palette');
  await page.write('rehearsal session');
  await page.click('option', /^Try a rehearsal session/);
  await until(
    'a new session',
    async () => (await page.sessionStates()).length > 1 || (await page.has('feed', 'Timeline')),
  );
}

test('a text file as the CLI', async (t) => {
  await inLab(t, async (lab) => {
    const cli = join(lab.root, 'claude');
    writeFileSync(cli, 'These are words.\n');
    chmodSync(cli, 0o755);
    const page = await begin(lab, cli);
    await page.shows(cli);
    await page.shows(/cannot be run|did not start|does not look like/);
    await givenBack(page);
    await goesOn(page);
  });
});

test('a CLI that prints garbage', async (t) => {
  await inLab(t, async (lab) => {
    const cli = join(lab.root, 'claude');
    writeFileSync(cli, '#!/bin/sh\necho "what is this"\necho "last words" >&2\nexit 7\n');
    chmodSync(cli, 0o755);
    const page = await begin(lab, cli);
    await page.shows('may not be Claude Code');
    await page.shows('last words');
    await givenBack(page);
    await goesOn(page);
  });
});

test('a CLI that exits at once', async (t) => {
  await inLab(t, async (lab) => {
    const page = await misbehaving(lab, 'exit-at-once:no licence for you');
    await page.shows('no licence for you', { within: 30_000 });
    await givenBack(page);
    assert.deepEqual(await page.sessionStates(), ['failed']);
    await goesOn(page);
  });
});

test('a CLI that hangs at initialize', async (t) => {
  await inLab(t, async (lab) => {
    const page = await misbehaving(lab, 'hang-at-initialize');
    await page.shows(/did not answer|no answer/i, { within: 60_000 });
    await givenBack(page);
    await until('the CLI is gone', () => !lab.processes().some(({ command }) => command.includes('stream-json')));
    await goesOn(page);
  });
});

test('a CLI that dies in mid-turn', async (t) => {
  await inLab(t, async (lab) => {
    const page = await misbehaving(lab, 'die:SIGKILL,after:30');
    await page.shows('SIGKILL', { within: 30_000 });
    await page.shows(PROMPT, { selector: '[role=feed]' });
    assert.ok((await page.all('article')).length > 2, 'what was said is kept');
    assert.deepEqual(await page.sessionStates(), ['failed']);
    await page.click('button', 'Resume');
    await until('it runs again', async () => (await page.sessionStates())[0] !== 'failed');
  });
});

test('a CLI that floods leaves the window usable', async (t) => {
  await inLab(t, async (lab) => {
    const page = await misbehaving(lab, 'flood:20000');
    await page.get('feed', 'Timeline');
    let slowest = 0;
    for (let i = 0; i < 20; i += 1) {
      const start = Date.now();
      await page.browser.execute(() => document.title);
      slowest = Math.max(slowest, Date.now() - start);
    }
    assert.ok(slowest < 5000, `the page did not answer for ${slowest} ms`);
    await page.click('button', 'Command palette');
    await page.get('dialog', null);
  });
});

test('lines in pieces, and lines that are no protocol, cost nothing that was said', async (t) => {
  await inLab(t, async (lab) => {
    const page = await misbehaving(lab, 'split,garbage');
    await page.get('group', 'Permission request', { within: 30_000 });
    let said = '';
    await page.scrollThrough(async () => {
      said += await page.text('[role=feed]');
      return false;
    });
    for (const words of ['This is a rehearsal', 'First I look for the code', 'not json at all', 'brand_new_kind']) {
      assert.ok(said.includes(words), `${words} is not there`);
    }
  });
});

test('a folder that is gone is told, and the prompt stays', async (t) => {
  await inLab(t, async (lab) => {
    const page = await lab.page(['--workspace', lab.workspace, '--cli', built('kandev-rehearsal')]);
    await page.type('Prompt', PROMPT);
    rmSync(lab.workspace, { recursive: true });
    assert.ok(!existsSync(lab.workspace));
    await page.click('button', 'Start');
    await page.shows(`the folder ${lab.workspace} cannot be opened`);
    await givenBack(page);
    await goesOn(page);
  });
});
