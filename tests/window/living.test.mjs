// What goes on when the window does not: the tray, further windows, a second start, and the question before an end.
import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { test } from 'node:test';
import { built, until } from './harness.mjs';
import { inLab } from './lab.mjs';
import { begin, conversation, idle, settle } from './talk.mjs';
import { text, tool } from './claude.mjs';

const words = (count) => Array.from({ length: count }, (_, at) => `word${at}`).join(' ');
const slowly = (count, ms) => ({ turns: [{ replies: [{ steps: [{ slowly: { text: words(count), ms } }] }] }] });

/** A window in which nothing runs. */
const quiet = (lab) => lab.page(['--cli', built('kandev-rehearsal')]).then(shown);
async function shown(page) {
  await page.get('navigation', 'Sessions');
  return page;
}

const status = (lab, args = []) => lab.run(['--data-dir', lab.data, ...args]);
const sessionOf = async (page) => (await page.browser.$('[data-session-id]')).getAttribute('data-session-id');
const onClose = (lab) => JSON.parse(readFileSync(join(lab.data, 'settings.json'), 'utf8')).on_close;
const unseen = (page) => until('no window can be seen', async () => (await page.app.seen()).length === 0);
const question = (page) => page.get('dialog', /window|Quit/);

/**
 * Presses a button with which the window goes, or the page: the driver waits in vain for a click that they do not survive, and
 * may lose its own answer with them. Whoever calls waits for what comes of it.
 */
async function part(page, name) {
  const button = await page.get('button', name);
  const press = (node) => void setTimeout(() => node.click());
  await page.browser.execute(press, button).catch(() => undefined);
}

async function leave(page) {
  await part(page, 'Quit');
  await page.app.gone();
}

test('closing the window asks even when nothing runs, and cancelling leaves all as it was', async (t) => {
  await inLab(t, async (lab) => {
    const page = await quiet(lab);
    await page.app.press();
    await question(page);
    await page.shows('No session runs.');
    await page.click('button', 'Cancel');
    await page.gone('dialog', /window/);
    assert.equal((await page.app.seen()).length, 1);
    const late = await page.app.invoke('answer_close', { choice: 'quit', remember: false });
    assert.equal(late.refused, 'not_asked', 'a page ends nothing that a person was not asked about');
  });
});

test('a choice that is remembered is a setting and is not asked for again', async (t) => {
  await inLab(t, { bus: true }, async (lab) => {
    const page = await quiet(lab);
    await page.app.press();
    await question(page);
    await page.shows('There is no tray here');
    await page.click('checkbox', /whenever the window closes/);
    await part(page, /^Keep running/);
    await unseen(page);
    assert.equal(onClose(lab), 'tray');
    for (let time = 0; time < 2; time += 1) {
      assert.deepEqual(await status(lab), { code: 0, signal: null, stdout: '', stderr: '' });
      await until('the window is back', async () => (await page.app.seen()).length === 1);
      await page.app.press();
      await unseen(page);
    }
    assert.equal(await page.has('dialog'), false);
    const { width, height } = JSON.parse(lab.file('data/window.json')).main;
    assert.deepEqual(
      { width, height },
      { width: 1440, height: 900 },
      'kept although the app may be killed from now on',
    );
  });
});

test('without a window a session streams on, and a second start shows what came meanwhile', async (t) => {
  await inLab(t, { bus: true }, async (lab) => {
    const page = await conversation(lab, slowly(200, 25), 'Count the words');
    await page.shows('word3', { within: 30_000 });
    const [before] = await page.app.seen();
    await page.app.press();
    await question(page);
    await page.shows(/1 session runs/);
    await part(page, /^Keep running/);
    await unseen(page);
    assert.ok(!(await page.text('[role=feed]')).includes('word199'), 'it was over before the window went');
    await idle(page);
    assert.equal((await status(lab)).code, 0);
    const [after] = await until('the window is back', async () => {
      const seen = await page.app.seen();
      return seen.length === 1 && seen;
    });
    assert.deepEqual(after, before, 'the same window, where it was');
    await page.shows('word199');
    assert.equal((await page.text('[role=feed]')).split('word17 ').length, 2, 'the answer is shown once');
  });
});

test('quitting asks while a session works, and then takes every process with it', async (t) => {
  await inLab(t, async (lab) => {
    const page = await conversation(lab, slowly(2000, 25), 'Count the words');
    await page.shows('word3', { within: 30_000 });
    assert.deepEqual(await page.app.invoke('quit_app'), { value: null });
    await question(page);
    await page.click('button', 'Cancel');
    await page.gone('dialog', /Quit/);
    await page.app.invoke('quit_app');
    await question(page);
    await leave(page);
    await until('every process is gone', () => lab.processes().length === 0, { within: 5_000 });
  });
});

test('quitting asks while a session waits for a person', async (t) => {
  await inLab(t, async (lab) => {
    const script = {
      turns: [{ replies: [tool('Bash', { command: 'touch made', description: 'Make' }), text('Made')] }],
    };
    const page = await conversation(lab, script, 'Make a file');
    await page.get('group', 'Permission request', { within: 30_000 });
    await page.app.invoke('quit_app');
    await question(page);
    await page.shows(/1 session waits for you/);
    await leave(page);
  });
});

test('quitting does not ask when nothing runs, and neither does closing once that was chosen', async (t) => {
  await inLab(t, async (lab) => {
    let page = await quiet(lab);
    await page.app.invoke('quit_app').catch(() => {});
    await page.app.gone();
    settle(lab, { on_close: 'quit' });
    page = await quiet(lab);
    await page.app.press();
    await page.app.gone();
  });
});

test('a page that hangs holds no window open: the system asks in its place', async (t) => {
  await inLab(t, async (lab) => {
    const page = await quiet(lab);
    await page.browser.execute(() => {
      setTimeout(() => {
        for (;;);
      });
    });
    await page.app.press();
    const dialog = await until('the dialog is there', async () => (await page.app.seen()).find((one) => one.dialog));
    await page.app.press((await page.app.seen()).find((one) => !one.dialog));
    await page.app.press(dialog);
    await until('the dialog is gone', async () => !(await page.app.seen()).some((one) => one.dialog));
    assert.equal((await page.app.seen()).length, 1, 'a dialog that is closed changes nothing, and there was one only');
    await page.app.quit();
  });
});

test('an app that was killed is no obstacle to the next one', async (t) => {
  await inLab(t, { bus: true }, async (lab) => {
    const page = await conversation(lab, slowly(2000, 25), 'Count the words');
    await page.shows('word3', { within: 30_000 });
    await page.app.kill();
    await until('every process is gone', () => lab.processes().length === 0, { within: 5_000 });
    await quiet(lab);
  });
});

test('without a session bus a second app leaves the data folder alone and says why', async (t) => {
  await inLab(t, async (lab) => {
    const page = await quiet(lab);
    const second = await status(lab);
    assert.equal(second.code, 4);
    assert.match(second.stderr, new RegExp(`open already \\(process ${page.app.pid}\\)`));
    assert.ok(second.stderr.includes(lab.data));
    await page.get('button', 'New session');
  });
});

test('a first app that hangs does not hold up a second for ever', async (t) => {
  await inLab(t, { bus: true }, async (lab) => {
    const page = await quiet(lab);
    process.kill(page.app.pid, 'SIGSTOP');
    const second = await status(lab);
    process.kill(page.app.pid, 'SIGCONT');
    assert.equal(second.code, 4);
    assert.match(second.stderr, new RegExp(`process ${page.app.pid}\\) but does not answer`));
  });
});

/** A panel that shows tray icons: its menu, and clicks on it. */
async function panel(lab) {
  const host = lab.spawn(built('kandev-tray-host'), [], { stdio: ['pipe', 'pipe', 'inherit'] });
  const lines = createInterface({ input: host.stdout })[Symbol.asyncIterator]();
  const next = async () => (await lines.next()).value;
  const ask = (line) => {
    host.stdin.write(`${line}\n`);
    return next();
  };
  assert.equal(await next(), 'ready');
  return { ask, menu: async () => JSON.parse(await ask('menu')) };
}

test('the tray says who waits, brings the window back, and quits not without asking', async (t) => {
  await inLab(t, { bus: true }, async (lab) => {
    const tray = await panel(lab);
    const script = {
      turns: [{ replies: [tool('Bash', { command: 'touch made', description: 'Make' }), text('Made')] }],
    };
    const page = await conversation(lab, script, 'Make a file');
    await page.get('group', 'Permission request', { within: 30_000 });
    const line = (label, enabled = true) => ({ label, enabled });
    const says = (waiting) =>
      until('the menu says so', async () => {
        const menu = await tray.menu();
        return (
          JSON.stringify(menu) ===
          JSON.stringify([line('Show Kandev Desktop'), waiting, line('New session'), line('Quit')])
        );
      });
    const waits = '1 session waits for you';
    await says(line(waits));
    await page.app.press();
    await question(page);
    await page.shows('The icon in the tray brings it back.');
    await part(page, 'Keep running in the tray');
    await unseen(page);
    for (const label of ['Show Kandev Desktop', waits, 'New session']) {
      assert.equal(await tray.ask(`click ${label}`), 'clicked');
      await until(`${label} brings the window back`, async () => (await page.app.seen()).length === 1);
      if (label === waits) await page.get('group', 'Permission request');
      if (label === 'New session') await page.get('textbox', 'Folder');
      await page.app.press();
      await question(page);
      await part(page, 'Keep running in the tray');
      await unseen(page);
    }
    assert.equal(await tray.ask('hide'), 'hidden');
    await until('the question says that no panel shows it', async () => {
      assert.equal(await tray.ask('click Quit'), 'clicked');
      await question(page);
      assert.equal((await page.app.seen()).length, 1, 'the question can be seen');
      const text = await page.text();
      await page.click('button', 'Cancel');
      await page.gone('dialog', /Quit/);
      return text.includes('There is no tray here');
    });
    assert.equal(await tray.ask(`click ${waits}`), 'clicked');
    await page.click('button', 'Deny');
    await says(line('No session waits for you', false));
    await idle(page);
    await tray.ask('click Quit');
    await page.app.gone();
  });
});

test('the session bus may go: the app stays, and its page comes back', async (t) => {
  await inLab(t, { bus: true }, async (lab) => {
    const page = await quiet(lab);
    const [{ id }] = await page.app.seen();
    const pages = () => lab.processes().filter(({ command }) => command.includes('WebKitWebProcess'));
    const [before] = pages();
    // The page's process and the driver end with the bus, for they are made so.
    lab.lab.bus.kill('SIGKILL');
    await until('the driver is gone', () => page.app.driver.signalCode !== null);
    await until('the page is drawn: a window whose page is dead has one colour', async () => {
      return pages().some(({ pid }) => pid !== before.pid) && (await page.app.picture(id)).colours > 50;
    });
    await page.app.quit();
  });
});

test('a page whose process dies is loaded again and lives', async (t) => {
  await inLab(t, { bus: true }, async (lab) => {
    const page = await quiet(lab);
    const pages = () => lab.processes().filter(({ command }) => command.includes('WebKitWebProcess'));
    const [before] = pages();
    const [{ id }] = await page.app.seen();
    const drawn = await page.app.picture(id);
    process.kill(before.pid, 'SIGKILL');
    await until('another takes its place', () => pages().some(({ pid }) => pid !== before.pid));
    // The driver gives a page up that died. This one is alive if it follows what a second start asks for, and draws it.
    await until('the form is drawn', async () => {
      await status(lab, ['--workspace', lab.workspace]);
      const now = await page.app.picture(id);
      return now.colours > 50 && now.hash !== drawn.hash;
    });
    await page.app.quit();
  });
});

/** Opens a further window on the session that is shown; the handles of both. */
async function another(page) {
  const main = await page.browser.getWindowHandle();
  await page.app.invoke('open_window', { session: await sessionOf(page) });
  const handles = await until('a second page is there', async () => {
    const all = await page.browser.getWindowHandles();
    return all.length === 2 && all;
  });
  return [main, handles.find((handle) => handle !== main)];
}

test('a second window on a session shows the same, also when it is loaded again, and closes for itself', async (t) => {
  await inLab(t, async (lab) => {
    const script = { turns: [{ replies: [text('The first answer.')] }, { replies: [text('The second answer.')] }] };
    const page = await conversation(lab, script, 'Say something');
    await page.shows('The first answer.', { within: 30_000 });
    await idle(page);
    const [main, further] = await another(page);
    const same = async (what) => {
      await page.browser.switchToWindow(main);
      const rows = await page.text('[role=feed]');
      await page.browser.switchToWindow(further);
      await until(`both show the same: ${what}`, async () => (await page.text('[role=feed]')) === rows);
    };
    await page.browser.switchToWindow(further);
    await page.shows('The first answer.', { selector: '[role=feed]' });
    await same('what was there');

    await page.prompt('Go on');
    await page.shows('The second answer.', { within: 30_000 });
    await idle(page);
    await same('what came after');
    await page.browser.refresh();
    await page.shows('The second answer.', { selector: '[role=feed]' });
    await same('after it was loaded again');
    assert.deepEqual(await page.app.problems(), []);

    assert.equal((await page.app.seen()).length, 2);
    await page.app.press();
    await until('it is gone', async () => (await page.browser.getWindowHandles()).length === 1);
    await page.browser.switchToWindow(main);
    assert.equal((await page.app.seen()).length, 1);
    assert.equal(await page.has('dialog'), false);
    await page.shows('The second answer.');
  });
});

test('each window goes back to its own session when it is loaded again, and may do no more than the first', async (t) => {
  await inLab(t, async (lab) => {
    const script = { turns: [{ replies: [text('The first answer.')] }, { replies: [text('The second answer.')] }] };
    const page = await conversation(lab, script, 'Say something');
    await page.shows('The first answer.', { within: 30_000 });
    await idle(page);
    const [main, further] = await another(page);
    await page.browser.switchToWindow(main);
    await page.click('button', 'New session');
    await begin(page, 'Say something else');
    await page.shows('The second answer.', { within: 30_000, selector: '[role=feed]' });
    await idle(page);
    for (const [window, answer, other] of [
      [further, 'The first answer.', 'The second answer.'],
      [main, 'The second answer.', 'The first answer.'],
    ]) {
      await page.browser.switchToWindow(window);
      await page.browser.refresh();
      await page.shows(answer, { selector: '[role=feed]' });
      assert.ok(!(await page.text('[role=feed]')).includes(other));
      for (const command of [
        'plugin:window|close',
        'plugin:opener|open_path',
        'plugin:webview|create_webview_window',
      ]) {
        assert.match((await page.app.invoke(command)).refused ?? 'allowed', /not allowed|not found/, command);
      }
      assert.deepEqual(await page.app.problems(), []);
    }
  });
});
