// Answers that come late: somebody went on to another session, another question or another panel meanwhile.
import { flushSync } from 'svelte';
import { describe, expect, it } from 'vitest';
import type { Backend } from '../backend/backend';
import { close, opened, until, windowPerTest } from './testing';

windowPerTest();

const panel = () => document.querySelector('[role="tabpanel"]') as HTMLElement;
const field = (name: string) => document.querySelector(`textarea[aria-label="${name}"]`) as HTMLTextAreaElement;
const button = (name: string, within: ParentNode = document) =>
  [...within.querySelectorAll('button')].find((one) => (one.ariaLabel ?? one.textContent?.trim())?.startsWith(name));
const click = (name: string, within?: ParentNode) => {
  button(name, within)?.click();
  flushSync();
};
const type = (into: HTMLTextAreaElement, text: string) => {
  into.value = text;
  into.dispatchEvent(new Event('input', { bubbles: true }));
  flushSync();
};

/** The answers of that method wait until they are let go; the oldest first. */
function held(backend: Backend, name: keyof Backend): { count: () => number; letGo: (failed?: boolean) => void } {
  const waiting: ((failed: boolean) => void)[] = [];
  const plain = (backend[name] as (...args: unknown[]) => Promise<unknown>).bind(backend);
  const slow = (...args: unknown[]) =>
    new Promise((done, fail) => {
      waiting.push((failed) =>
        failed ? fail({ code: 'gone', message: 'it is gone' }) : plain(...args).then(done, fail),
      );
    });
  Object.assign(backend, { [name]: slow });
  return { count: () => waiting.length, letGo: (failed = false) => waiting.shift()?.(failed) };
}

async function uncommitted() {
  const window = await opened('working');
  click('Uncommitted', panel());
  await until(() => expect(window.app.changes.git?.session).toBe('s1'));
  flushSync();
  return window;
}

describe('what git says of a session that was left', () => {
  it.each([
    ['after a commit', 'gitCommit' as const],
    ['after staging', 'gitStage' as const],
  ])('is not shown in place of the one that is open: %s', async (_, name) => {
    const { app, backend } = await uncommitted();
    const slow = held(backend, name);
    const done = name === 'gitCommit' ? app.changes.commit('s1', 'x') : app.changes.stage('s1', ['a'], true);
    app.open('s2');
    await until(() => expect(app.changes.git?.session).toBe('s2'));
    slow.letGo();
    await done;
    expect(app.changes.git?.session).toBe('s2');
  });

  it('is no trouble of the one that is open', async () => {
    const { app, backend } = await uncommitted();
    const slow = held(backend, 'gitChanges');
    app.changes.changed('s1');
    await until(() => expect(slow.count()).toBe(1));
    app.open('s2');
    await until(() =>
      expect(backend.asked.some((one) => one.name === 'watchWorkspace' && one.args[0] === 's2')).toBe(true),
    );
    slow.letGo(true);
    await until(() => expect(slow.count()).toBe(1));
    expect(app.changes.problem).toBeNull();
    slow.letGo();
    await until(() => expect(app.changes.git?.session).toBe('s2'));
  });

  it('does not keep another one from being committed', async () => {
    const { app, backend } = await uncommitted();
    const slow = held(backend, 'gitCommit');
    const first = app.changes.commit('s1', 'x');
    const second = app.changes.commit('s2', 'y');
    await until(() => expect(slow.count()).toBe(2));
    expect(await app.changes.commit('s1', 'again')).toBe(false);
    slow.letGo(true);
    slow.letGo(true);
    expect(await Promise.all([first, second])).toEqual([false, false]);
    expect(app.changes.committing).toEqual([]);
  });
});

describe('a message of a commit', () => {
  it('is gone with its commit, also when the panel was left meanwhile', async () => {
    const { app, backend } = await uncommitted();
    type(field('Commit message'), 'Retry');
    const slow = held(backend, 'gitCommit');
    click('Commit', panel().querySelector('form') as HTMLElement);
    await until(() => expect(slow.count()).toBe(1));
    app.panel = 'todos';
    flushSync();
    slow.letGo();
    await until(() => expect(app.changes.committed?.subject).toBe('Retry'));
    app.panel = 'changes';
    flushSync();
    await until(() => expect(field('Commit message')).not.toBeNull());
    expect(field('Commit message').value).toBe('');
  });

  it('that was begun while the one before is committed, or while a draft is made, stays', async () => {
    const { app, backend } = await uncommitted();
    const drafts = held(backend, 'commitDraft');
    click('Draft', panel());
    await until(() => expect(drafts.count()).toBe(1));
    type(field('Commit message'), 'Mine');
    drafts.letGo();
    await until(() => expect(button('Draft', panel())?.disabled).toBe(false));
    expect(field('Commit message').value).toBe('Mine');
    const slow = held(backend, 'gitCommit');
    click('Commit', panel().querySelector('form') as HTMLElement);
    await until(() => expect(slow.count()).toBe(1));
    type(field('Commit message'), 'The next one');
    slow.letGo();
    await until(() => expect(app.changes.committed?.subject).toBe('Mine'));
    flushSync();
    expect(field('Commit message').value).toBe('The next one');
  });
});

it('a change that was taken back does not close the question about the next one', async () => {
  const { app, backend } = await uncommitted();
  const wanted = { session: 's1', path: 'a', diff: '', hunks: null, what: 'The change', to: 'before' };
  backend.revertPreview = () =>
    Promise.resolve({ can: true, why: null, deletes: false, recreates: false, lines_added: 1, lines_removed: 0 });
  const slow = held(backend, 'revertChanges');
  await app.changes.askRevert(wanted);
  const first = app.changes.revert();
  app.dialog = null;
  await app.changes.askRevert({ ...wanted, path: 'b' });
  const second = app.changes.revert();
  slow.letGo();
  await first;
  expect(app.dialog).toBe('revert');
  expect(app.changes.running).toBe(true);
  slow.letGo();
  await second;
  expect(app.dialog).toBeNull();
});

describe('a prompt that could not be sent', () => {
  const note = { path: 'src/a.rs', line: 6, side: 'new' as const, quoted: 'x' };

  it('is there again with its comments when somebody comes back from another session', async () => {
    const { app, backend } = await opened('idle');
    app.comments.writing = { session: 's1', ...note, id: null, text: 'Why?' };
    app.comments.finish();
    type(field('Prompt'), 'Do it');
    const slow = held(backend, 'sendPrompt');
    click('Send');
    await until(() => expect(slow.count()).toBe(1));
    app.open('s2');
    await until(() => expect(app.store?.opened).toBe(true));
    flushSync();
    slow.letGo(true);
    await until(() => expect(app.comments.of('s1')).toHaveLength(1));
    expect(field('Prompt').value).toBe('');
    app.open('s1');
    await until(() => expect(field('Prompt').value).toBe('Do it'));
    expect(app.comments.of('s2')).toEqual([]);
    close();
    await opened('idle');
    expect(field('Prompt').value).toBe('Do it');
  });

  it('brings back no comment that was written anew meanwhile', async () => {
    const { app } = await opened('idle');
    app.comments.writing = { session: 's1', ...note, id: null, text: 'Why?' };
    app.comments.finish();
    const [sent] = app.comments.of('s1');
    app.comments.writing = { session: 's1', ...note, id: sent?.id ?? null, text: 'Why so?' };
    const taken = app.comments.take('s1');
    app.comments.finish();
    app.comments.giveBack('s1', taken);
    expect(app.comments.of('s1').map((one) => one.text)).toEqual(['Why so?']);
  });
});

it('comments go along with a session that becomes another one', async () => {
  const { app } = await opened('idle');
  const at = { path: 'src/a.rs', line: 6, side: 'new' as const, quoted: 'x', id: null };
  app.comments.writing = { session: 's1', ...at, text: 'Why?' };
  app.comments.finish();
  app.comments.writing = { session: 's1', ...at, line: 7, text: 'And' };
  app.comments.move('s1', 's9');
  expect(app.comments.of('s1')).toEqual([]);
  expect(app.comments.of('s9').map((one) => one.text)).toEqual(['Why?']);
  expect(app.comments.writing?.session).toBe('s9');
});

it('a comment that is being written is kept when another one is begun, and goes on where it was begun', async () => {
  const { app } = await opened('idle');
  const at = { session: 's1', path: 'src/a.rs', line: 6, side: 'new' as const, quoted: 'x', id: null, text: '' };
  app.comments.begin(at);
  app.comments.writing = { ...at, text: 'Why?' };
  app.comments.begin(at);
  expect(app.comments.writing.text).toBe('Why?');
  app.comments.begin({ ...at, line: 9 });
  expect(app.comments.of('s1').map((one) => [one.line, one.text])).toEqual([[6, 'Why?']]);
  expect(app.comments.writing).toMatchObject({ line: 9, text: '' });
  app.comments.begin({ ...at, line: 12 });
  expect(app.comments.of('s1')).toHaveLength(1);
});
