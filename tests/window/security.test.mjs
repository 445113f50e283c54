// What the page cannot do, whatever got into it: tried from inside, in the real window.
import assert from 'node:assert/strict';
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'node:test';
import { built } from './harness.mjs';
import { inLab } from './lab.mjs';

const invoke = (page, command, args) => page.app.invoke(command, args);

test('the page reaches no command but ours', async (t) => {
  await inLab(t, async (lab) => {
    const page = await lab.page(['--cli', built('kandev-rehearsal')]);
    await page.get('navigation', 'Sessions');
    assert.ok((await invoke(page, 'settings')).value);
    for (const command of [
      'plugin:opener|open_path',
      'plugin:opener|open_url',
      'plugin:dialog|open',
      'plugin:store|load',
      'plugin:window|close',
      'plugin:event|listen',
      'plugin:app|version',
      'plugin:window-state|save_window_state',
      'no_such_command',
    ]) {
      const { refused } = await invoke(page, command, { path: '/etc/passwd', url: 'https://example.org' });
      assert.match(refused ?? 'allowed', /not allowed|not found/, command);
    }
  });
});

test('our commands trust no path, no address and no program of the page', async (t) => {
  await inLab(t, async (lab) => {
    const page = await lab.page(['--workspace', lab.workspace, '--cli', built('kandev-rehearsal')]);
    await page.click('button', 'Start');
    const row = await page.get('feed', 'Timeline').then(() => page.browser.$('[data-session-id]'));
    const session = await row.getAttribute('data-session-id');
    const secret = join(lab.root, 'secret');
    writeFileSync(secret, 'secret');
    const code = async (command, args) => (await invoke(page, command, args)).refused;
    for (const path of ['/etc/passwd', '../secret', secret]) {
      assert.equal(await code('open_path', { session, path }), 'outside_workspace', path);
    }
    assert.equal(await code('open_path', { session: 'another', path: '.' }), 'no_such_session');
    for (const url of ['file:///etc/passwd', 'javascript:alert(1)', 'kandev://x']) {
      assert.equal(await code('open_url', { url }), 'bad_address', url);
    }
    const settings = (await invoke(page, 'settings')).value;
    assert.equal(await code('save_settings', { settings: { ...settings, cli_path: secret } }), 'bad_cli');
    const request = {
      workspace: lab.workspace,
      policy: 'supervised',
      permission_mode: null,
      model: null,
      env: [],
      cli_path: secret,
      resume: null,
      resume_at: null,
      stop_check: 'off',
    };
    assert.equal(await code('start_session', { request }), 'bad_cli');
    assert.equal(
      await code('start_session', { request: { ...request, cli_path: null, workspace: '.' } }),
      'not_absolute',
    );
    const images = [{ media_type: 'image/svg+xml', data: 'PHN2Zy8+' }];
    assert.equal(await code('send_prompt', { session, text: '', images }), 'bad_image');
  });
});

test('nothing from outside runs in the page, and the page goes nowhere', async (t) => {
  await inLab(t, async (lab) => {
    const page = await lab.page(['--cli', built('kandev-rehearsal')]);
    await page.get('navigation', 'Sessions');
    const tried = await page.browser.execute(async () => {
      const outcome = async (deed) => {
        try {
          return `${await deed()}`;
        } catch {
          return 'refused';
        }
      };
      const loads = (tag, name, value) =>
        new Promise((resolve) => {
          const element = document.createElement(tag);
          element.onload = () => resolve('loaded');
          element.onerror = () => resolve('refused');
          element[name] = value;
          document.body.append(element);
        });
      window.__ran = false;
      const inline = document.createElement('script');
      inline.textContent = 'window.__ran = true';
      document.body.append(inline);
      return {
        eval: await outcome(() => (0, eval)('1 + 1')),
        fetch: await outcome(() => fetch('http://127.0.0.1:9/').then(() => 'sent')),
        script: await outcome(() => loads('script', 'src', 'http://127.0.0.1:9/x.js')),
        image: await outcome(() => loads('img', 'src', 'http://127.0.0.1:9/x.png')),
        inline: String(window.__ran),
        opened: String(window.open('http://127.0.0.1:9/')),
      };
    });
    assert.deepEqual(tried, {
      eval: 'refused',
      fetch: 'refused',
      script: 'refused',
      image: 'refused',
      inline: 'false',
      opened: 'null',
    });
    const blocked = await page.app.takeProblems();
    for (const directive of ['script-src', 'connect-src', 'img-src']) {
      assert.ok(
        blocked.some((problem) => problem.startsWith(`blocked by ${directive}`)),
        `${directive} blocked nothing: ${blocked.join('\n')}`,
      );
    }
    await page.browser.execute(() => {
      location.href = 'http://127.0.0.1:9/';
    });
    await page.frames(20);
    assert.match(await page.browser.getUrl(), /^tauri:\/\/localhost/);
    await page.get('navigation', 'Sessions');
  });
});
