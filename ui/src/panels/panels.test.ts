import axe from 'axe-core';
import { flushSync, mount, unmount } from 'svelte';
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import App from '../app/App.svelte';
import { AppState, type PanelName } from '../app/state.svelte';
import { ReplayBackend } from '../backend/replay';
import { stageFor } from '../dev/stages';
import { partsOf, share } from './parts';

/** jsdom lays nothing out; the window only needs these to exist. */
let narrow = false;
beforeEach(() => {
  localStorage.clear();
  sessionStorage.clear();
  narrow = false;
  vi.stubGlobal(
    'ResizeObserver',
    class {
      observe(): void {}
      unobserve(): void {}
      disconnect(): void {}
    },
  );
  vi.stubGlobal('matchMedia', (query: string) => ({
    get matches() {
      return narrow && query.includes('max-width');
    },
    addEventListener() {},
    removeEventListener() {},
  }));
  Element.prototype.scrollIntoView = () => undefined;
});

const until = (check: () => void) => vi.waitFor(check, { timeout: 20_000 });
let running: ReturnType<typeof mount> | null = null;
afterEach(() => {
  if (running) void unmount(running);
  running = null;
  document.body.replaceChildren();
});

async function opened(state: string, panel: PanelName, rows = 0) {
  const backend = new ReplayBackend(stageFor(state, rows));
  const app = new AppState(backend);
  app.panel = panel;
  running = mount(App, { target: document.body, props: { app } });
  await until(() => expect(app.place).not.toBe('loading'));
  await until(() => expect(app.cli).not.toBeNull());
  flushSync();
  return { app, backend };
}
const body = () => document.querySelector('[role="tabpanel"]') as HTMLElement;
const asked = (backend: ReplayBackend, name: string) => backend.asked.filter((one) => one.name === name);
const button = (text: string, within: ParentNode = document) =>
  [...within.querySelectorAll('button')].find((b) => (b.ariaLabel ?? b.textContent?.trim())?.startsWith(text));
const task = (id: string) => document.querySelector(`[data-task-id="${id}"]`) as HTMLElement;
const options = () => [...body().querySelectorAll<HTMLElement>('[role="option"]')];

describe('the context panel', () => {
  it('asks when it is opened and after each turn, and not in between', async () => {
    const { app, backend } = await opened('working', 'todos');
    expect(asked(backend, 'contextUsage')).toHaveLength(0);
    app.panel = 'context';
    await until(() => expect(body().textContent).toContain('System prompt'));
    backend.say('s1', { type: 'message_chunk', text: 'x', message_id: 'z' });
    flushSync();
    expect(asked(backend, 'contextUsage')).toHaveLength(1);
    const data = { cost_usd: 0.1, total_cost_usd: 0.7, input_tokens: 1, output_tokens: 1 };
    backend.say('s1', { type: 'complete', data } as never);
    flushSync();
    expect(asked(backend, 'contextUsage')).toHaveLength(2);
    expect(asked(backend, 'usage')).toHaveLength(2);
  });

  it('asks for nothing while its drawer is closed', async () => {
    narrow = true;
    const { backend } = await opened('working', 'context');
    expect(asked(backend, 'contextUsage')).toHaveLength(0);
  });

  it('asks a CLI only for what it knows, and shows what the events told', async () => {
    const { app, backend } = await opened('working', 'context');
    backend.asked.length = 0;
    const info = app.sessions.find((one) => one.id === 's1');
    backend.say('s1', { type: 'title_changed', title: 't' }, { ...info, can: [] });
    app.panel = 'todos';
    flushSync();
    app.panel = 'context';
    flushSync();
    expect(asked(backend, 'contextUsage')).toHaveLength(0);
    expect(body().textContent).toContain('62.4k of 200k');
  });

  it('keeps the last answer and says why there is no newer one', async () => {
    const { backend } = await opened('working', 'context');
    await until(() => expect(body().textContent).toContain('System prompt'));
    backend.failing.set('contextUsage', { code: 'no_answer', message: 'no answer within 30 s' });
    button('Read again', body())?.click();
    await until(() => expect(body().textContent).toContain('no answer within 30 s'));
    expect(body().textContent).toContain('System prompt');
  });

  it('shows what each model cost and when the limits reset', async () => {
    await opened('working', 'context');
    await until(() => expect(body().textContent).toContain('claude-haiku-4-5'));
    expect(body().textContent).toContain('under $0.01');
    expect(body().textContent).toMatch(/7 d, Opus\s*91 %\s*resets in 2 d 2\d h/);
  });

  it('puts into the bar only what stands in the window', () => {
    const category = (name: string, tokens: number, kind: string) => ({
      id: name,
      name,
      tokens,
      kind,
      deferred: kind === 'deferred',
    });
    const usage = {
      categories: [
        category('prompt', 20, 'used'),
        category('later (deferred)', 50, 'deferred'),
        category('none', 0, 'used'),
        category('free_space', 80, 'free'),
      ],
      total_tokens: 20,
      max_tokens: 100,
      percentage: 20,
      model: '',
      memory_files: [],
      mcp_tools: [],
    };
    const parts = partsOf(usage);
    expect(parts.used.map((one) => [one.name, one.percent])).toEqual([['prompt', 20]]);
    expect([parts.free?.percent, parts.deferred.map((one) => one.name)]).toEqual([80, ['later']]);
    expect(partsOf({ ...usage, max_tokens: 0 }).used[0]?.percent).toBe(0);
    expect([0, 0.01, 1.62, 17.04].map(share)).toEqual(['0.0 %', '< 0.1 %', '1.6 %', '17 %']);
  });
});

describe('the tasks panel', () => {
  it('shows what runs first, with its figures, and what a subagent did last', async () => {
    await opened('tasks', 'tasks');
    const ids = [...document.querySelectorAll<HTMLElement>('[data-task-id]')].map((one) => one.dataset.taskId);
    expect(ids).toEqual(['f3', 'a2', 'b2', 'm4', 'a1']);
    expect(task('a2').textContent).toMatch(/7 tool uses\s*18.9k tokens/);
    expect(task('a2').textContent).toContain('src/store/jobs.rs');
    expect(task('m4').textContent).toContain('failed');
  });

  it('stops a task, and shows it stopped when the CLI says so', async () => {
    const { backend } = await opened('tasks', 'tasks');
    expect(task('a2').dataset.status).toBe('running');
    button('Stop', task('a2'))?.click();
    await until(() => expect(task('a2').dataset.status).toBe('stopped'));
    expect(asked(backend, 'stopTask')[0]?.args).toEqual(['s1', 'a2']);
    expect(button('Stop', task('m4'))).toBeUndefined();
  });

  it('says why a task was not stopped and goes on showing it', async () => {
    const { app, backend } = await opened('tasks', 'tasks');
    backend.failing.set('stopTask', { code: 'no_answer', message: 'no answer within 30 s' });
    button('Stop', task('a2'))?.click();
    await until(() => expect(app.toasts.map((one) => one.hint)).toEqual(['no answer within 30 s']));
    expect(task('a2').dataset.status).toBe('running');
  });

  it('offers the background to a call that the turn waits for, alone', async () => {
    const { backend } = await opened('tasks', 'tasks');
    expect(button('To background', task('a2'))).toBeUndefined();
    button('To background', task('f3'))?.click();
    await until(() => expect(asked(backend, 'backgroundTasks')[0]?.args).toEqual(['s1', 'toolu_24']));
  });

  it('shows the end of what a running command prints while somebody looks', async () => {
    vi.useFakeTimers({ toFake: ['setInterval', 'clearInterval'] });
    try {
      const { app, backend } = await opened('tasks', 'tasks');
      await until(() => expect(task('f3').textContent).toContain('running 61 tests'));
      const asks = () => asked(backend, 'toolOutput').length;
      const before = asks();
      await vi.advanceTimersByTimeAsync(4100);
      expect(asks()).toBeGreaterThan(before);
      app.panel = 'todos';
      flushSync();
      const left = asks();
      await vi.advanceTimersByTimeAsync(20_000);
      expect(asks()).toBe(left);
    } finally {
      vi.useRealTimers();
    }
  });

  it('reads the output of what is over when somebody asks, and not again', async () => {
    vi.useFakeTimers({ toFake: ['setInterval', 'clearInterval'] });
    try {
      const { backend } = await opened('tasks', 'tasks');
      const asks = () =>
        asked(backend, 'toolOutput').filter((one) => (one.args[1] as { task_id?: string }).task_id === 'm4').length;
      expect(asks()).toBe(0);
      button('Output', task('m4'))?.click();
      await until(() => expect(task('m4').textContent).toContain('already exists'));
      await vi.advanceTimersByTimeAsync(20_000);
      expect(asks()).toBe(1);
    } finally {
      vi.useRealTimers();
    }
  });

  it('has the words of a report alone, which is Markdown, and what else was said as it was', async () => {
    const { backend } = await opened('tasks', 'tasks');
    for (const [id, summary_is_report] of [
      ['r1', true],
      ['r2', false],
    ] as const) {
      const fields = { task_id: id, run_id: id, description: `Task ${id}`, task_type: 'local_agent' };
      backend.say('s1', { type: 'task_started', ...fields });
      const said = { status: 'completed', summary: 'All of `a.rs` is **fine**.', summary_is_report };
      backend.say('s1', { type: 'task_notification', ...fields, ...said });
    }
    await until(() => expect(task('r1').textContent).toContain('All of a.rs is fine.'));
    expect(task('r2').textContent).toContain('All of `a.rs` is **fine**.');
  });

  it('folds what is over beyond a few, and says how many failed', async () => {
    const { backend } = await opened('tasks', 'tasks');
    for (let n = 0; n < 130; n++) {
      const fields = { task_id: `x${n}`, run_id: `x${n}`, description: `Task ${n}`, task_type: 'local_bash' };
      backend.say('s1', { type: 'task_started', ...fields });
      backend.say('s1', { type: 'task_notification', ...fields, status: n % 2 ? 'failed' : 'completed' });
    }
    flushSync();
    const over = () => body().querySelectorAll('[data-task-id]').length - 3;
    await until(() => expect(body().textContent).toMatch(/13\d over\s*6\d failed/));
    expect(over()).toBe(5);
    button('100 more', body())?.click();
    flushSync();
    expect(over()).toBe(105);
  });
});

describe('the todos panel', () => {
  it('says who works on what, since when, and what it waits for', async () => {
    const { backend } = await opened('working', 'todos');
    const todo = (id: string, status: string, more: object = {}) => ({
      id,
      description: `Step ${id}`,
      status,
      active_form: `Doing step ${id}`,
      ...more,
    });
    const items = [
      todo('1', 'completed'),
      todo('2', 'in_progress', { owner: 'reviewer' }),
      todo('3', 'pending', { blocked_by: ['1', '2'] }),
    ];
    backend.say('s1', { type: 'todos', items });
    await until(() => expect(body().textContent).toContain('1 of 3 done'));
    const rows = [...body().querySelectorAll('li')].map((row) => row.textContent?.replace(/\s+/g, ' ').trim());
    expect(rows[1]).toMatch(/^Doing step 2 ?reviewer ?(now|\d s)$/);
    expect(rows[2]).toMatch(/^Step 3 ?waits for Step 2$/);
    expect(document.querySelector('.live')?.textContent).toMatch(/1 of 3/);
    backend.say('s1', { type: 'todos', items: items.map((item) => ({ ...item, status: 'completed' })) });
    await until(() => expect(body().textContent).toContain('All 3 done'));
    expect(document.querySelector('.live')?.textContent).not.toMatch(/of 3/);
  });
});

describe('the inspector', () => {
  const pick = (text: string) => options().find((one) => one.textContent?.includes(text));

  it('shows an event and the line that made it', async () => {
    await opened('approval', 'inspector');
    await until(() => expect(pick('permission_request')).toBeDefined());
    pick('permission_request')?.click();
    flushSync();
    const titles = [...body().querySelectorAll('h3')].map((one) => one.textContent?.trim().replace(/\s+/g, ' '));
    expect(titles[0]).toMatch(/^Event \d+, permission_request$/);
    expect(titles[1]).toMatch(/^Line from the CLI \d+$/);
  });

  it('shows lines without an event too, and finds them by direction and word', async () => {
    await opened('working', 'inspector');
    button('Raw lines', body())?.click();
    flushSync();
    await until(() => expect(body().textContent).toMatch(/\d+ lines/));
    button('err', body())?.click();
    flushSync();
    expect(options().map((one) => one.textContent?.replace(/\s+/g, ' '))).toHaveLength(1);
    expect(options()[0]?.textContent).toContain('no event');
    options()[0]?.click();
    flushSync();
    expect(body().textContent).toContain('No event was made from it');
    const field = body().querySelector('input') as HTMLInputElement;
    field.value = 'no such word';
    field.dispatchEvent(new InputEvent('input', { bubbles: true }));
    await until(() => expect(options()).toHaveLength(0));
  });

  it('is walked by keys', async () => {
    await opened('working', 'inspector');
    await until(() => expect(options().length).toBeGreaterThan(0));
    const list = body().querySelector('[role="listbox"]') as HTMLElement;
    const press = (key: string) => {
      list.dispatchEvent(new KeyboardEvent('keydown', { key, bubbles: true, cancelable: true }));
      flushSync();
    };
    press('Home');
    press('ArrowDown');
    const at = options().find((one) => one.ariaSelected === 'true');
    expect(at?.getAttribute('aria-posinset')).toBe('2');
    expect(list.getAttribute('aria-activedescendant')).toBe(at?.id);
  });

  it('has few of a hundred thousand lines in the DOM', async () => {
    const { backend } = await opened('working', 'inspector', 60_000);
    button('Raw lines', body())?.click();
    flushSync();
    await until(() => expect(body().textContent).toMatch(/1\d\d.\d\d\d lines/));
    expect(options().length).toBeGreaterThan(5);
    expect(options().length).toBeLessThan(60);
    expect(asked(backend, 'rawLines').every((one) => Number(one.args[2]) <= 500)).toBe(true);
  });

  it('reads no lines while nobody looks', async () => {
    narrow = true;
    const { app, backend } = await opened('working', 'inspector');
    expect(asked(backend, 'rawLines')).toHaveLength(0);
    app.drawer = true;
    flushSync();
    await until(() => expect(asked(backend, 'rawLines').length).toBeGreaterThan(0));
  });

  it('says what a report holds before it is saved, and where it is afterwards', async () => {
    const { app, backend } = await opened('working', 'changes');
    app.showReport();
    flushSync();
    expect(document.querySelector('[role="group"][aria-label="Save a report"]')?.textContent).toContain('prompts');
    expect(asked(backend, 'saveReport')).toHaveLength(0);
    button('Save', document.querySelector('[aria-label="Save a report"]') as HTMLElement)?.click();
    await until(() => expect(app.toasts[0]).toMatchObject({ hint: '/home/dev/kandev-report.zip', tone: 'done' }));
  });
});

describe('axe', () => {
  // Colours need a layout, and jsdom has none.
  const rules = { 'color-contrast': { enabled: false } };
  const faults = async () => {
    const found = await axe.run(document.body, { rules, resultTypes: ['violations'] });
    return found.violations.map((one) => `${one.id}: ${one.nodes.map((node) => node.html).join(' ')}`);
  };

  it.each([
    ['context', 'queue'],
    ['tasks', 'tasks'],
    ['inspector', 'background'],
  ] as const)('finds nothing in the panel %s', async (panel, state) => {
    const { app } = await opened(state, panel);
    if (panel === 'context') await until(() => expect(body().textContent).toContain('System prompt'));
    if (panel === 'tasks') button('Output', task('m4'))?.click();
    if (panel === 'inspector') {
      app.showReport();
      await until(() => expect(options().length).toBeGreaterThan(0));
      options()[0]?.click();
    }
    app.retitle = { suggest: false };
    await until(() => expect(document.querySelector('input[aria-label="Title"]')).not.toBeNull());
    flushSync();
    expect(await faults()).toEqual([]);
  });
});
