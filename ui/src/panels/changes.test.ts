import axe from 'axe-core';
import { flushSync } from 'svelte';
import { describe, expect, it } from 'vitest';
import { close, opened, until, windowPerTest } from '../app/testing';
import { stageFor } from '../dev/stages';

windowPerTest();

const body = () => document.querySelector('[role="tabpanel"]') as HTMLElement;
const options = () => [...body().querySelectorAll<HTMLElement>('[role="option"]')];
const list = () => body().querySelector('[role="listbox"]') as HTMLElement;
const button = (name: string, within: ParentNode = document) =>
  [...within.querySelectorAll('button')].find((b) => (b.ariaLabel ?? b.textContent?.trim())?.startsWith(name));
const dialog = () => document.querySelector('[role="dialog"]') as HTMLElement;
/** What a changed file is called by who reads it out. */
const spoken = (one: Element | undefined) => one?.querySelector('.sr')?.textContent;
const text = (within: Element = body()) => within.textContent?.replace(/\s+/g, ' ').trim() ?? '';
const press = (target: Element, key: string) => {
  target.dispatchEvent(new KeyboardEvent('keydown', { key, bubbles: true, cancelable: true }));
  flushSync();
};
const click = (name: string, within?: ParentNode) => {
  button(name, within)?.click();
  flushSync();
};

async function git(state = 'working') {
  const window = await opened(state);
  click('Uncommitted', body());
  await until(() => expect(options().length).toBeGreaterThan(0));
  const asked = (name: string) => window.backend.asked.filter((one) => one.name === name);
  return { ...window, asked };
}

describe('changed files', () => {
  it('of the turn are walked by keys, opened, and opened in the editor', async () => {
    const { app, backend } = await opened('working');
    expect(options().map(spoken)).toContain('retry.rs, in src/delivery, modified, 18 added, 4 removed');
    press(list(), 'End');
    const last = options().at(-1);
    expect(last?.ariaSelected).toBe('true');
    expect(list().getAttribute('aria-activedescendant')).toBe(last?.id);
    press(list(), 'o');
    await until(() =>
      expect(backend.asked.find((one) => one.name === 'openInEditor')?.args).toEqual([
        's1',
        'migrations/0014_attempts.sql',
        null,
        null,
        null,
      ]),
    );
    press(list(), 'Enter');
    expect(document.activeElement?.getAttribute('aria-label')).toBe('Changes in migrations/0014_attempts.sql');
    press(document.activeElement as Element, 'Escape');
    expect(document.activeElement).toBe(list());
    expect(app.toasts).toEqual([]);
  });

  it('that differ from the last commit are asked for while they are looked at, and not otherwise', async () => {
    const { app, backend } = await opened('working');
    const asked = (name: string) => backend.asked.filter((one) => one.name === name);
    expect([...asked('gitChanges'), ...asked('watchWorkspace')]).toEqual([]);
    click('Uncommitted', body());
    await until(() => expect(options()).toHaveLength(6));
    expect(asked('watchWorkspace').map((one) => one.args)).toEqual([['s1', true]]);
    const before = asked('gitChanges').length;
    app.panel = 'todos';
    flushSync();
    const watched = () => asked('watchWorkspace').map((one) => one.args);
    await until(() =>
      expect(watched()).toEqual([
        ['s1', true],
        ['s1', false],
      ]),
    );
    app.changes.changed('s1');
    expect(asked('gitChanges')).toHaveLength(before);
  });

  it('are watched by who looks away and back again at once, each asked after the other was answered', async () => {
    const { app, backend } = await opened('working');
    let open = 0;
    let most = 0;
    const said: boolean[] = [];
    const plain = backend.watchWorkspace.bind(backend);
    backend.watchWorkspace = async (session, on) => {
      open += 1;
      most = Math.max(most, open);
      said.push(on);
      const answer = await plain(session, on);
      open -= 1;
      return answer;
    };
    const stop = app.changes.watch('s1');
    stop();
    app.changes.watch('s1');
    await until(() => expect(said).toEqual([true, false, true]));
    expect(most).toBe(1);
  });

  it('are asked for again when the folder changes', async () => {
    const { backend, app } = await git();
    const now = app.changes.git?.changes;
    backend.changeGit('s1', { changes: { ...now!, files: now!.files.slice(0, 2) }, diffs: {} });
    await until(() => expect(options()).toHaveLength(2));
  });

  it('are few in the page, however many there are', async () => {
    await git('manyfiles');
    expect(options().length).toBeLessThan(60);
    expect(options()[0]?.getAttribute('aria-setsize')).toBe('2000');
    expect(text()).toContain('312 more files are not listed');
  });

  it.each([
    ['norepo', 'This folder is in no git repository.'],
    ['conflict', '1 file in conflict: resolve and stage it first'],
  ])('say what there is to say: %s', async (state, words) => {
    await opened(state);
    click('Uncommitted', body());
    await until(() => expect(text()).toContain(words));
  });

  it('say that git is not there', async () => {
    const { backend } = await opened('working');
    backend.failing.set('gitChanges', { code: 'git_not_found', message: 'Git is not on this machine.' });
    click('Uncommitted', body());
    await until(() => expect(text()).toContain('Git is not on this machine.'));
  });
});

describe('taking back', () => {
  it('a hunk says first what that does, is undone by its message, and afterwards from the panel', async () => {
    const { app, asked } = await git();
    await until(() => expect(button('Revert hunk 2 of 3', body())).toBeDefined());
    click('Revert hunk 2 of 3', body());
    await until(() => expect(text(dialog())).toContain('2 lines come back, 8 go.'));
    expect(asked('revertChanges')).toEqual([]);
    expect(asked('revertPreview')[0]?.args.slice(3)).toEqual([[1]]);
    click('Take back', dialog());
    await until(() => expect(app.toasts.at(-1)?.text).toBe('Hunk 2 of 3 in retry.rs taken back'));
    await until(() => expect(app.dialog).toBeNull());
    expect(asked('revertChanges')[0]?.args[3]).toEqual([1]);
    click('Undo', body());
    await until(() => expect(text()).toContain('Hunk 2 of 3 in retry.rs brought back'));
    expect(asked('redoRewind')).toHaveLength(1);
    expect(app.toasts).toEqual([]);
  });

  it('a file that is new says that it is deleted', async () => {
    await git();
    options()
      .find((one) => spoken(one)?.startsWith('0014'))
      ?.click();
    flushSync();
    await until(() => expect(body().querySelector('.review')).not.toBeNull());
    press(list(), 'r');
    await until(() => expect(text(dialog())).toContain('The file is deleted: this change made it.'));
    expect(text(dialog())).not.toContain('again as it was');
    expect(button('Delete the file', dialog())).toBeDefined();
  });

  it('says why it cannot be done, and offers nothing then', async () => {
    const { asked } = await git();
    options()
      .find((one) => spoken(one)?.startsWith('retries.md'))
      ?.click();
    flushSync();
    await until(() => expect(button('Revert hunk 1 of 1', body())).toBeDefined());
    click('Revert file', body());
    await until(() => expect(text(dialog())).toContain('Nothing fits there any more.'));
    expect(button('Take back', dialog())).toBeUndefined();
    expect(text(dialog())).toContain('Nothing was changed.');
    expect(asked('revertChanges')).toEqual([]);
  });

  it('is closed by Escape without anything done', async () => {
    const { app, asked } = await git();
    await until(() => expect(button('Revert hunk 1 of 3', body())).toBeDefined());
    click('Revert hunk 1 of 3', body());
    await until(() => expect(text(dialog())).toContain('1 line comes back, 3 go.'));
    press(document.activeElement as Element, 'Escape');
    await until(() => expect(app.dialog).toBeNull());
    expect(asked('revertChanges')).toEqual([]);
  });
});

describe('a commit', () => {
  it('takes in what is staged by a key, has a draft, and says its name', async () => {
    const { asked } = await git();
    press(list(), 'ArrowDown');
    press(list(), ' ');
    await until(() => expect(asked('gitStage')[0]?.args).toEqual(['s1', ['docs/retries.md'], true]));
    await until(() => expect(button('Commit 4 files', body())).toBeDefined());
    expect(button('Commit 4 files', body())?.disabled).toBe(true);
    click('Draft', body());
    const field = body().querySelector<HTMLTextAreaElement>('[aria-label="Commit message"]');
    await until(() => expect(field?.value).toMatch(/^Retry failed webhook deliveries/));
    click('Commit 4 files', body());
    await until(() => expect(text()).toContain('4f9c2d17Retry failed webhook deliveries'));
    expect(field?.value).toBe('');
  });

  it('that a hook refuses keeps its message, with what the hook said', async () => {
    await git('hook');
    click('Draft', body());
    await until(() => expect(button('Commit 3 files', body())?.disabled).toBe(false));
    click('Commit 3 files', body());
    await until(() => expect(text()).toContain('The commit was stopped by the pre-commit hook.'));
    expect(body().querySelector<HTMLTextAreaElement>('[aria-label="Commit message"]')?.value).not.toBe('');
  });

  it('keeps an unfinished message when the window is closed', async () => {
    await git();
    click('Draft', body());
    await until(() => expect(localStorage.getItem('kandev.commit.s1')).toContain('Retry failed'));
    close();
    await git();
    expect(body().querySelector<HTMLTextAreaElement>('[aria-label="Commit message"]')?.value).toContain('Retry failed');
  });
});

describe('comments on lines', () => {
  const note = { path: 'src/delivery/retry.rs', line: 6, side: 'new' as const, quoted: '    pub cap: Duration,' };

  async function commented(state = 'idle') {
    const window = await opened(state);
    window.app.comments.writing = { session: 's1', ...note, id: null, text: 'Why not limit?' };
    window.app.comments.finish();
    flushSync();
    return window;
  }
  const chips = () => document.querySelector('[aria-label="1 comment for the next prompt"]');

  it('wait above the prompt, survive the window, and go in front of the prompt', async () => {
    await commented();
    expect(chips()).not.toBeNull();
    close();
    const { backend, app } = await opened('idle');
    expect(chips()?.textContent).toContain('Why not limit?');
    const field = document.querySelector<HTMLTextAreaElement>('[aria-label="Prompt"]');
    if (!field) throw new Error('no field');
    field.value = 'Then run it.';
    field.dispatchEvent(new InputEvent('input', { bubbles: true }));
    flushSync();
    click('Send');
    await until(() =>
      expect(backend.asked.find((one) => one.name === 'sendPrompt')?.args[1]).toBe(
        'Comments on the changes:\n\n- src/delivery/retry.rs:6: Why not limit?\n  > pub cap: Duration,\n\nThen run it.',
      ),
    );
    await until(() => expect(chips()).toBeNull());
    expect(app.comments.of('s1')).toEqual([]);
  });

  it('are a prompt by themselves, and come back when it cannot be sent', async () => {
    const { backend, app } = await commented();
    backend.failing.set('sendPrompt', { code: 'gone', message: 'the process is gone' });
    click('Send');
    await until(() => expect(app.toasts).toHaveLength(1));
    expect(app.comments.of('s1')).toHaveLength(1);
    expect(chips()).not.toBeNull();
  });

  it('are opened from their chip, and taken away', async () => {
    const { app } = await commented();
    app.panel = 'todos';
    (chips()?.querySelector('li button') as HTMLElement).click();
    flushSync();
    expect(app.panel).toBe('changes');
    expect(spoken(options().find((one) => one.ariaSelected === 'true'))).toContain('retry.rs');
    click('Remove the comment on');
    expect(chips()).toBeNull();
  });

  it('without words are none', async () => {
    const { app } = await commented();
    const [one] = app.comments.of('s1');
    app.comments.writing = { session: 's1', ...note, id: one?.id ?? null, text: '  ' };
    app.comments.finish();
    expect(app.comments.of('s1')).toEqual([]);
  });
});

describe('editors', () => {
  it('that were found are offered, and the one that is chosen stays', async () => {
    const { app, backend } = await opened('working');
    app.openSettings('general');
    await until(() => expect(dialog().querySelector('select option[value="zed"]')).not.toBeNull());
    const select = dialog().querySelector('option[value="zed"]')?.parentElement as HTMLSelectElement;
    select.value = 'zed';
    select.dispatchEvent(new Event('change', { bubbles: true }));
    flushSync();
    dialog().querySelector<HTMLFormElement>('form')?.requestSubmit();
    await until(() =>
      expect(backend.asked.find((one) => one.name === 'saveSettings')?.args[0]).toMatchObject({ editor: 'zed' }),
    );
  });
});

describe('axe', () => {
  // Colours need a layout, and jsdom has none.
  const rules = { 'color-contrast': { enabled: false } };
  it.each([['working'], ['hook'], ['conflict'], ['norepo']])('finds nothing: %s', async (state) => {
    const { app } = await opened(stageFor(state, 0));
    app.comments.writing = {
      session: 's1',
      path: 'src/store/attempts.rs',
      line: 1,
      side: 'new',
      quoted: '',
      id: null,
      text: 'x',
    };
    app.comments.finish();
    click('Uncommitted', body());
    await until(() => expect(app.changes.git).not.toBeNull());
    flushSync();
    const { violations } = await axe.run(document.body, { rules });
    expect(violations.map((one) => `${one.id}: ${one.nodes[0]?.html}`)).toEqual([]);
  });
});
