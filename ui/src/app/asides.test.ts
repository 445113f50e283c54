// What happens around a conversation, in the window: questions of MCP servers, silent turns, news from the agent.
import axe from 'axe-core';
import { flushSync } from 'svelte';
import { describe, expect, it, vi } from 'vitest';
import { formQuestion } from '../dev/asides';
import { opened, until, windowPerTest } from './testing';

windowPerTest();

const card = () => document.querySelector<HTMLElement>('[role="group"][aria-label^="Question from"]');
const button = (text: string, within: ParentNode = document) =>
  [...within.querySelectorAll('button')].find((b) => b.textContent?.trim().startsWith(text)) as HTMLButtonElement;
function press(target: EventTarget, key: string): void {
  target.dispatchEvent(new KeyboardEvent('keydown', { key, bubbles: true, cancelable: true }));
  flushSync();
}

describe("an MCP server's question", () => {
  it('stands where other questions stand, and is reached by their key', async () => {
    await opened('elicitation');
    expect(card()?.getAttribute('aria-label')).toBe('Question from deploy');
    press(document.body, 'g');
    expect(document.activeElement).toBe(card());
    expect(document.querySelector('[data-session-id="s1"]')?.getAttribute('data-state')).toBe('waiting');
  });

  it('closes when the session says that it is resolved, and not before', async () => {
    const { backend } = await opened('elicitation');
    let answer = () => {};
    vi.spyOn(backend, 'answerPermission').mockImplementation(
      () => new Promise((done) => (answer = () => done(undefined))),
    );
    button('Decline', card() as HTMLElement).click();
    flushSync();
    answer();
    await Promise.resolve();
    flushSync();
    expect(card()).not.toBeNull();
    const data = { request_id: 'e-1', action: 'decline', by: 'user' };
    backend.say('s1', { type: 'notice', kind: 'elicitation_resolved', text: 'declined', data });
    flushSync();
    expect(card()).toBeNull();
  });

  it('keeps what was typed while the session streams and while another session is looked at', async () => {
    const { app, backend } = await opened('elicitation');
    const field = card()?.querySelector('input[type="text"]') as HTMLInputElement;
    field.value = 'half a thought';
    field.dispatchEvent(new InputEvent('input', { bubbles: true }));
    backend.say('s1', { type: 'message_chunk', text: 'meanwhile', message_id: 'z' });
    flushSync();
    expect(card()?.querySelector('input[type="text"]')).toBe(field);
    app.open('s2');
    flushSync();
    app.open('s1');
    await until(() => expect(card()).not.toBeNull());
    expect((card()?.querySelector('input[type="text"]') as HTMLInputElement).value).toBe('half a thought');
  });

  it('queues with permission requests, in the order they came', async () => {
    const { backend } = await opened('approval');
    backend.say('s1', formQuestion('e-9'), { waiting: 3 });
    flushSync();
    const first = document.querySelector('[data-question]');
    expect(first?.getAttribute('aria-label')).toBe('Permission request');
    expect(first?.textContent).toContain('1 of 3');
    (document.querySelector('[aria-label="Previous question"]') as HTMLElement).click();
    flushSync();
    expect(card()?.textContent).toContain('3 of 3');
  });

  it.each(['elicitation', 'address', 'silent', 'notices'])('axe finds nothing in the state %s', async (state) => {
    await opened(state);
    const rules = { 'color-contrast': { enabled: false } };
    const found = await axe.run(document.body, { rules, resultTypes: ['violations'] });
    expect(found.violations.map((one) => `${one.id}: ${one.nodes.map((node) => node.html).join(' ')}`)).toEqual([]);
  });
});

describe('a question with a limit', () => {
  it('shows what will happen, and when', async () => {
    await opened('approval');
    expect(document.querySelector('[role="timer"]')?.textContent).toMatch(/^denied and stopped in \d:\d\d$/);
  });
});

describe('a silent turn', () => {
  const row = () => document.querySelector('[data-notice="silent_turn"]') as HTMLElement;

  it('offers to interrupt', async () => {
    const { backend } = await opened('silent');
    await until(() => expect(row()).not.toBeNull());
    button('Interrupt', row()).click();
    await until(() => expect(backend.asked.some((one) => one.name === 'interrupt')).toBe(true));
  });

  it('offers to wait, and asks no more then', async () => {
    await opened('silent');
    await until(() => expect(row()).not.toBeNull());
    button('Wait', row()).click();
    await until(() => expect(button('Interrupt', row())).toBeUndefined());
    expect(row().textContent).toContain('silent');
  });

  it('offers nothing once something is heard', async () => {
    const { backend } = await opened('silent');
    backend.say('s1', { type: 'message_chunk', text: 'here', message_id: 'z' });
    await until(() => expect(row().textContent).toContain('Nothing was heard for'));
    expect(row().querySelector('button:not([aria-expanded])')).toBeNull();
  });
});

describe('news from the agent', () => {
  const news = (at: number) => ({
    type: 'notice' as const,
    kind: 'notify_user',
    text: 'It is done',
    data: { title: 'Built', message: 'It is done', level: 'info' },
    at: new Date(at).toISOString(),
  });

  it('stand in the timeline and, once, in the corner', async () => {
    const { app, backend } = await opened('working');
    backend.say('s1', news(Date.now()));
    await until(() => expect(document.querySelector('[data-notice="notify_user"]')?.textContent).toContain('Built'));
    expect(app.toasts.map((toast) => [toast.text, toast.hint, toast.tone])).toEqual([['Built', 'It is done', 'note']]);
  });

  it('of a journal that is read again are no news', async () => {
    const { app } = await opened('notices');
    expect(app.store?.view.rows.some((row) => row.kind === 'notice' && row.notice === 'notify_user')).toBe(true);
    expect(app.toasts).toEqual([]);
  });
});

it('the calm view leaves out asides and keeps what asks or warns', async () => {
  const { app } = await opened('silent');
  const shown = () => [...document.querySelectorAll('[data-notice]')].map((row) => row.getAttribute('data-notice'));
  await until(() => expect(shown()).toContain('memory_recall'));
  if (app.settings) await app.saveSettings({ ...app.settings, calm: true });
  await until(() => expect(shown()).not.toContain('memory_recall'));
  expect(shown()).toEqual(expect.arrayContaining(['silent_turn', 'session_writes_lost', 'permission_timeout']));
});
