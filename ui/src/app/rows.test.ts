// Sessions of the list that nobody runs: the rows, their menu, and what is asked before something goes.
import axe from 'axe-core';
import { flushSync } from 'svelte';
import { describe, expect, it } from 'vitest';
import { manyKept, someKept } from '../dev/past';
import { stageFor } from '../dev/stages';
import { opened, until, windowPerTest } from './testing';

windowPerTest();

const row = (id: string) => document.querySelector<HTMLElement>(`[data-session-id="${id}"]`);
const lines = () => [...document.querySelectorAll<HTMLElement>('nav [data-key]')];
const button = (text: string, within: ParentNode = document) =>
  [...within.querySelectorAll('button')].find((one) => one.textContent?.trim().startsWith(text));
const dialog = () => document.querySelector<HTMLElement>('[role="dialog"]');
const item = (text: string) =>
  [...document.querySelectorAll<HTMLElement>('[role="menuitem"]')].find((one) => one.textContent?.includes(text));
const names = (backend: { asked: { name: string }[] }) => backend.asked.map((one) => one.name);
function press(target: EventTarget | null, key: string, change: KeyboardEventInit = {}): void {
  target?.dispatchEvent(new KeyboardEvent('keydown', { key, bubbles: true, cancelable: true, ...change }));
  flushSync();
}
const kept = () => opened({ ...stageFor('working', 0), past: someKept() });

describe('the session list', () => {
  it('has living and past sessions, and says in words what is particular about each', async () => {
    await kept();
    expect(row('old-held')?.textContent).toContain('Open in a terminal');
    expect(row('old-held')?.dataset.source).toBe('terminal');
    expect(document.querySelector('nav button[title$="/ferry-worktrees/spike"]')?.textContent).toContain('gone');
    expect(row('old-failed')?.dataset.state).toBe('failed');
    expect(row('old-failed')?.textContent).toContain('SIGKILL');
    expect(row('old-fork')?.querySelector('[aria-label="fork"]')).not.toBeNull();
    expect(row('old-archived')).toBeNull();
    const order = lines().map((line) => line.dataset.key);
    expect(order.indexOf('s4')).toBeLessThan(order.indexOf('old-held'));
  });

  it('draws what is in sight of two thousand sessions', async () => {
    await opened({ ...stageFor('working', 0), past: manyKept(2000) });
    expect(lines().length).toBeGreaterThan(10);
    expect(lines().length).toBeLessThan(60);
    button('Show', document.querySelector('nav') ?? document)?.click();
    flushSync();
    expect(lines().length).toBeLessThan(60);
  });

  it('is gone through by arrows, far beyond what is drawn', async () => {
    const { app } = await opened({ ...stageFor('working', 0), past: manyKept(300) });
    app.list.showAll('/home/dev/code/ferry', true);
    flushSync();
    row('s1')?.focus();
    for (let i = 0; i < 60; i++) {
      press(document.activeElement, 'ArrowDown');
      const place = app.list.items.findIndex((one) => one.key === 's1') + i + 1;
      await until(() =>
        expect(document.activeElement?.closest<HTMLElement>('[data-key]')?.dataset.key).toBe(
          app.list.items[place]?.key,
        ),
      );
    }
    press(document.activeElement, 'Enter');
    (document.activeElement as HTMLElement).click();
    flushSync();
    expect(app.selected).toBe(document.activeElement?.closest<HTMLElement>('[data-key]')?.dataset.key);
  });

  it('filters by title and folder, and shows archived sessions behind a switch', async () => {
    const { app } = await kept();
    app.list.words = 'worktrees';
    flushSync();
    expect(lines().map((line) => line.dataset.key)).toEqual(['head /home/dev/code/ferry-worktrees/spike', 'old-gone']);
    app.list.words = '';
    document.querySelector<HTMLElement>('[role="switch"]')?.click();
    flushSync();
    expect(lines().map((line) => line.dataset.key)).toEqual(['head /home/dev/code/harbor-web', 'old-archived']);
  });

  it('takes another title in place', async () => {
    const { backend } = await kept();
    row('old-ended')?.focus();
    press(row('old-ended'), 'F2');
    await until(() => expect(document.activeElement?.tagName).toBe('INPUT'));
    const field = document.activeElement as HTMLInputElement;
    expect(field.value).toBe('Rename the outcome type');
    field.value = 'The schema, told';
    field.dispatchEvent(new InputEvent('input', { bubbles: true }));
    press(field, 'Enter');
    await until(() =>
      expect(backend.asked.find((one) => one.name === 'renameSession')?.args).toEqual([
        'old-ended',
        'The schema, told',
      ]),
    );
    await until(() => expect(row('old-ended')?.textContent).toContain('The schema, told'));
  });
});

describe('the menu of a session', () => {
  async function menuOf(id: string) {
    const window = await kept();
    row(id)?.focus();
    press(row(id), 'F10', { shiftKey: true });
    await until(() => expect(document.querySelector('[role="menu"]')).not.toBeNull());
    return window;
  }

  it.each([
    ['Open in new window', 'openWindow', ['old-ended']],
    ['Fork', 'forkSession', ['old-ended', null]],
    ['Archive', 'archiveSession', ['old-ended', true]],
    ['Export as HTML', 'exportSession', ['old-ended', 'html']],
  ])('%s', async (name, asked, args) => {
    const { backend } = await menuOf('old-ended');
    item(name)?.click();
    await until(() => expect(backend.asked.find((one) => one.name === asked)?.args).toEqual(args));
  });

  it('tells where an export is', async () => {
    const { app } = await menuOf('old-ended');
    item('Export as Markdown')?.click();
    await until(() => expect(app.toasts[0]).toMatchObject({ tone: 'done', hint: expect.stringContaining('.md') }));
  });

  it('deletes nothing that is open elsewhere', async () => {
    await menuOf('old-held');
    expect(item('Delete')?.hasAttribute('data-disabled')).toBe(true);
  });
});

describe('deleting', () => {
  async function asking(id: string) {
    const window = await kept();
    row(id)?.focus();
    press(row(id), 'Delete');
    await until(() => expect(dialog()).not.toBeNull());
    return window;
  }

  it('says what goes and what stays before it is done', async () => {
    const { backend } = await asking('old-ended');
    expect(dialog()?.textContent).toContain('Claude Code’s own file stays');
    expect(dialog()?.textContent).toContain('stay as they are');
    expect(names(backend)).not.toContain('deleteSession');
    button('Remove', dialog() ?? document)?.click();
    await until(() =>
      expect(backend.asked.find((one) => one.name === 'deleteSession')?.args).toEqual(['old-ended', false]),
    );
    await until(() => expect(row('old-ended')).toBeNull());
  });

  it('asks twice before the file of Claude Code goes', async () => {
    const { backend } = await asking('old-ended');
    dialog()?.querySelector<HTMLInputElement>('[value="both"]')?.click();
    flushSync();
    button('Delete…', dialog() ?? document)?.click();
    flushSync();
    expect(names(backend)).not.toContain('deleteSession');
    expect(dialog()?.textContent).toContain('cannot be undone');
    button('Delete for good', dialog() ?? document)?.click();
    await until(() =>
      expect(backend.asked.find((one) => one.name === 'deleteSession')?.args).toEqual(['old-ended', true]),
    );
  });

  it('takes back the second question with Escape, and closes with the next one', async () => {
    await asking('old-terminal');
    button('Delete…', dialog() ?? document)?.click();
    await until(() => expect(document.activeElement?.textContent).toContain('Delete for good'));
    press(document.activeElement, 'Escape');
    expect(dialog()?.textContent).not.toContain('cannot be undone');
    press(document.activeElement, 'Escape');
    await until(() => expect(dialog()).toBeNull());
  });

  it('ends a session that runs before it is deleted', async () => {
    const { backend } = await asking('s5');
    button('Remove', dialog() ?? document)?.click();
    await until(() => expect(names(backend)).toContain('deleteSession'));
    expect(names(backend).indexOf('stopSession')).toBeLessThan(names(backend).indexOf('deleteSession'));
    expect(names(backend)).toContain('stopSession');
  });

  it('keeps the dialog when it could not be done', async () => {
    const { app, backend } = await asking('old-ended');
    backend.failing.set('deleteSession', { code: 'io', message: 'the disk is read-only' });
    button('Remove', dialog() ?? document)?.click();
    await until(() => expect(app.toasts[0]?.hint).toBe('the disk is read-only'));
    expect(dialog()).not.toBeNull();
  });
});

describe('axe', () => {
  const rules = { 'color-contrast': { enabled: false } };
  const violations = async () => {
    const found = await axe.run(document.body, { rules, resultTypes: ['violations'] });
    return found.violations.map((one) => `${one.id}: ${one.nodes.map((node) => node.html).join(' ')}`);
  };

  it.each(['kept', 'many', 'terminal', 'held', 'gone', 'ended', 'retry', 'force', 'idle'])(
    'finds nothing in the state %s',
    async (state) => {
      await opened(state);
      expect(await violations()).toEqual([]);
    },
  );

  it('finds nothing in the menu', async () => {
    await kept();
    row('s1')?.focus();
    press(row('s1'), 'F10', { shiftKey: true });
    await until(() => expect(document.querySelector('[role="menu"]')).not.toBeNull());
    expect(await violations()).toEqual([]);
  });

  it('finds nothing in the dialog that deletes', async () => {
    await kept();
    press(row('old-ended'), 'Delete');
    await until(() => expect(dialog()).not.toBeNull());
    expect(await violations()).toEqual([]);
  });
});
