import axe from 'axe-core';
import { flushSync, tick } from 'svelte';
import { describe, expect, it } from 'vitest';
import type { CliReport, McpServers } from '../bindings/bindings';
import { ReplayBackend } from '../backend/replay';
import { stageFor } from '../dev/stages';
import { cliState, cliTrouble, cliWords } from './cli';
import { minutesText, secondsOf } from './limits';
import { type SettingsSection } from './state.svelte';
import { opened, until, windowPerTest } from './testing';

windowPerTest();

const dialog = () => document.querySelector<HTMLElement>('[role="dialog"]') as HTMLElement;
async function settings(section: SettingsSection, state = 'working') {
  const both = await opened(state);
  both.app.openSettings(section);
  await until(() => expect(dialog()?.querySelector('form, .mcp')).toBeTruthy());
  flushSync();
  return both;
}
const button = (text: string) =>
  [...dialog().querySelectorAll('button')].find(
    (b) => b.textContent?.replace(/\s+/g, ' ').trim().startsWith(text) || b.ariaLabel === text,
  ) as HTMLButtonElement;
function field(name: string): HTMLInputElement {
  const label = [...dialog().querySelectorAll('label')].find((l) =>
    l.textContent?.replace(/\s+/g, ' ').trim().startsWith(name),
  );
  return (dialog().querySelector(`[aria-label="${name}"]`) ??
    label?.querySelector('input') ??
    document.getElementById(label?.getAttribute('for') ?? '')) as HTMLInputElement;
}
function type(element: HTMLInputElement, text: string): void {
  element.value = text;
  element.dispatchEvent(new InputEvent('input', { bubbles: true }));
  flushSync();
}
function tickBox(element: HTMLInputElement): void {
  element.click();
  flushSync();
}
const calls = (backend: ReplayBackend, name: string) => backend.asked.filter((one) => one.name === name);

describe('the settings', () => {
  it('hold the limit of questions, of silence, and the debug files', async () => {
    const { app, backend } = await settings('general');
    tickBox(field('Deny a question'));
    type(field('after'), '1.5');
    type(field('Silent turn'), '60');
    tickBox(field('Write down'));
    button('Save').click();
    await until(() => expect(calls(backend, 'saveSettings')).toHaveLength(1));
    expect(calls(backend, 'saveSettings')[0]?.args[0]).toMatchObject({
      permission_timeout_s: 90,
      silence_after_s: 60,
      debug_messages: true,
    });
    await until(() => expect(app.settings?.permission_timeout_s).toBe(90));
  });

  it('wait for an answer for ever unless somebody says otherwise', async () => {
    const { backend } = await settings('general');
    expect(field('Deny a question').checked).toBe(false);
    button('Save').click();
    await until(() => expect(calls(backend, 'saveSettings')).toHaveLength(1));
    expect(calls(backend, 'saveSettings')[0]?.args[0]).toMatchObject({ permission_timeout_s: null });
  });

  it('say what is wrong with a limit, and are not saved then', async () => {
    await settings('general');
    type(field('Silent turn'), 'soon');
    expect(field('Silent turn').getAttribute('aria-invalid')).toBe('true');
    expect(dialog().textContent).toContain('A number of seconds is needed.');
    expect(button('Save').disabled).toBe(true);
  });

  it('say where debug files go', async () => {
    await settings('general');
    expect(dialog().textContent).toContain('.kandev/debug/');
  });

  it('say of a Claude Code that cannot be used what the rest of the window says', async () => {
    await settings('general', 'broken');
    const said = dialog().textContent ?? '';
    expect(said).not.toContain('In use');
    expect(said).toContain('cannot be used');
    expect(document.querySelector('nav')?.textContent).toContain('Claude Code cannot be used');
    expect(document.querySelector('main h2')?.textContent).toContain('Claude Code cannot be used');
  });
});

describe('a new session', () => {
  it('says before the start that the CLI refuses to skip permissions, and does not offer it', async () => {
    const { app, backend } = await opened('root');
    const option = document.querySelector<HTMLButtonElement>('[data-policy="autonomous"]');
    expect(option?.disabled).toBe(true);
    expect(option?.textContent).toContain(app.info?.autonomous_refused ?? 'never');
    const group = option?.closest('[role="radiogroup"]') as HTMLElement;
    for (let i = 0; i < 4; i++)
      group.dispatchEvent(new KeyboardEvent('keydown', { key: 'ArrowDown', bubbles: true, cancelable: true }));
    flushSync();
    expect(option?.getAttribute('aria-checked')).toBe('false');
    expect(calls(backend, 'startSession')).toEqual([]);
  });

  it('does not begin with it where it is the default', async () => {
    const stage = stageFor('root', 0);
    stage.app.settings = { ...stage.app.settings, default_policy: 'autonomous' };
    await opened(stage);
    await until(() => expect(document.querySelector('[data-policy="supervised"]')).not.toBeNull());
    flushSync();
    expect(document.querySelector('[data-policy="supervised"]')?.getAttribute('aria-checked')).toBe('true');
  });
});

describe('the MCP page', () => {
  const saved = (backend: ReplayBackend) => calls(backend, 'saveMcpServers').at(-1)?.args[0] as McpServers['servers'];

  it('lists the servers, and says where secrets are kept', async () => {
    await settings('mcp');
    await until(() => expect(dialog().querySelectorAll('[data-server]')).toHaveLength(3));
    expect(dialog().textContent).toContain('No keyring answers on this machine');
  });

  it('adds a server, with a secret that is not shown again', async () => {
    const { backend } = await settings('mcp');
    await until(() => expect(button('Add a server').disabled).toBe(false));
    button('Add a server').click();
    await tick();
    type(field('Name'), 'search');
    type(field('Command'), 'uvx');
    type(field('Arguments'), 'search-mcp\n--fast');
    button('Add a variable').click();
    flushSync();
    type(field('Name of variable 1'), 'API_KEY');
    type(field('Value of variable 1'), 's3cret');
    tickBox(field('Secret'));
    expect(field('Value of variable 1').type).toBe('password');
    button('Add server').click();
    await until(() => expect(saved(backend)).toHaveLength(4));
    expect(saved(backend)[3]).toEqual({
      name: 'search',
      enabled: true,
      transport: {
        kind: 'stdio',
        command: 'uvx',
        args: ['search-mcp', '--fast'],
        env: [{ name: 'API_KEY', value: 's3cret', secret: true }],
      },
    });
    await until(() => expect(dialog().querySelectorAll('[data-server]')).toHaveLength(4));
    button('Edit search').click();
    await tick();
    flushSync();
    expect(field('Value of variable 1').value).toBe('');
    expect(field('Value of variable 1').placeholder).toBe('kept as it is');
    expect(document.body.innerHTML).not.toContain('s3cret');
  });

  it('keeps a secret that nobody touched', async () => {
    const { backend } = await settings('mcp');
    await until(() => expect(button('Edit postgres')).toBeDefined());
    button('Edit postgres').click();
    await tick();
    type(field('Command'), 'bunx');
    button('Save server').click();
    await until(() => expect(saved(backend)).toHaveLength(3));
    expect(saved(backend)[0]?.transport).toMatchObject({
      command: 'bunx',
      env: [{ name: 'PGHOST' }, { name: 'PGPASSWORD', value: null, secret: true }],
    });
  });

  it('says beside the fields what is missing, and what the program refused', async () => {
    const { backend } = await settings('mcp');
    await until(() => expect(button('Add a server').disabled).toBe(false));
    button('Add a server').click();
    await tick();
    button('Add server').click();
    flushSync();
    expect(dialog().textContent).toContain('A name is needed.');
    expect(document.activeElement).toBe(field('Name'));
    expect(calls(backend, 'saveMcpServers')).toEqual([]);
    type(field('Name'), 'x');
    type(field('Command'), './x');
    backend.failing.set('saveMcpServers', { code: 'bad_mcp_server', message: 'Give the full path of a program.' });
    button('Add server').click();
    await until(() => expect(dialog().querySelector('[role="alert"]')?.textContent).toContain('Give the full path'));
    expect(field('Command').value).toBe('./x');
  });

  it('goes back to the list on Escape, and not out of the settings', async () => {
    const { app } = await settings('mcp');
    await until(() => expect(button('Add a server').disabled).toBe(false));
    button('Add a server').click();
    await tick();
    field('Name').dispatchEvent(new KeyboardEvent('keydown', { key: 'Escape', bubbles: true, cancelable: true }));
    await until(() => expect(button('Add a server')).toBeDefined());
    expect(app.dialog).toBe('settings');
  });

  it('switches a server off, and removes one only when asked twice', async () => {
    const { backend } = await settings('mcp');
    await until(() => expect(field('Enabled')).not.toBeNull());
    tickBox(field('Enabled'));
    await until(() => expect(saved(backend)[0]?.enabled).toBe(false));
    await until(() => expect(button('Remove tracker').disabled).toBe(false));
    button('Remove tracker').click();
    flushSync();
    expect(calls(backend, 'saveMcpServers')).toHaveLength(1);
    button('Remove').click();
    await until(() => expect(saved(backend).map((one) => one.name)).toEqual(['postgres', 'old-docs']));
  });

  it.each(['list', 'editor'])('axe finds nothing in the %s', async (part) => {
    await settings('mcp');
    await until(() => expect(button('Add a server').disabled).toBe(false));
    if (part === 'editor') {
      button('Edit postgres').click();
      await tick();
      flushSync();
    }
    const rules = { 'color-contrast': { enabled: false } };
    const found = await axe.run(document.body, { rules, resultTypes: ['violations'] });
    expect(found.violations.map((one) => `${one.id}: ${one.nodes.map((node) => node.html).join(' ')}`)).toEqual([]);
  });
});

describe('which Claude Code there is', () => {
  const report = (over: Partial<CliReport>): CliReport => ({
    found: { path: '/x/claude', version: '2.1.332', source: 'PATH', warning: null },
    tried: [],
    path_used: '',
    problem: null,
    next_step: null,
    node: null,
    git: null,
    ...over,
  });

  it.each([
    [null, null, null, 'Looking'],
    [report({}), 'usable', null, 'In use: /x/claude, 2.1.332 (PATH)'],
    [report({ problem: 'It is broken.' }), 'broken', 'Claude Code cannot be used', 'Found, but it cannot be used'],
    [report({ found: null, problem: 'Nowhere.' }), 'missing', 'Claude Code not found', 'Not found. Nowhere.'],
    [
      report({ found: { path: '/usr/bin/npx', version: null, source: 'npx', warning: null }, problem: 'Offline.' }),
      'missing',
      'Claude Code not found',
      'npx could not fetch it. Offline.',
    ],
  ])('is told in one way: %#', (given, state, trouble, words) => {
    expect(cliState(given)).toBe(state);
    expect(cliTrouble(given)).toBe(trouble);
    expect(cliWords(given)).toContain(words);
  });
});

it('a limit is read as a person types it', () => {
  expect(secondsOf('1,5', 'minutes')).toEqual({ seconds: 90 });
  expect(secondsOf(' 120 ', 'seconds')).toEqual({ seconds: 120 });
  for (const wrong of ['', 'x', '0', '-5', '1e9']) expect('problem' in secondsOf(wrong, 'minutes')).toBe(true);
  expect(minutesText(90)).toBe('1.5');
});
