// The end of the app, asked for or not: no process outlives it.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { claude, scripted, tool } from './claude.mjs';
import { built, until } from './harness.mjs';
import { inLab } from './lab.mjs';

/** A real CLI in the middle of a command that it was allowed to run, and a rehearsal with a child of its own. */
async function busy(lab) {
  const script = { turns: [{ replies: [tool('Bash', { command: 'tail -f /dev/null', description: 'Wait' })] }] };
  const page = await lab.page(['--workspace', lab.workspace, '--cli', claude()], {
    ...(await scripted(lab, script)),
    KANDEV_REHEARSAL_MISBEHAVE: 'child,ignore-eof',
  });
  await page.type('Prompt', 'Sleep');
  await page.click('button', 'Start');
  await page.click('button', 'Allow', { within: 30_000 });
  await until('the command runs', () => running(lab, 'tail -f'));
  await page.click('button', 'Command palette');
  await page.write('rehearsal session');
  await page.click('option', /^Try a rehearsal session/);
  await until('the rehearsal runs with its child', () => running(lab, '--rehearsal-child'), { within: 30_000 });
  assert.ok(running(lab, '--kandev-guard'));
  return page;
}

const running = (lab, words) => lab.processes().some(({ command }) => command.includes(words));
const gone = (lab) =>
  until('every process is gone', () => lab.processes().length === 0, { within: 5_000 }).catch((error) => {
    throw new Error(`${error.message}: ${JSON.stringify(lab.processes(), null, 1)}`);
  });

test('a window that is closed with the wish to quit takes every process with it', async (t) => {
  await inLab(t, async (lab) => {
    const page = await busy(lab);
    await page.app.close();
    await gone(lab);
  });
});

test('an app that is asked to end takes every process with it', async (t) => {
  await inLab(t, async (lab) => {
    const page = await busy(lab);
    await page.app.quit();
    await gone(lab);
  });
});

test('an app that is killed leaves nothing behind', async (t) => {
  await inLab(t, async (lab) => {
    const page = await busy(lab);
    await page.app.kill();
    await gone(lab);
  });
});

test('a session that is ended leaves nothing behind while the app goes on', async (t) => {
  await inLab(t, async (lab) => {
    const page = await lab.page(['--workspace', lab.workspace, '--cli', built('kandev-rehearsal')], {
      KANDEV_REHEARSAL_MISBEHAVE: 'child,ignore-eof',
    });
    await page.click('button', 'Start');
    await until('it runs with its child', () => running(lab, '--rehearsal-child'), { within: 30_000 });
    await page.click('button', 'Command palette');
    await page.write('End the session');
    await page.click('option', /^End the session/);
    await until('its processes are gone', () => !running(lab, '--rehearsal') && !running(lab, '--kandev-guard'));
    await page.get('navigation', 'Sessions');
  });
});
