import { flushSync } from 'svelte';
import { describe, expect, it, vi } from 'vitest';
import { ReplayBackend } from '../backend/replay';
import type { SessionInfo } from '../bindings/bindings';
import { acts } from './acts';
import { AppState } from './state.svelte';
import { opened, until, windowPerTest } from './testing';

windowPerTest();

const asked = (backend: ReplayBackend, name: string) =>
  backend.asked.filter((one) => one.name === name).map((one) => one.args);
const picker = (label: string) =>
  [...document.querySelectorAll<HTMLButtonElement>('button.pick')].find((one) =>
    one.querySelector('.pick-label')?.textContent?.includes(label),
  );
const shows = (label: string) => picker(label)?.querySelector('.pick-now')?.textContent;
const button = (text: string) =>
  [...document.querySelectorAll('button')].find((b) => b.textContent?.trim().startsWith(text));
function press(target: EventTarget, key: string): void {
  target.dispatchEvent(new KeyboardEvent('keydown', { key, bubbles: true, cancelable: true }));
  flushSync();
}
async function choose(label: string, name: string): Promise<void> {
  await until(() => {
    expect(document.querySelector('[role="menu"]')).toBeNull();
    expect(picker(label)?.disabled).toBe(false);
  });
  const trigger = picker(label) as HTMLButtonElement;
  trigger.focus();
  press(trigger, 'Enter');
  const item = await vi.waitFor(() => {
    const found = [...document.querySelectorAll<HTMLElement>('[role="menuitemradio"]')].find(
      (one) => one.querySelector('.med')?.textContent === name,
    );
    expect(found).toBeDefined();
    return found as HTMLElement;
  });
  press(item, 'Enter');
}
function change(app: AppState, backend: ReplayBackend, info: Partial<SessionInfo>): void {
  backend.say('s1', { type: 'notice', kind: 'test', text: '', data: null }, { ...app.current, ...info });
  flushSync();
}

describe('the pickers', () => {
  it('show what was confirmed while something else is asked for, and say that it is', async () => {
    const { backend } = await opened('working');
    let answer = () => {};
    backend.setPermissionMode = () => new Promise((resolve) => (answer = resolve));
    await choose('Mode', 'plan');
    await until(() => expect(picker('Mode')?.getAttribute('aria-busy')).toBe('true'));
    expect(shows('Mode')).toBe('default');
    expect(picker('Mode')?.textContent).toContain('Asked for plan');
    backend.say('s1', { type: 'mode_changed', mode: 'plan' });
    answer();
    await until(() => expect(picker('Mode')?.getAttribute('aria-busy')).toBe('false'));
    expect(shows('Mode')).toBe('plan');
  });

  it('stay as they were when the CLI refuses, and it is said why', async () => {
    const { app, backend } = await opened('working');
    backend.failing.set('setPermissionMode', { code: 'refused', message: 'auto mode is not available for this model' });
    await choose('Mode', 'acceptEdits');
    await until(() => expect(app.toasts[0]?.hint).toContain('not available for this model'));
    expect(shows('Mode')).toBe('default');
  });

  it('ask for an effort, and for the CLI’s own with the first choice', async () => {
    const { backend } = await opened('working');
    expect(shows('Effort')).toBe('high');
    await choose('Effort', 'low');
    await until(() => expect(shows('Effort')).toBe('low'));
    await choose('Effort', 'default');
    await until(() =>
      expect(asked(backend, 'setEffort')).toEqual([
        ['s1', 'low'],
        ['s1', null],
      ]),
    );
  });

  it('offer only what this version of the CLI knows', async () => {
    const { app, backend } = await opened('working');
    change(app, backend, { can: ['set_permission_mode'] });
    expect([shows('Mode'), shows('Model'), shows('Effort')]).toEqual(['default', undefined, undefined]);
    change(app, backend, { can: [] });
    expect([shows('Mode') !== undefined, shows('Model') !== undefined, shows('Effort')]).toEqual([
      true,
      true,
      undefined,
    ]);
  });
});

describe('the title', () => {
  const field = () => document.querySelector<HTMLInputElement>('input[aria-label="Title"]');
  function type(text: string): void {
    const input = field() as HTMLInputElement;
    input.value = text;
    input.dispatchEvent(new InputEvent('input', { bubbles: true }));
    flushSync();
  }
  const title = () => document.querySelector('header h1')?.textContent;

  it('is changed by F2 and Enter, also from the prompt', async () => {
    const { backend } = await opened('working');
    press(document.querySelector('textarea[aria-label="Prompt"]') as HTMLElement, 'F2');
    await until(() => expect(document.activeElement).toBe(field()));
    type('  Backoff  ');
    press(field() as HTMLElement, 'Enter');
    await until(() => expect(field()).toBeNull());
    expect(asked(backend, 'renameSession')).toEqual([['s1', 'Backoff']]);
    expect(title()).toBe('Backoff');
  });

  it('is as it was after Escape, which interrupts nothing', async () => {
    const { app, backend } = await opened('working');
    app.retitle = { suggest: false };
    await until(() => expect(field()).not.toBeNull());
    type('something else');
    press(field() as HTMLElement, 'Escape');
    press(document.body, 'Escape');
    expect([field(), title()]).toEqual([null, 'Retry failed webhook deliveries']);
    expect([asked(backend, 'renameSession'), asked(backend, 'interrupt')]).toEqual([[], []]);
  });

  it('stays what it was when the CLI refuses, and what was typed is kept', async () => {
    const { app, backend } = await opened('working');
    app.retitle = { suggest: false };
    await until(() => expect(field()).not.toBeNull());
    backend.failing.set('renameSession', { code: 'refused', message: 'too long' });
    type('A title');
    press(field() as HTMLElement, 'Enter');
    await until(() => expect(app.toasts).toHaveLength(1));
    flushSync();
    expect(field()?.value).toBe('A title');
    expect(document.querySelector('header h1')?.textContent).toBe('Retry failed webhook deliveries');
  });

  it('is proposed by the model, and Escape brings the former one back', async () => {
    const { app, backend } = await opened('working');
    app.retitle = { suggest: true };
    await until(() => expect(field()?.value).toBe('Backoff for webhook deliveries'));
    press(field() as HTMLElement, 'Enter');
    await until(() => expect(title()).toBe('Backoff for webhook deliveries'));
    expect(asked(backend, 'renameSession')).toEqual([]);
    await backend.renameSession('s1', 'Mine');
    app.retitle = { suggest: true };
    await until(() => expect(field()?.value).toBe('Backoff for webhook deliveries'));
    press(field() as HTMLElement, 'Escape');
    await until(() => expect(title()).toBe('Mine'));
  });
});

describe('queued prompts', () => {
  const queue = () => [...document.querySelectorAll('[aria-label="Queued prompts"] li')];

  it('stay when the turn is interrupted, and go with it by an act of its own', async () => {
    const { app, backend } = await opened('queue');
    expect(queue()).toHaveLength(2);
    button('Interrupt')?.click();
    await until(() => expect(asked(backend, 'interrupt')).toEqual([['s1', false]]));
    change(app, backend, { phase: 'streaming' });
    button('Interrupt and drop queue')?.click();
    await until(() => expect(asked(backend, 'interrupt')[1]).toEqual(['s1', true]));
    expect(acts(app).find((act) => act.id === 'interrupt-drop')).toMatchObject({ key: 'Mod+.' });
  });

  it('are withdrawn one by one where the interrupt leaves them', async () => {
    const { app, backend } = await opened('queue');
    backend.interrupt = () => Promise.resolve({ still_queued: ['u3'], cancelled: ['u2'] });
    await app.interrupt(true);
    expect(asked(backend, 'cancelPrompt')).toEqual([['s1', 'u3']]);
  });

  it('offers the second act only while prompts wait', async () => {
    await opened('working');
    expect(button('Interrupt')).toBeDefined();
    expect(button('Interrupt and drop queue')).toBeUndefined();
  });

  it('are taken back into the field one by one', async () => {
    const { backend } = await opened('queue');
    queue()[0]?.querySelector('button')?.click();
    await until(() => expect(queue()).toHaveLength(1));
    expect(asked(backend, 'cancelPrompt')).toEqual([['s1', 'u2']]);
    const field = document.querySelector('textarea[aria-label="Prompt"]') as HTMLTextAreaElement;
    expect(field.value).toContain('count retries in the metrics');
  });

  it('that the agent has already cannot be taken back, and it is said', async () => {
    const { app, backend } = await opened('queue');
    backend.cancelPrompt = () => Promise.resolve(false);
    queue()[0]?.querySelector('button')?.click();
    await until(() => expect(app.toasts[0]?.hint).toBe('The agent has it already.'));
  });
});

describe('tasks that run after the turn', () => {
  it('are told by count, age and tokens where the session looks at rest', async () => {
    const { app } = await opened('background');
    const live = document.querySelector('.live')?.textContent?.replace(/\s+/g, ' ');
    expect(live).toMatch(/2 tasks running.*min.*18.9k tokens/);
    button('Show tasks')?.click();
    expect(app.panel).toBe('tasks');
  });
});

describe('usage limits', () => {
  it('stay in view when another session is opened, and a rehearsal shows its own', async () => {
    const { app, backend } = await opened('working');
    const meters = () => document.querySelectorAll('nav [role="meter"]').length;
    expect(meters()).toBe(2);
    app.open('s4');
    flushSync();
    expect(meters()).toBe(2);
    backend.say('s4', { type: 'title_changed', title: 'x' }, { rehearsal: true });
    flushSync();
    expect(meters()).toBe(0);
  });
});
