// What changed, in a real git repository: listed as it happens, gone through, taken back, committed, commented on, opened.
import assert from 'node:assert/strict';
import { execFileSync } from 'node:child_process';
import { appendFileSync, chmodSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'node:test';
import { claude, scripted, text } from './claude.mjs';
import { until } from './harness.mjs';
import { filesOf } from './history.mjs';
import { inLab } from './lab.mjs';
import { begin, idle, panel, SIDE } from './talk.mjs';

const LINES = 60;
const lines = (change = {}) =>
  Array.from({ length: LINES }, (_, at) => `${change[at + 1] ?? `line ${at + 1}`}\n`).join('');

/** A repository in the workspace, and a session in it whose Uncommitted list is open. */
async function looking(lab, replies, more = {}) {
  const git = (...args) =>
    execFileSync('git', ['-c', 'user.name=Test', '-c', 'user.email=test@localhost', ...args], {
      cwd: lab.workspace,
      encoding: 'utf8',
    });
  const put = (name, words) => writeFileSync(join(lab.workspace, name), words);
  git('init', '--initial-branch=main');
  git('config', 'user.name', 'Test');
  git('config', 'user.email', 'test@localhost');
  put('app.txt', lines());
  git('add', '.');
  git('commit', '-m', 'The first');
  const env = await scripted(lab, { turns: [{ replies: [text('Ready.')] }, ...replies] });
  const page = await lab.page(['--workspace', lab.workspace, '--cli', claude()], { ...env, ...more });
  await begin(page, 'Hello');
  await page.shows('Ready.', { within: 30_000 });
  await idle(page);
  await panel(page, 'Changes');
  await page.click('button', 'Uncommitted');
  await page.shows('Nothing differs from the last commit.', { selector: SIDE });
  return { page, git, put, read: () => lab.file('workspace/app.txt') };
}

/** The keyboard goes to the review of a file, and to the line that is said. */
async function toLine(page, file, keys, said) {
  await until('the review is drawn', () =>
    page.browser.execute((name) => {
      const area = document.querySelector(`[aria-label="Changes in ${name}"][role=group]`);
      area?.focus();
      return area !== null && document.activeElement === area && document.querySelector('.review-head') !== null;
    }, file),
  );
  for (const key of keys) await page.browser.keys(key);
  await until(`the line is said: ${said}`, async () => said.test(await page.text('.review [aria-live]')));
}

test('what changes outside is listed at once, and a hunk that is taken back is so on disk, and can be undone', async (t) => {
  await inLab(t, async (lab) => {
    const { page, put, read } = await looking(lab, []);
    const both = lines({ 10: 'ten', 50: 'fifty' });
    put('app.txt', both);
    await page.get('option', /^app\.txt, modified, 2 added, 2 removed/);
    put('new.txt', 'one\n');
    await page.get('option', /^new\.txt, untracked/);
    await page.click('option', /^app\.txt/);

    await page.click('button', 'Revert hunk 2 of 2');
    await page.shows('Take changes back');
    assert.equal(read(), both, 'it is asked first');
    await page.click('button', 'Take back');
    await until('the second hunk is as it was', () => read() === lines({ 10: 'ten' }));
    await page.get('button', 'Revert hunk 1 of 1');
    await page.click('button', 'Undo');
    await until('it is there again', () => read() === both);
    await page.get('button', 'Revert hunk 2 of 2');

    put('app.txt', lines({ 10: 'ten', 30: 'thirty', 50: 'fifty' }));
    await page.get('button', 'Revert hunk 3 of 3');
    await page.click('button', 'Revert hunk 1 of 3');
    await page.get('button', 'Take back');
    // It goes on while one reads what would be done.
    const since = lines({ 10: 'ten again', 30: 'thirty', 50: 'fifty' });
    put('app.txt', since);
    await page.click('button', 'Take back');
    await page.shows(/changed again since/);
    assert.equal(read(), since, 'what is not there any more is not taken back');
    await page.browser.keys('Escape');
    await page.gone('button', 'Take back');

    put('app.txt', lines({ 10: 'ten', 50: 'fifty' }));
    await page.get('button', 'Revert hunk 2 of 2');
    await page.click('button', 'Revert file');
    await page.click('button', 'Take back');
    await until('the file is as it was committed', () => read() === lines());
    await page.gone('option', /^app\.txt/);
    await page.get('option', /^new\.txt, untracked/);
  });
});

test('what is staged is committed under the message that is written, and nothing else', async (t) => {
  await inLab(t, async (lab) => {
    const { page, git, put } = await looking(lab, []);
    put('app.txt', lines({ 5: 'five' }));
    put('rest.txt', 'not yet\n');
    await page.click('option', /^app\.txt/);
    await page.browser.execute(() => document.querySelector('[aria-label="Changed files"]').focus());
    await page.browser.keys(' ');
    await page.get('option', /^app\.txt,.* staged$/);
    await page.type('Commit message', 'Five is a word');
    await page.click('button', 'Commit 1 file');
    await page.shows('Five is a word', { selector: 'form.commit' });
    await page.gone('option', /^app\.txt/);
    await page.get('option', /^rest\.txt, untracked/);
    assert.equal(git('log', '-1', '--format=%s').trim(), 'Five is a word');
    assert.equal(git('show', '--name-only', '--format=').trim(), 'app.txt');
    assert.equal(git('status', '--porcelain').trim(), '?? rest.txt');
  });
});

test('a comment on a line goes with the next prompt, and the line opens in the editor', async (t) => {
  await inLab(t, async (lab) => {
    const bin = lab.folder('bin');
    const opened = join(lab.root, 'opened');
    writeFileSync(join(bin, 'zed'), `#!/bin/sh\nprintf '%s\\n' "$@" >> '${opened}'\n`);
    chmodSync(join(bin, 'zed'), 0o755);
    const { page, put } = await looking(lab, [{ when: 'Why not twelve', replies: [text('Twelve it is.')] }], {
      PATH: `${bin}:/usr/local/bin:/usr/bin:/bin`,
    });
    put('app.txt', lines({ 12: 'a dozen' }));
    await page.click('option', /^app\.txt/);
    await toLine(page, 'app.txt', ['j', 'j'], /^Line 12, added: a dozen/);
    await page.browser.keys('c');
    await page.type('Comment on line 12', 'Why not twelve?');
    await page.click('button', 'Comment');
    await page.get('button', /^Remove the comment on app\.txt:12/);
    await page.prompt('See what I noted.');
    await page.shows('Twelve it is.', { within: 30_000 });
    await idle(page);
    assert.ok(!(await page.has('button', /^Remove the comment on/)), 'it is gone with the prompt');
    const said = readFileSync(filesOf(lab)[0], 'utf8')
      .split('\n')
      .filter((line) => line.includes('Why not twelve'))
      .map((line) => JSON.parse(line))
      .find((line) => line.type === 'user').message.content;
    const words = typeof said === 'string' ? said : said.map((block) => block.text).join('');
    assert.match(
      words,
      /^Comments on the changes:\n\n- app\.txt:12: Why not twelve\?\n {2}> a dozen\n\nSee what I noted\./,
    );

    await toLine(page, 'app.txt', ['j', 'k'], /^Line 12/);
    await toLine(page, 'app.txt', ['j'], /^Line 1[23], (added|unchanged)/);
    const line = /^Line (\d+)/.exec(await page.text('.review [aria-live]'))[1];
    await page.browser.keys('o');
    await lab.has('opened', `${join(lab.workspace, 'app.txt')}:${line}`);
  });
});

test('a repository that brings programs along does not get them run by being looked at', async (t) => {
  await inLab(t, async (lab) => {
    const { page, git, put } = await looking(lab, []);
    const ran = join(lab.root, 'ran');
    const script = join(lab.folder('evil'), 'run');
    writeFileSync(script, `#!/bin/sh\necho "$0 $@" >> '${ran}'\ncat\n`);
    chmodSync(script, 0o755);
    for (const [name, value] of [
      ['core.fsmonitor', script],
      ['core.pager', script],
      ['diff.external', script],
      ['diff.evil.textconv', script],
      ['diff.evil.command', script],
      ['filter.evil.clean', script],
      ['core.sshCommand', script],
      ['core.editor', script],
    ])
      git('config', name, value);
    mkdirSync(join(lab.workspace, '.git/hooks'), { recursive: true });
    for (const hook of ['post-index-change', 'pre-commit', 'post-checkout'])
      writeFileSync(join(lab.workspace, '.git/hooks', hook), readFileSync(script), { mode: 0o755 });
    put('.gitattributes', '*.txt diff=evil\n');
    put('app.txt', lines({ 3: 'three' }));
    await page.click('option', /^app\.txt/);
    await page.get('button', 'Revert hunk 1 of 1');
    appendFileSync(join(lab.workspace, 'app.txt'), 'the end\n');
    await page.get('button', 'Revert hunk 2 of 2');
    assert.equal(lab.file('ran'), null, 'nothing of it has run');
    git('diff');
    assert.ok(lab.file('ran'), 'git by itself would have run it');
  });
});
