// The timeline in the window, on written events. jsdom lays nothing out, so where things stand is tested in a browser.
import { flushSync } from 'svelte';
import { describe, expect, it, vi } from 'vitest';
import { acts } from '../app/acts';
import { opened, until, windowPerTest } from '../app/testing';

windowPerTest();

const articles = () => [...document.querySelectorAll<HTMLElement>('[role="feed"] > article')];
const named = (name: string | RegExp) =>
  articles().find((one) => {
    const label = one.getAttribute('aria-label') ?? '';
    return typeof name === 'string' ? label === name : name.test(label);
  });
const feed = () => document.querySelector<HTMLElement>('[role="feed"]') as HTMLElement;

function press(target: Element, key: string, more: KeyboardEventInit = {}): void {
  target.dispatchEvent(new KeyboardEvent('keydown', { key, bubbles: true, cancelable: true, ...more }));
  flushSync();
}

function run(app: Parameters<typeof acts>[0], id: string): void {
  const act = acts(app).find((one) => one.id === id);
  expect(act?.enabled).toBe(true);
  act?.run();
}

async function typeInFind(words: string): Promise<void> {
  await until(() => expect(document.querySelector('[role="search"] input')).not.toBeNull());
  const field = document.querySelector<HTMLInputElement>('[role="search"] input') as HTMLInputElement;
  field.value = words;
  field.dispatchEvent(new InputEvent('input', { bubbles: true }));
}

const count = () => document.querySelector('[role="search"] [role="status"]')?.textContent.trim();

describe('the timeline', () => {
  it('has a group in place of reads, which opens in place and is counted', async () => {
    await opened('long', 20);
    press(feed(), 'Home');
    await until(() => expect(named(/^Read 2 files/)).toBeDefined());
    const all = Number(articles()[0]?.getAttribute('aria-setsize'));
    const group = named(/^Read 2 files/);
    group?.querySelector<HTMLElement>('button')?.click();
    flushSync();
    expect(group?.querySelector('button')?.getAttribute('aria-expanded')).toBe('true');
    expect(named('Read: src/part_1.rs')).toBeDefined();
    expect(Number(articles()[0]?.getAttribute('aria-setsize'))).toBe(all + 2);
    const numbers = articles().map((one) => Number(one.getAttribute('aria-posinset')));
    expect(numbers).toEqual(numbers.map((_, i) => (numbers[0] ?? 0) + i));
  });

  it('has the rows of subagents among its articles, said to be inside', async () => {
    await opened('long', 13);
    await until(() => expect(named('Bash: cargo test, in Tests of part 11')).toBeDefined());
    expect(named('End of the agent, in Part 11')?.textContent).toContain('Agent done');
    const inner = named('Task: Tests of part 11, in Part 11');
    inner?.querySelector<HTMLElement>('button.sum')?.click();
    flushSync();
    expect(named('Bash: cargo test, in Tests of part 11')).toBeUndefined();
    expect(named('End of the agent, in Part 11')).toBeDefined();
  });

  it('goes from row to row by PageDown and PageUp, and in by Enter', async () => {
    await opened('long', 20);
    await until(() => expect(articles().length).toBeGreaterThan(5));
    feed().focus();
    press(feed(), 'Home');
    press(feed(), 'Enter');
    await until(() => expect(articles()).toContain(document.activeElement));
    const first = articles().indexOf(document.activeElement as HTMLElement);
    press(document.activeElement as Element, 'PageDown');
    await until(() => expect(articles().indexOf(document.activeElement as HTMLElement)).toBe(first + 1));
    press(document.activeElement as Element, 'PageUp');
    await until(() => expect(articles().indexOf(document.activeElement as HTMLElement)).toBe(first));
  });

  it('is as it was left when one comes back, with what came meanwhile', async () => {
    const { app, backend } = await opened('long', 13);
    await until(() => expect(named('Task: Part 11')).toBeDefined());
    named('Task: Part 11')?.querySelector<HTMLElement>('button.sum')?.click();
    flushSync();
    app.openInbox();
    flushSync();
    backend.say('s1', { type: 'message_chunk', message_id: 'late', text: 'Said meanwhile.' });
    app.back();
    flushSync();
    await until(() => expect(articles().at(-1)?.textContent).toContain('Said meanwhile.'));
    expect(named('End of the agent, in Part 11')).toBeUndefined();
    expect(named('Task: Part 11')).toBeDefined();
  });

  it('keeps a row that has the focus out of the group that would hide it', async () => {
    const { backend } = await opened('long', 2);
    const call = (id: string, status: 'running' | 'complete') =>
      backend.say('s1', {
        type: status === 'running' ? 'tool_call' : 'tool_update',
        tool_call_id: id,
        tool_name: 'Read',
        tool_title: id,
        tool_status: status,
        normalized: {
          kind: 'read_file',
          read_file: { file_path: `/w/${id}`, offset: null, limit: null, output: null },
        },
      });
    for (const id of ['x', 'y', 'z']) call(id, 'running');
    await until(() => expect(named('Read: y')).toBeDefined());
    named('Read: y')?.focus();
    for (const id of ['x', 'y', 'z']) call(id, 'complete');
    await until(() => expect(named(/^Read [23] files/)).toBeDefined());
    expect(document.activeElement).toBe(named('Read: y'));
    expect(named('Read: x')).toBeUndefined();
    feed().focus();
    await until(() => expect(named('Read: y')).toBeUndefined());
    expect(document.activeElement).toBe(feed());
  });
});

describe('finding in the session', () => {
  it('goes through the whole of it, loaded or not, and opens what hides the words', async () => {
    const { app } = await opened('long', 3000);
    const store = app.storeOf('s1');
    await until(() => expect(store.view.lastSeq).toBeGreaterThan(0));
    expect(store.view.from).toBeGreaterThan(1);
    run(app, 'find');
    await typeInFind('src/part_42.rs');
    await until(() => expect(count()).toBe('1 of 1'));
    await until(() => expect(named('Read: src/part_42.rs')?.classList.contains('pointed')).toBe(true));
    expect(store.detached).not.toBeNull();
    // The field keeps the focus, for the next words.
    expect(document.activeElement?.matches('[role="search"] input')).toBe(true);
  });

  it('goes on and back, round the ends, and says when there is nothing', async () => {
    const { app } = await opened('long', 60);
    run(app, 'find');
    await typeInFind('delivery code');
    await until(() => expect(count()).toBe('3 of 3'));
    const field = document.querySelector('[role="search"] input') as Element;
    press(field, 'Enter');
    await until(() => expect(count()).toBe('1 of 3'));
    await until(() => expect(named('Prompt')?.classList.contains('pointed')).toBe(true));
    press(field, 'Enter', { shiftKey: true });
    await until(() => expect(count()).toBe('3 of 3'));
    await typeInFind('no such words');
    await until(() => expect(count()).toBe('Nothing found'));
    press(field, 'Escape');
    expect(document.querySelector('[role="search"]')).toBeNull();
    expect(document.activeElement).toBe(feed());
  });

  it('begins where one reads, also when the answer comes in parts', async () => {
    const { app, backend } = await opened('long', 400);
    const whole = backend.findInSession.bind(backend);
    backend.findInSession = (session, words, after) => whole(session, words, after, 2);
    run(app, 'find');
    await typeInFind('delivery code');
    await until(() => expect(count()).toBe('20 of 20'));
  });

  it('says why it could not look, and tries again with the next words', async () => {
    const { app, backend } = await opened('long', 60);
    backend.failing.set('findInSession', { code: 'gone', message: 'the disk is gone' });
    run(app, 'find');
    await typeInFind('Prompt 1');
    await until(() => expect(count()).toBe('the disk is gone'));
    await typeInFind('Prompt 2');
    await until(() => expect(count()).toBe('1 of 1'));
  });

  it('finds what was said since, at the end', async () => {
    const { app, backend } = await opened('long', 40);
    run(app, 'find');
    await typeInFind('delivery code');
    await until(() => expect(count()).toBe('2 of 2'));
    backend.say('s1', {
      type: 'user_message',
      text: 'New: the delivery  code',
      uuid: null,
      attachments: [],
      synthetic: false,
    });
    press(document.querySelector('[role="search"] input') as Element, 'Enter');
    await until(() => expect(count()).toBe('3 of 3'));
  });
});

describe('going through the session', () => {
  it('jumps to the prompt, error or edit before, wherever it is, and says when there is none', async () => {
    const { app } = await opened('long', 3000);
    const store = app.storeOf('s1');
    await until(() => expect(store.view.lastSeq).toBeGreaterThan(0));
    run(app, 'previous-error');
    await until(() => expect(document.activeElement?.getAttribute('aria-label')).toBe('Bash: cargo test'));
    const first = document.activeElement;
    run(app, 'previous-error');
    await until(() => {
      expect(document.activeElement).not.toBe(first);
      expect(document.activeElement?.getAttribute('aria-label')).toBe('Bash: cargo test');
    });
    run(app, 'previous-edit');
    await until(() => expect(document.activeElement?.getAttribute('aria-label')).toMatch(/^Edit: /));
    run(app, 'next-question');
    await until(() => expect(app.toasts.at(-1)?.text).toBe('No later question'));
  });

  it('has a name and a key for every act', async () => {
    const { app } = await opened('long', 40);
    const mine = acts(app).filter((act) => act.group === 'Timeline');
    expect(mine.length).toBeGreaterThan(12);
    const keys = acts(app).flatMap((act) => act.key ?? []);
    expect(new Set(keys).size).toBe(keys.length);
    expect(mine.every((act) => act.key && act.title)).toBe(true);
    // Nothing is asked of a timeline that is not there.
    app.openInbox();
    flushSync();
    expect(acts(app).find((act) => act.id === 'find')?.enabled).toBe(false);
  });
});

describe('copying as Markdown', () => {
  const copied: string[] = [];
  const clipboard = { writeText: async (text: string) => void copied.push(text) };

  it('takes the row that has the focus, or its turn', async () => {
    vi.stubGlobal('navigator', Object.assign(Object.create(navigator), { clipboard }));
    const { app } = await opened('long', 20);
    await until(() => expect(named(/^Bash: cargo test$/)).toBeDefined());
    named(/^Bash: cargo test$/)?.focus();
    run(app, 'copy-row');
    await until(() =>
      expect(copied.at(-1)).toMatch(/^\*\*Bash\*\*[^]*cargo test part_13[^]*```\nerror: part 13\n```$/),
    );
    run(app, 'copy-turn');
    await until(() => expect(copied.at(-1)).toMatch(/^> Prompt 1: look at part 0[^]*\*Turn 1 done[^*]*\*$/));
    expect(copied.at(-1)).toContain('**Read** `src/part_1.rs`');
    expect(app.toasts.at(-1)?.text).toBe('Copied as Markdown');
    vi.unstubAllGlobals();
  });
});
