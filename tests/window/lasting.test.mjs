// Sessions that last: whatever ends at whatever moment, what was shown is there again, and the conversation goes on.
import assert from 'node:assert/strict';
import { execFileSync } from 'node:child_process';
import { readFileSync, writeFileSync } from 'node:fs';
import { basename } from 'node:path';
import { test } from 'node:test';
import { claude, scripted, text, tool } from './claude.mjs';
import { built, until } from './harness.mjs';
import { filesOf } from './history.mjs';
import { inLab } from './lab.mjs';
import { begin, conversation, idle } from './talk.mjs';
import { another, end, row, said, same, sessionOf, shownIn } from './reading.mjs';

/** How many moments of a stream are tried. */
const POINTS = Number(process.env.KANDEV_KILL_POINTS ?? 6);
const wordsOf = (turn, count) => Array.from({ length: count }, (_, at) => `t${turn}w${at}`).join(' ');

/** Whether what was shown of the end of a timeline is there again, in its order; the last row may have got longer. */
function goesOnFrom(before, after) {
  const fits = (one, at, row) =>
    one.kind === row?.kind && (at < before.length - 1 ? row.text === one.text : row.text.startsWith(one.text));
  return after.some((_, from) => before.every((one, at) => fits(one, at, after[from + at])));
}

test('killed at any moment of a stream, what was shown is there again, and the conversation goes on', async (t) => {
  await inLab(t, async (lab) => {
    const counting = Array.from({ length: POINTS + 1 }, (_, at) => ({
      when: `Count ${at}.`,
      replies: [{ steps: [{ slowly: { text: wordsOf(at, at < POINTS ? 150 : 5), ms: 20 } }] }],
    }));
    const still = counting.map((_, at) => ({ when: `Is ${at} still there?`, replies: [text('It is.')] }));
    const env = await scripted(lab, {
      turns: [{ when: 'Say hello', replies: [text('Hello.')] }, ...counting, ...still],
    });
    let page = await lab.page(['--workspace', lab.workspace, '--cli', claude()], env);
    await begin(page, 'Say hello');
    await page.shows('Hello.', { within: 30_000 });
    await idle(page);
    await page.click('button', /^Mode/);
    await page.click('option', /^plan/);
    await page.get('button', /^Mode\s*plan/);
    await page.click('button', /^Model/);
    await page.click('option', /^Haiku/);
    await page.get('button', /^Model\s*Haiku/);
    const id = await sessionOf(page);
    const [file] = filesOf(lab);
    const cliId = basename(file, '.jsonl');

    for (let point = 0; point < POINTS; point += 1) {
      await page.prompt(`Count ${point}.`);
      // The first is hit before the answer has begun, the others anywhere in it.
      if (point > 0) await page.shows(`t${point}w0`, { within: 30_000 });
      const moment = Math.round(Math.random() * 2500);
      await new Promise((resolve) => setTimeout(resolve, moment));
      const before = await said(page);
      await page.app.kill();
      const what = `killed ${moment} ms into stream ${point}`;
      t.diagnostic(`${what}: ${before.at(-1).text.length} characters of the last row were shown`);
      await until(`${what}: every process is gone`, () => lab.processes().length === 0, { within: 5_000 });

      page = await lab.page(['--cli', claude()], env);
      await until(`${what}: it is stopped`, async () => (await page.sessionStates()).join() === 'ended');
      await row(page, id);
      await page.shows('The program ended while this session ran', { selector: '[aria-label="Read-only session"]' });
      const after = await shownIn(page);
      assert.ok(goesOnFrom(before, after), `${what}: ${JSON.stringify(before)} is not in ${JSON.stringify(after)}`);
      const all = after.flatMap((one) => one.text.match(/t\d+w\d+/g) ?? []);
      assert.equal(new Set(all).size, all.length, `${what}: nothing is there twice`);

      if (point % 2 === 0) await page.click('button', 'Resume');
      else await page.prompt(`Is ${point} still there?`);
      await page.get('button', /^Mode\s*plan/, { within: 30_000 });
      await page.get('button', /^Model\s*Haiku/);
      await idle(page);
      assert.match(await page.text('header'), /supervised/, `${what}: the policy is what it was`);
      const running = lab.processes().filter(({ command }) => command.includes('stream-json'));
      assert.ok(running.length > 0, `${what}: the CLI runs`);
      for (const { command } of running)
        assert.ok(command.includes(`--resume ${cliId}`), `${what}: ${command} goes on with ${cliId}`);
      assert.deepEqual((await page.sessionStates()).length, 1);
      const resumed = await shownIn(page);
      assert.deepEqual(resumed.slice(0, after.length), after, `${what}: what was said stands once after the resume`);
    }
    await page.prompt(`Count ${POINTS}.`);
    await page.shows(`t${POINTS}w4`, { within: 30_000 });
    await idle(page);
    assert.deepEqual(filesOf(lab), [file], 'it is one conversation to the CLI too');
    assert.match(readFileSync(file, 'utf8'), new RegExp(`t${POINTS}w4`));
  });
});

test('twenty thousand events open at their end, and what is above is read as one scrolls', async (t) => {
  await inLab(t, async (lab) => {
    // Two messages of ten words make a row each; the CLI says some more around each.
    const env = {
      KANDEV_REHEARSAL_WORDS: '20000,0,10',
      KANDEV_REHEARSAL_SPEED: 'max',
      KANDEV_REHEARSAL_DIR: lab.workspace,
    };
    const args = ['--cli', built('kandev-rehearsal')];
    const first = await lab.page(['--workspace', lab.workspace, ...args], env);
    await begin(first, 'Talk for long');
    await first.shows('w19999', { within: 60_000, selector: '[role=feed]' });
    await idle(first);
    const id = await sessionOf(first);
    await first.app.quit();

    const page = await lab.page(args, env);
    await page.click('button', 'New session');
    const opened = await page.browser.execute(async (session) => {
      const start = performance.now();
      document.querySelector(`nav [data-session-id="${session}"]`).click();
      const shown = () => document.querySelector('[role=feed]')?.textContent.includes('w19999');
      while (!shown() && performance.now() - start < 15_000) await new Promise(requestAnimationFrame);
      return { ms: performance.now() - start, shown: shown() };
    }, id);
    assert.ok(opened.shown, 'the end is shown');
    t.diagnostic(`20,000 events: first rows ${opened.ms.toFixed(0)} ms after the click`);
    assert.ok(opened.ms < 2_000, `first rows after ${opened.ms} ms`);

    const nodes = () => page.browser.execute(() => document.querySelectorAll('*').length);
    let most = await nodes();
    const atEnd = await said(page);
    let oldest = Infinity;
    for (let step = 0; step < 8; step += 1) {
      await until('what is above is read', async () => {
        await page.browser.execute(() => (document.querySelector('[role=feed]').scrollTop = 0));
        await page.frames(3);
        const now = Math.min(
          ...(await said(page)).flatMap((one) => one.text.match(/w\d+/g) ?? []).map((w) => +w.slice(1)),
        );
        most = Math.max(most, await nodes());
        const older = now < oldest;
        if (older) oldest = now;
        return older;
      });
    }
    t.diagnostic(`scrolled up from w19999 to w${oldest}, at most ${most} nodes`);
    assert.ok(oldest < 19_000, `w${oldest} is what was reached`);
    assert.ok(most < 3_000, `${most} nodes`);

    await page.reload();
    await page.shows('w19999', { selector: '[role=feed]' });
    await until('a page that is loaded again shows the same', async () => same(await end(page), atEnd.slice(-3)));
    await another(page);
    await page.shows('w19999', { selector: '[role=feed]' });
    await until('and so does a second window', async () => same(await end(page), atEnd.slice(-3)));
  });
});

test('a failed turn is tried again from the message before it', async (t) => {
  await inLab(t, async (lab) => {
    const refusal = { status: 400, error: 'invalid_request_error', message: 'the scripted refusal' };
    const script = {
      turns: [
        { when: 'Begin', replies: [text('A good start.')] },
        { when: 'Go on', replies: Array(20).fill(refusal) },
        { when: 'Go on', replies: Array(20).fill(refusal) },
        { when: 'Go on', replies: [text('Better now.')] },
        { when: 'last', replies: [text('The end.')] },
      ],
    };
    const page = await conversation(lab, script, 'Begin');
    await page.shows('A good start.', { within: 30_000 });
    await idle(page);
    await page.prompt('Go on');
    await page.shows('the scripted refusal', { within: 30_000 });
    await page.click('button', 'Retry from here', { within: 30_000 });
    await page.shows('Better now.', { within: 30_000 });
    await idle(page);
    const shown = await shownIn(page);
    assert.deepEqual(shown, [
      { kind: 'prompt', text: 'Begin' },
      { kind: 'answer', text: 'A good start.' },
      { kind: 'prompt', text: 'Go on' },
      { kind: 'answer', text: 'Better now.' },
    ]);
    await page.shows('An earlier try', { selector: '[role=feed]' });
    await page.prompt('The last one');
    await page.shows('The end.', { within: 30_000 });
    assert.equal(filesOf(lab).length, 1, 'it is the same conversation');
    assert.equal((await page.sessionStates()).length, 1);
  });
});

test('files are restored to a prompt and brought back, those that git does not know too', async (t) => {
  await inLab(t, async (lab) => {
    const path = (name) => `${lab.workspace}/${name}`;
    const git = (...args) => execFileSync('git', args, { cwd: lab.workspace, stdio: 'ignore' });
    writeFileSync(path('tracked.txt'), 'one\ntwo\n');
    git('init');
    git('add', 'tracked.txt');
    git('-c', 'user.name=Test', '-c', 'user.email=test@localhost', 'commit', '-m', 'first');
    writeFileSync(path('untracked.txt'), 'three\nfour\n');
    const edit = (name, from, to) => tool('Edit', { file_path: path(name), old_string: from, new_string: to });
    const script = {
      turns: [
        { replies: [text('Ready.')] },
        {
          replies: [
            tool('Read', { file_path: path('tracked.txt') }),
            tool('Read', { file_path: path('untracked.txt') }),
            edit('tracked.txt', 'two', 'TWO'),
            edit('untracked.txt', 'four', 'FOUR'),
            tool('Write', { file_path: path('created.txt'), content: 'made\n' }),
            text('Three files.'),
          ],
        },
      ],
    };
    const page = await conversation(lab, script, 'Hello');
    await page.shows('Ready.', { within: 30_000 });
    await idle(page);
    await page.prompt('Change the files');
    for (const [file, change] of [
      ['tracked.txt', 'TWO'],
      ['untracked.txt', 'FOUR'],
      ['created.txt', 'made'],
    ]) {
      await page.shows(change, { selector: '[aria-label="Permission request"]', within: 30_000 });
      await page.click('button', 'Allow');
      await lab.has(`workspace/${file}`, change);
    }
    await page.shows('Three files.', { within: 30_000 });
    await idle(page);
    const state = () => ['tracked.txt', 'untracked.txt', 'created.txt'].map((name) => lab.file(`workspace/${name}`));
    const after = ['one\nTWO\n', 'three\nFOUR\n', 'made\n'];
    const before = ['one\ntwo\n', 'three\nfour\n', null];
    assert.deepEqual(state(), after);
    // Changed by hand since: what is restored is kept as it is now, not as the CLI left it.
    writeFileSync(path('untracked.txt'), 'three\nFOUR by hand\n');
    after[1] = 'three\nFOUR by hand\n';

    const buttons = await page.all('button', 'Restore files to here');
    assert.equal(buttons.length, 2, 'one for each prompt');
    await page.press(buttons[1]);
    await page.click('button', 'Restore 3 files', { within: 30_000 });
    await until('the files are as they were', () => same(state(), before));
    await page.shows('3 files restored');
    await page.click('button', 'Undo');
    await until('the files are as they were before that', () => same(state(), after));
    await page.shows('3 files as before the restore');
    await page.click('button', 'Undo');
    await until('and that can be undone, too', () => same(state(), before));
    git('diff', '--exit-code');
  });
});
