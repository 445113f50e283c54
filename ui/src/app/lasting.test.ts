// What makes sessions last, as a person meets it: what was said is found again, a session is taken up, a turn is tried
// again, files are set back, and a window that closes asks first.
import axe from 'axe-core';
import { flushSync } from 'svelte';
import { describe, expect, it } from 'vitest';
import type { Feed } from '../backend/backend';
import { someKept } from '../dev/past';
import { stageFor } from '../dev/stages';
import { acts } from './acts';
import type { AppState } from './state.svelte';
import { opened, until, windowPerTest } from './testing';

windowPerTest();

const button = (text: string, within: ParentNode = document) =>
  [...within.querySelectorAll('button')].find((one) => one.textContent?.trim().startsWith(text));
const dialog = () => document.querySelector<HTMLElement>('[role="dialog"]');
const prompt = () => document.querySelector<HTMLTextAreaElement>('textarea[aria-label="Prompt"]');
const options = () => [...document.querySelectorAll<HTMLElement>('[role="dialog"] [role="option"]')];
const asked = (backend: { asked: { name: string; args: unknown[] }[] }, name: string) =>
  backend.asked.filter((one) => one.name === name).map((one) => one.args);
function press(target: EventTarget | null, key: string, change: KeyboardEventInit = {}): void {
  target?.dispatchEvent(new KeyboardEvent('keydown', { key, bubbles: true, cancelable: true, ...change }));
  flushSync();
}
function type(field: HTMLInputElement | HTMLTextAreaElement | null, text: string): void {
  if (!field) throw new Error('there is no field');
  field.value = text;
  field.dispatchEvent(new InputEvent('input', { bubbles: true }));
  flushSync();
}
function act(app: AppState, id: string): void {
  const found = acts(app).find((one) => one.id === id);
  if (!found?.enabled) throw new Error(`${id} is not to be had`);
  found.run();
  flushSync();
}
const violations = async () => {
  const rules = { 'color-contrast': { enabled: false } };
  const found = await axe.run(document.body, { rules, resultTypes: ['violations'] });
  return found.violations.map((one) => `${one.id}: ${one.nodes.map((node) => node.html).join(' ')}`);
};
const kept = () => opened({ ...stageFor('working', 0), past: someKept() });

describe('the search', () => {
  async function searching(words: string) {
    const window = await kept();
    press(document.body, 'F', { ctrlKey: true, shiftKey: true });
    await until(() => expect(document.querySelector('[aria-label="Search conversations"]')).not.toBeNull());
    type(document.querySelector('[aria-label="Search conversations"]'), words);
    return window;
  }

  it('groups what was said by session, marks the words, and opens at the place', async () => {
    const { app } = await searching('timer leaks');
    await until(() => expect(options().length).toBeGreaterThan(3));
    const groups = [...document.querySelectorAll('[role="dialog"] [role="group"]')];
    expect(groups.length).toBeGreaterThan(1);
    expect(document.querySelector('[role="dialog"] mark')?.textContent).toBe('timer');
    press(document.activeElement, 'ArrowDown');
    const field = document.querySelector('[role="combobox"]');
    expect(document.getElementById(field?.getAttribute('aria-activedescendant') ?? '')?.ariaSelected).toBe('true');
    press(field, 'Enter');
    await until(() => expect(app.selected).toMatch(/^old-/));
    expect(app.dialog).toBeNull();
  });

  it('says that nothing was found, and what went wrong', async () => {
    const { backend } = await searching('zymurgy');
    await until(() => expect(dialog()?.textContent).toContain('That was said in no session'));
    backend.failing.set('searchSessions', { code: 'io', message: 'the index cannot be read' });
    type(document.querySelector('[role="combobox"]'), 'other');
    await until(() => expect(dialog()?.textContent).toContain('the index cannot be read'));
  });

  it('tells how far the index is while it grows', async () => {
    const { backend } = await kept();
    backend.searchSessions = () => Promise.resolve({ hits: [], more: false, indexing: [120, 2000] });
    press(document.body, 'F', { ctrlKey: true, shiftKey: true });
    await until(() => expect(document.querySelector('[role="combobox"]')).not.toBeNull());
    type(document.querySelector('[role="combobox"]'), 'pool');
    await until(() => expect(dialog()?.textContent).toContain('120 of 2000'));
    expect(await violations()).toEqual([]);
  });

  it('does not say that something was said nowhere before anybody has looked', async () => {
    const { backend } = await kept();
    backend.searchSessions = () => Promise.resolve({ hits: [], more: false, indexing: [0, 0] });
    press(document.body, 'F', { ctrlKey: true, shiftKey: true });
    await until(() => expect(document.querySelector('[role="combobox"]')).not.toBeNull());
    type(document.querySelector('[role="combobox"]'), 'pool');
    await until(() => expect(dialog()?.textContent).toContain('Looking for older sessions'));
    expect(dialog()?.textContent).toContain('Older sessions are still being read');
    expect(await violations()).toEqual([]);
  });

  it('is in the palette too, which changes between all and the conversations by Tab', async () => {
    await kept();
    press(document.body, 'k', { ctrlKey: true });
    await until(() => expect(document.querySelector('[role="combobox"]')).not.toBeNull());
    const field = document.querySelector<HTMLInputElement>('[role="combobox"]');
    type(field, 'retry');
    await until(() => expect(dialog()?.textContent).toContain('In conversations'));
    expect(dialog()?.textContent).toContain('Name the retry budget in config');
    press(field, 'Tab');
    expect(dialog()?.textContent).not.toContain('Name the retry budget in config');
    expect(await violations()).toEqual([]);
  });
});

describe('what the palette has chosen', () => {
  it('stays when the conversations answer', async () => {
    const { app, backend } = await kept();
    let give: (() => void) | null = null;
    const answer = backend.searchSessions.bind(backend);
    backend.searchSessions = (words, limit) =>
      new Promise((resolve) => (give = () => void answer('timer', limit).then(resolve, () => undefined)));
    press(document.body, 'k', { ctrlKey: true });
    await until(() => expect(document.querySelector('[role="combobox"]')).not.toBeNull());
    const field = document.querySelector<HTMLInputElement>('[role="combobox"]');
    type(field, 'inbox');
    const selected = () => document.querySelector('[role="dialog"] [aria-selected="true"]')?.textContent;
    expect(selected()).toContain('Inbox');
    await until(() => expect(give).not.toBeNull());
    (give as unknown as () => void)();
    await until(() => expect(dialog()?.textContent).toContain('In conversations'));
    expect(selected()).toContain('Inbox');
    press(field, 'Enter');
    await until(() => expect(app.place).toBe('inbox'));
  });
});

describe('a session without a process', () => {
  it('is resumed by the prompt that is sent to it, and says so on the button', async () => {
    const { app, backend } = await kept();
    app.open('old-terminal');
    flushSync();
    expect(button('Resume and send')).toBeDefined();
    type(prompt(), 'go on');
    press(prompt(), 'Enter');
    await until(() => expect(asked(backend, 'sendPrompt')).toEqual([['ours-old-terminal', 'go on', []]]));
    expect(asked(backend, 'resumeSession')).toEqual([['old-terminal']]);
    await until(() => expect(app.selected).toBe('ours-old-terminal'));
  });

  it('keeps the prompt when it could not be resumed', async () => {
    const { app, backend } = await kept();
    app.open('old-terminal');
    flushSync();
    backend.failing.set('resumeSession', { code: 'held', message: 'it is open in a terminal' });
    type(prompt(), 'precious words');
    press(prompt(), 'Enter');
    await until(() => expect(app.toasts).toHaveLength(1));
    await until(() => expect(prompt()?.value).toBe('precious words'));
  });

  it('gives the prompt to the session that it became when that one refuses it', async () => {
    const { app, backend } = await kept();
    app.open('old-terminal');
    flushSync();
    backend.failing.set('sendPrompt', { code: 'closed', message: 'the pipe is closed' });
    type(prompt(), 'precious words');
    press(prompt(), 'Enter');
    await until(() => expect(app.selected).toBe('ours-old-terminal'));
    await until(() => expect(prompt()?.value).toBe('precious words'));
  });

  it('takes no prompt while somebody else has it open, says who, and tells when it is free', async () => {
    const { app, backend } = await kept();
    app.open('old-held');
    flushSync();
    const keeper = document.querySelector<HTMLElement>('[aria-label="Read-only session"]');
    expect(keeper?.textContent).toContain('process 48112');
    type(prompt(), 'words');
    press(prompt(), 'Enter');
    expect(button('Resume and send')?.hasAttribute('disabled')).toBe(true);
    expect(asked(backend, 'resumeSession')).toEqual([]);
    button('Wait')?.click();
    flushSync();
    expect(button('Waiting until it is free')).toBeDefined();
    const row = app.past.find((one) => one.id === 'old-held');
    if (!row) throw new Error('the row is gone');
    app.history.takePast([{ ...row, owner: null }], [], false);
    flushSync();
    await until(() => expect(app.toasts[0]?.text).toContain('is free now'));
    expect(button('Resume here')).toBeDefined();
    expect(prompt()?.value).toBe('words');
  });

  it('that another window resumed is followed to what it became, with what was typed', async () => {
    const { app, backend } = await kept();
    app.open('old-terminal');
    flushSync();
    type(prompt(), 'half a thought');
    const now = app.sessions[0];
    const row = app.past.find((one) => one.id === 'old-terminal');
    if (!now || !row) throw new Error('a row is missing');
    const become = { ...now, id: 'ours', title: row.title, cli_session_id: row.id };
    const { feed } = backend as unknown as { feed: Feed };
    feed.past([], ['old-terminal'], false);
    feed.sessions([become, ...app.sessions]);
    flushSync();
    await until(() => expect(app.selected).toBe('ours'));
    await until(() => expect(prompt()?.value).toBe('half a thought'));
  });

  it('that another window resumed first gets the prompt there', async () => {
    const { app, backend } = await kept();
    app.open('old-terminal');
    flushSync();
    backend.failing.set('resumeSession', { code: 'no_such_session', message: 'no session' });
    const now = app.sessions[0];
    if (!now) throw new Error('nothing lives');
    type(prompt(), 'precious words');
    press(prompt(), 'Enter');
    const { feed } = backend as unknown as { feed: Feed };
    feed.past([], ['old-terminal'], false);
    feed.sessions([{ ...now, id: 'ours', cli_session_id: 'old-terminal' }, ...app.sessions]);
    flushSync();
    await until(() => expect(app.selected).toBe('ours'));
    await until(() => expect(prompt()?.value).toBe('precious words'));
  });

  it('says once how to go on', async () => {
    const { app } = await kept();
    for (const row of app.past.filter((one) => one.source === 'kandev' && !one.folder_gone)) {
      app.open(row.id);
      flushSync();
      await until(() => expect(document.querySelector('[aria-label="Read-only session"]')).not.toBeNull());
      const all = [...document.querySelectorAll('main button')].filter((one) => one.textContent?.trim() === 'Resume');
      expect(all.length, row.id).toBeLessThan(2);
    }
  });

  it('gets its folder again, or another one', async () => {
    const { app, backend } = await kept();
    app.open('old-gone');
    flushSync();
    button('Choose another')?.click();
    await until(() => expect(asked(backend, 'relocateSession')).toEqual([['old-gone', '/home/dev/code/harbor-web']]));
    await until(() => expect(button('Resume here')).toBeDefined());
  });

  it('says when Claude Code deletes its file', async () => {
    const { app } = await kept();
    app.open('old-terminal');
    flushSync();
    expect(document.querySelector('[aria-label="Read-only session"]')?.textContent).toMatch(/deletes its file in 3 d/);
  });

  it('is continued from the form for a new session, with what was typed', async () => {
    const { app, backend } = await kept();
    app.openNew('/home/dev/code/ferry-worktrees/spike');
    flushSync();
    type(document.querySelector('textarea'), 'half a thought');
    button('Continue it')?.click();
    await until(() => expect(app.selected).toMatch(/old-gone/));
    await until(() => expect(asked(backend, 'resumeSession')).toEqual([['old-gone']]));
  });
});

describe('a turn that failed', () => {
  it('is tried again from the last good message', async () => {
    const { backend } = await opened('retry');
    await until(() => expect(button('Retry from here')).toBeDefined());
    button('Retry from here')?.click();
    await until(() => expect(asked(backend, 'retryTurn')).toEqual([['s1', 'a1', 'Retry such deliveries.', []]]));
  });

  it('is forced to stop once an interrupt was not followed', async () => {
    const { backend } = await opened('force');
    expect(document.querySelector('[data-phase]')?.textContent).toContain('The interrupt was not followed');
    button('Force stop')?.click();
    await until(() => expect(asked(backend, 'stopSession')).toEqual([['s1']]));
    await until(() => expect(button('Force stop')).toBeUndefined());
  });
});

describe('files', () => {
  it('are set back after a look at what would change, and that can be undone', async () => {
    const { app, backend } = await kept();
    act(app, 'restore');
    await until(() => expect(dialog()?.textContent).toContain('retry.rs'));
    expect(dialog()?.textContent).toContain('Not touched: what commands changed');
    expect(asked(backend, 'rewindSession')).toEqual([]);
    expect(await violations()).toEqual([]);
    button('Restore 2 files')?.click();
    await until(() => expect(asked(backend, 'rewindSession')).toEqual([['s1', 'u1']]));
    await until(() => expect(dialog()).toBeNull());
    await until(() => expect(button('Undo')).toBeDefined());
    button('Undo')?.click();
    await until(() => expect(asked(backend, 'redoRewind')).toEqual([['s1', 'snapshot-1']]));
    await until(() => expect(app.restore.last?.snapshot).toBe('snapshot-2'));
    expect(app.toasts.at(-1)?.text).toBe('2 files as before the restore');
    await app.restore.undo();
    expect(app.toasts.at(-1)?.text).toBe('2 files restored again');
  });

  it('stay as they are when Claude Code cannot set them back', async () => {
    const error = 'This prompt has no checkpoint.';
    const rewind = { can_rewind: false, files_changed: [], insertions: 0, deletions: 0, skipped_links: [], error };
    const { app } = await opened({ ...stageFor('working', 0), rewind });
    act(app, 'restore');
    await until(() => expect(dialog()?.textContent).toContain(error));
    expect(button('Restore', dialog() ?? document)).toBeUndefined();
  });
});

describe('closing the window', () => {
  const closes = { running: 2, waiting: 1, tray: true, quit: false };

  it('asks what becomes of the sessions, and says that it asks', async () => {
    const { backend } = await kept();
    backend.askToClose(closes);
    await until(() => expect(dialog()?.textContent).toContain('2 sessions run, 1 waits for you.'));
    await until(() => expect(asked(backend, 'answerClose')).toEqual([['shown', false]]));
    expect(await violations()).toEqual([]);
    dialog()?.querySelector<HTMLInputElement>('[type="checkbox"]')?.click();
    button('Keep running in the tray')?.click();
    await until(() => expect(asked(backend, 'answerClose').at(-1)).toEqual(['tray', true]));
    await until(() => expect(dialog()).toBeNull());
  });

  it('says without a tray how the window comes back', async () => {
    const { backend } = await kept();
    backend.askToClose({ ...closes, tray: false });
    await until(() => expect(dialog()?.textContent).toMatch(/start Kandev Desktop\s+again/));
    expect(dialog()?.textContent).not.toContain('in the tray');
  });

  it('stays open on Escape', async () => {
    const { backend } = await kept();
    backend.askToClose(closes);
    await until(() => expect(dialog()).not.toBeNull());
    press(document.activeElement, 'Escape');
    await until(() => expect(asked(backend, 'answerClose').at(-1)).toEqual(['cancel', false]));
  });

  it('is another question where the program shall end, and nothing of it is remembered', async () => {
    const { backend } = await kept();
    backend.askToClose({ ...closes, quit: true });
    await until(() => expect(dialog()?.textContent).toContain('Quit Kandev Desktop?'));
    expect(dialog()?.querySelector('[type="checkbox"]')).toBeNull();
    button('Quit', dialog() ?? document)?.click();
    await until(() => expect(asked(backend, 'answerClose').at(-1)).toEqual(['quit', false]));
  });
});
