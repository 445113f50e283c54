// The sessions of a computer in one list, those of terminals among them: read, followed, gone on with, found, put in order.
import assert from 'node:assert/strict';
import { readFileSync, readdirSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'node:test';
import { claude, scripted, text } from './claude.mjs';
import { built, until } from './harness.mjs';
import { filesOf, inTerminal, leaveBehind } from './history.mjs';
import { inLab } from './lab.mjs';
import { another, row, same, sessionOf, shownIn } from './reading.mjs';
import { conversation, idle } from './talk.mjs';

test('a session begun in a terminal is read, followed, forked and gone on with', async (t) => {
  await inLab(t, async (lab) => {
    const env = await scripted(lab, {
      turns: [
        { when: 'first thing', replies: [text('The first answer.')] },
        { when: 'second thing', replies: [text('The second answer.')] },
        { when: 'in the fork', replies: [text('The answer of the fork.')] },
        { when: 'from the app', replies: [text('The answer here.')] },
        { when: 'afterwards', replies: [text('The answer afterwards.')] },
      ],
    });
    const cliId = await inTerminal(lab, env, ['Ask the first thing']);
    const page = await lab.page(['--cli', claude()], env);
    await row(page, cliId);
    assert.match(await page.text('nav'), /workspace/, 'it is listed under its folder');
    const keeper = await page.get('group', 'Read-only session');
    assert.match(await keeper.getText(), /Begun in a terminal/);
    const first = [
      { kind: 'prompt', text: 'Ask the first thing' },
      { kind: 'answer', text: 'The first answer.' },
    ];
    await until('what was said there is shown once', async () => same(await shownIn(page), first));

    assert.equal(await inTerminal(lab, env, ['--resume', cliId, 'Ask the second thing']), cliId);
    const second = [
      ...first,
      { kind: 'prompt', text: 'Ask the second thing' },
      { kind: 'answer', text: 'The second answer.' },
    ];
    await until('the open view follows', async () => same(await shownIn(page), second));
    assert.equal((await page.sessionStates()).length, 1);

    const [file] = filesOf(lab);
    const content = readFileSync(file, 'utf8');
    await until('it is free again', async () => /Begun in a terminal/.test(await keeper.getText()));
    await page.click('button', 'Fork');
    await page.prompt('Ask in the fork');
    await page.shows('The answer of the fork.', { within: 30_000 });
    await idle(page);
    const fork = await shownIn(page);
    assert.deepEqual(fork.slice(0, second.length), second, 'a fork has the history');
    assert.equal(readFileSync(file, 'utf8'), content, 'and leaves what it came from as it was');
    assert.equal(filesOf(lab).length, 2);

    await row(page, cliId);
    await until('the original is shown', async () => same(await shownIn(page), second));
    await page.type('Prompt', 'Ask from the app');
    await page.click('button', 'Resume and send');
    await page.shows('The answer here.', { within: 30_000 });
    const here = [
      ...second,
      { kind: 'prompt', text: 'Ask from the app' },
      { kind: 'answer', text: 'The answer here.' },
    ];
    await until('all of it stands there once', async () => same(await shownIn(page), here));
    await until('the turn is over', async () => !(await page.sessionStates()).includes('running'));
    assert.equal((await page.sessionStates()).length, 2, 'it is one row of the list, beside its fork');
    assert.equal(filesOf(lab).length, 2, 'and one file');
    assert.match(readFileSync(file, 'utf8'), /The answer here\./);

    await page.reload();
    await page.shows('The answer here.', { selector: '[role=feed]' });
    assert.deepEqual(await shownIn(page), here);
    await page.app.quit();
    await inTerminal(lab, env, ['--resume', cliId, 'Ask afterwards']);
    const next = await lab.page(['--cli', claude()], env);
    await row(next, await ours(next, 'Ask the first thing'));
    await next.shows('The answer afterwards.', { selector: '[role=feed]' });
    const last = await shownIn(next);
    assert.deepEqual(last.slice(0, here.length), here);
    assert.equal(last.filter((one) => one.text === 'The answer afterwards.').length, 1);
  });
});

test('a session that is resumed in two windows at once is one session in both', async (t) => {
  await inLab(t, async (lab) => {
    const reply = { when: 'go on', replies: [text('It went on.')] };
    const env = await scripted(lab, {
      turns: [{ when: 'first thing', replies: [text('The first answer.')] }, reply, reply],
    });
    const cliId = await inTerminal(lab, env, ['Ask the first thing']);
    const page = await lab.page(['--cli', claude()], env);
    const { browser } = page;
    await row(page, cliId);
    await another(page);
    const handles = await browser.getWindowHandles();
    const inBoth = async (work) => {
      for (const handle of handles) {
        await browser.switchToWindow(handle);
        await work();
      }
    };
    await inBoth(async () => {
      await page.shows('The first answer.', { selector: '[role=feed]' });
      await page.type('Prompt', 'Please go on');
    });
    // Each page presses by itself, at the same moment.
    const moment = Date.now() + 1500;
    const press = (at) => {
      const send = () => [...document.querySelectorAll('button')].find((one) => /^Resume and send/.test(one.innerText));
      setTimeout(() => send().click(), at - Date.now());
    };
    await inBoth(() => browser.execute(press, moment));
    const prompts = async () => (await shownIn(page)).filter((one) => one.text === 'Please go on').length;
    await inBoth(async () => {
      await page.shows('It went on.', { within: 30_000, selector: '[role=feed]' });
      await until('what was sent in either window is there', async () => (await prompts()) === 2, { within: 30_000 });
      assert.equal((await page.sessionStates()).length, 1, 'it is one row of the list');
    });
    assert.equal(filesOf(lab).length, 1, 'and one conversation');
  });
});

/** The id of the row with that title which is no fork. */
async function ours(page, title) {
  await page.shows(title, { selector: 'nav' });
  return page.browser.execute((wanted) => {
    const rows = [...document.querySelectorAll('nav [data-session-id]')];
    return rows.find((one) => one.textContent.includes(wanted) && !one.querySelector('[aria-label="fork"]'))?.dataset
      .sessionId;
  }, title);
}

const idOf = (number) => `${number.toString(16).padStart(8, '0')}-1111-4111-8111-111111111111`;
const exchanges = (count, what) =>
  Array.from({ length: count }, (_, at) => [
    `Question ${at} about ${what}`,
    `Answer ${at}: ${'it depends. '.repeat(8)}`,
  ]);

test('a word said long ago in another session is found and opens at its row', async (t) => {
  await inLab(t, async (lab) => {
    const said = exchanges(400, 'ferries');
    said[150][1] = 'The word is zanzibarquay, as was agreed.';
    leaveBehind(lab, { id: idOf(1), folder: lab.workspace, exchanges: said });
    leaveBehind(lab, { id: idOf(2), folder: lab.workspace, exchanges: exchanges(3, 'trains') });
    const page = await lab.page(['--cli', built('kandev-rehearsal')]);
    await row(page, idOf(2));
    await page.shows('Question 2 about trains', { selector: '[role=feed]' });
    await page.click('button', /^Search/);
    await page.write('zanzibarquay');
    await page.shows(/1 place in 1 session/, { selector: '[role=dialog] [role=status]', within: 30_000 });
    const [hit] = await page.all('option', /zanzibarquay/);
    assert.ok(hit, 'it is among the results');
    assert.equal(await page.text('[role=dialog] mark'), 'zanzibarquay');
    await page.browser.keys('Enter');
    await page.shows('zanzibarquay', { selector: '[role=feed]' });
    const inView = () =>
      page.browser.execute(() => {
        const feed = document.querySelector('[role=feed]').getBoundingClientRect();
        const row = [...document.querySelectorAll('[role=feed] article')].find((one) =>
          one.textContent.includes('zanzibarquay'),
        );
        const box = row?.getBoundingClientRect();
        return box && box.top >= feed.top && box.bottom <= feed.bottom;
      });
    await until('its row is on screen', inView);
    await page.shows('Question 150 about ferries', { selector: '[role=feed]' });
    assert.ok(!(await page.text('[role=feed]')).includes('Question 399'), 'the end is elsewhere');
    assert.equal(await sessionOf(page), idOf(1));
    await page.browser.execute(() => (document.querySelector('[role=feed]').scrollTop -= 600));
    await page.frames(3);
    await page.shows('Question 14', { selector: '[role=feed]' });
    await page.click('button', /end|latest/i);
    await page.shows('Question 399 about ferries', { selector: '[role=feed]' });
  });
});

test('a session is renamed, exported, archived and deleted, here and in the CLI', async (t) => {
  await inLab(t, async (lab) => {
    const script = { turns: [{ replies: [text('Ships <b>& quays</b>, **twice**.')] }] };
    const page = await conversation(lab, script, 'Speak of the harbour');
    await page.shows('quays', { within: 30_000, selector: '[role=feed]' });
    await idle(page);
    const menu = async (entry) => {
      await page.click('button', /^Menu of /);
      await page.click('option', entry);
    };
    await menu(/^Rename/);
    await page.get('textbox', /^Title of/);
    await page.write('Harbour talk');
    await page.browser.keys('Enter');
    await page.shows('Harbour talk', { selector: 'nav' });
    const [file] = filesOf(lab);
    await until('the CLI keeps the title', () => readFileSync(file, 'utf8').includes('Harbour talk'));

    for (const [format, ending, holds] of [
      ['Markdown', 'md', /Speak of the harbour[\s\S]*\*\*twice\*\*/],
      ['JSON', 'json', /"Speak of the harbour"/],
      ['HTML', 'html', /^<!doctype html>[\s\S]*&lt;b&gt;/i],
    ]) {
      await menu(`Export as ${format}`);
      await page.shows(`.${ending}`, { selector: '.toasts' });
      const exports = join(lab.data, 'exports');
      const name = readdirSync(exports).find((one) => one.endsWith(`.${ending}`));
      assert.match(name, /harbour/i);
      const content = readFileSync(join(exports, name), 'utf8');
      assert.match(content, holds);
      if (format === 'JSON') assert.ok(JSON.parse(content));
      if (format === 'HTML') assert.doesNotMatch(content, /<script/i);
      await page.click('button', 'Close');
    }

    await page.click('button', 'Session menu');
    await page.click('option', 'End the session');
    await until('it is over', async () => (await page.sessionStates())[0] === 'ended');
    await menu('Archive');
    await until('it is out of the list', async () => (await page.sessionStates()).length === 0);
    await page.browser.execute(() => document.querySelector('nav [role=switch]').click());
    await until('it is in the archive', async () => (await page.sessionStates()).length === 1);
    await menu('Take out of the archive');
    await page.browser.execute(() => document.querySelector('nav [role=switch]').click());
    await until('it is back', async () => (await page.sessionStates()).length === 1);

    await menu(/^Delete/);
    await page.click('button', 'Remove');
    await page.get('button', 'Menu of Harbour talk');
    await until('it is listed as the CLI has it', () =>
      page.browser.execute(() => document.querySelector('nav [data-session-id]')?.dataset.source === 'terminal'),
    );
    assert.deepEqual(filesOf(lab), [file], 'its file stayed');
    await menu(/^Delete/);
    await page.click('button', 'Delete…');
    assert.deepEqual(filesOf(lab), [file], 'it is asked for twice');
    await page.click('button', 'Delete for good');
    await until('the file is gone', () => filesOf(lab).length === 0);
    await until('and it is listed no more', async () => (await page.sessionStates()).length === 0);
  });
});

/** How long after the app was started there is a row of the list, in ms. */
async function untilRows(lab, rows) {
  const start = Date.now();
  const page = await lab.page(['--cli', built('kandev-rehearsal')]);
  const shown = () => page.browser.execute(() => document.querySelectorAll('nav [data-session-id]').length);
  await page.get('navigation', 'Sessions');
  await until(`there are ${rows} rows`, async () => (await shown()) >= rows, { within: 30_000, every: 5 });
  return { page, ms: Date.now() - start };
}

test('two thousand sessions of terminals are listed soon after the start', async (t) => {
  await inLab(t, async (lab) => {
    const empty = await untilRows(lab, 0);
    await empty.page.app.quit();
    for (let number = 1; number <= 2000; number += 1) {
      const folder = `/home/dev/project-${number % 40}`;
      leaveBehind(lab, {
        id: idOf(number),
        folder,
        exchanges: exchanges(20, `matter ${number}`),
        until: Date.now() - number * 60_000,
      });
    }
    const cold = await untilRows(lab, 10);
    const { browser } = cold.page;
    const counted = () =>
      browser.execute(() => {
        const folders = [...document.querySelectorAll('nav [aria-expanded] .sr')];
        return folders.reduce((sum, one) => sum + Number.parseInt(one.textContent, 10), 0);
      });
    assert.ok((await counted()) > 0);
    const nodes = await browser.execute(() => document.querySelectorAll('nav *').length);
    assert.ok(nodes < 1500, `${nodes} nodes in the list`);
    await cold.page.click('textbox', /^Filter the sessions/);
    await cold.page.write('matter 1999');
    await cold.page.shows('Question 0 about matter 1999', { selector: 'nav' });
    await cold.page.app.quit();
    const warm = await untilRows(lab, 10);
    t.diagnostic(
      `start to rows: ${empty.ms} ms without sessions, ${cold.ms} ms with 2,000 seen first, ${warm.ms} ms with 2,000 known`,
    );
  });
});
