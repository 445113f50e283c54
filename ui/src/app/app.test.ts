import axe from 'axe-core';
import { flushSync } from 'svelte';
import { describe, expect, it } from 'vitest';
import { ReplayBackend } from '../backend/replay';
import { stageFor } from '../dev/stages';
import { acts, isKey, keyText } from './acts';
import { marks, matches } from './match';
import { AppState } from './state.svelte';
import { close, opened, until, windowPerTest } from './testing';

windowPerTest();

const byName = (role: string, name: string) => document.querySelector<HTMLElement>(`${role}[aria-label="${name}"]`);
const button = (text: string) =>
  [...document.querySelectorAll('button')].find((b) => b.textContent?.trim().startsWith(text));
function type(text: string): HTMLTextAreaElement {
  const field = byName('textarea', 'Prompt') as HTMLTextAreaElement;
  field.value = text;
  field.dispatchEvent(new InputEvent('input', { bubbles: true }));
  flushSync();
  return field;
}
function press(target: EventTarget, key: string, change: KeyboardEventInit = {}): void {
  target.dispatchEvent(new KeyboardEvent('keydown', { key, bubbles: true, cancelable: true, ...change }));
  flushSync();
}

describe('the window', () => {
  it('has the names that scripts and assistive technology rely on', async () => {
    await opened('working');
    expect(byName('nav', 'Sessions')).not.toBeNull();
    expect(byName('[role="feed"]', 'Timeline')).not.toBeNull();
    expect(byName('textarea', 'Prompt')).not.toBeNull();
    expect([...document.querySelectorAll('[role="tab"]')].map((tab) => tab.firstChild?.textContent)).toEqual([
      'Changes',
      'Todos',
      'Tasks',
      'Context',
      'Inspector',
    ]);
    for (const name of ['Command palette', 'Settings']) expect(byName('button', name)).not.toBeNull();
    for (const text of ['New session', 'Send', 'Interrupt']) expect(button(text)).toBeDefined();
    expect(document.querySelectorAll('nav [data-state]').length).toBeGreaterThan(0);
  });

  it('sends on Enter, empties the field, and keeps the line break of Shift+Enter', async () => {
    const { backend } = await opened('working');
    const field = type('do it');
    press(field, 'Enter', { shiftKey: true });
    expect(backend.asked.some((one) => one.name === 'sendPrompt')).toBe(false);
    press(field, 'Enter');
    await until(() =>
      expect(backend.asked.find((one) => one.name === 'sendPrompt')?.args).toEqual(['s1', 'do it', []]),
    );
    expect(field.value).toBe('');
  });

  it('does not send while an input method composes', async () => {
    const { backend } = await opened('working');
    const field = type('かな');
    press(field, 'Enter', { isComposing: true });
    press(field, 'Enter', { keyCode: 229 });
    expect(backend.asked.some((one) => one.name === 'sendPrompt')).toBe(false);
    expect(field.value).toBe('かな');
  });

  it('gives the prompt back when it could not be sent, and says why', async () => {
    const { app, backend } = await opened('working');
    backend.failing.set('sendPrompt', { code: 'gone', message: 'the process is gone' });
    press(type('precious words'), 'Enter');
    await until(() => expect(app.toasts).toHaveLength(1));
    flushSync();
    expect((byName('textarea', 'Prompt') as HTMLTextAreaElement).value).toBe('precious words');
    expect(document.querySelector('[role="alert"]')?.textContent).toContain('the process is gone');
  });

  it('gives back a prompt that the session returned, once', async () => {
    const { backend } = await opened('working');
    backend.say('s1', { type: 'notice', kind: 'prompt_returned', text: '', data: { text: 'come back' } });
    flushSync();
    const field = byName('textarea', 'Prompt') as HTMLTextAreaElement;
    expect(field.value).toBe('come back');
    type('');
    backend.say('s1', { type: 'message_chunk', text: 'x', message_id: 'z' });
    flushSync();
    expect(field.value).toBe('');
  });

  it('keeps a draft for each session', async () => {
    const { app } = await opened('working');
    type('half a thought');
    app.open('s2');
    flushSync();
    expect((byName('textarea', 'Prompt') as HTMLTextAreaElement).value).toBe('');
    app.open('s1');
    flushSync();
    expect((byName('textarea', 'Prompt') as HTMLTextAreaElement).value).toBe('half a thought');
  });

  it('interrupts on Escape twice, not on Escape once', async () => {
    const { backend } = await opened('working');
    press(document.body, 'Escape');
    expect(backend.asked.some((one) => one.name === 'interrupt')).toBe(false);
    press(document.body, 'Escape');
    await until(() => expect(backend.asked.some((one) => one.name === 'interrupt')).toBe(true));
  });

  it('says nothing twice where the CLI did not answer the interrupt', async () => {
    const { app, backend } = await opened('working');
    backend.failing.set('interrupt', { code: 'no_answer', message: 'the CLI did not answer interrupt within 10 s' });
    await app.interrupt();
    expect(app.toasts).toEqual([]);
    backend.failing.set('interrupt', { code: 'session_closed', message: 'the session is closed' });
    await app.interrupt();
    expect(app.toasts.map((one) => one.text)).toEqual(['The turn was not interrupted']);
  });

  it('shows the open question and takes it away when the backend says that it is resolved', async () => {
    const { app, backend } = await opened('approval');
    expect(byName('[role="group"]', 'Permission request')).not.toBeNull();
    for (const id of ['p-2', 'p-3'])
      await app.answer('s1', id, { behavior: 'allow', updated_input: null, suggestions: [] });
    flushSync();
    expect(byName('[role="group"]', 'Permission request')).toBeNull();
    expect(backend.asked.filter((one) => one.name === 'answerPermission')).toHaveLength(2);
  });

  it('gives the focus to the question that somebody goes for, and to no other', async () => {
    await opened('approval');
    const card = () => byName('[role="group"]', 'Permission request');
    expect(card()?.contains(document.activeElement)).toBe(false);
    press(document.body, 'g');
    expect(document.activeElement).toBe(card());
    for (const id of ['s2', 's1']) {
      const row = document.querySelector<HTMLElement>(`[data-session-id="${id}"]`);
      row?.focus();
      row?.click();
      flushSync();
    }
    await until(() => expect(card()).not.toBeNull());
    expect(document.activeElement).not.toBe(card());
  });

  it('keeps the question open when the answer was not delivered', async () => {
    const { app, backend } = await opened('approval');
    backend.failing.set('answerPermission', { code: 'closed', message: 'the pipe is closed' });
    await expect(
      app.answer('s1', 'p-2', { behavior: 'allow', updated_input: null, suggestions: [] }),
    ).rejects.toThrow();
    flushSync();
    expect(byName('[role="group"]', 'Permission request')).not.toBeNull();
    expect(app.toasts).toHaveLength(1);
  });

  it('leads to the setup when no CLI was found', async () => {
    const { app } = await opened('nocli');
    await until(() => expect(app.place).toBe('setup'));
    flushSync();
    expect(document.querySelector('h2')?.textContent).toContain('Claude Code was not found');
    expect(button('Try a rehearsal session')).toBeDefined();
  });

  it('starts a session with what was chosen, and gives it the first prompt', async () => {
    const { backend } = await opened('empty');
    (document.querySelector('[data-policy="autonomous"]') as HTMLElement).click();
    flushSync();
    expect(document.body.textContent).toContain('without asking. Use it where nothing can be lost');
    press(type('begin'), 'Enter');
    await until(() => expect(backend.asked.some((one) => one.name === 'startSession')).toBe(true));
    const [request, first] = backend.asked.find((one) => one.name === 'startSession')?.args ?? [];
    expect(first).toEqual({ text: 'begin', images: [] });
    expect(request).toMatchObject({
      workspace: '/home/dev/code/ferry',
      policy: 'autonomous',
      permission_mode: null,
    });
  });

  it('has only the rows on screen in the DOM', async () => {
    await opened('working', 3000);
    const rows = [...document.querySelectorAll('[role="feed"] > article')];
    expect(rows.length).toBeGreaterThan(5);
    expect(rows.length).toBeLessThan(80);
    // How many there are before them is not known until they are read.
    expect(rows[0]?.getAttribute('aria-setsize')).toBe('-1');
  });

  it('goes back to the session that was open when the page is loaded again', async () => {
    const first = await opened('working');
    first.app.open('s2');
    close();
    const again = await opened('working');
    expect(again.app.selected).toBe('s2');
  });

  it('goes back to its own session, whatever another window has opened since', async () => {
    const first = await opened('working');
    first.app.open('s2');
    close();
    localStorage.setItem('kandev.selected', JSON.stringify('s4'));
    const again = await opened('working');
    expect(again.app.selected).toBe('s2');
  });

  it('offers to send the prompt of a failed turn again, with its images', async () => {
    const { app, backend } = await opened('working');
    app.open('s2');
    const image = { kind: 'image', media_type: 'image/png', url: null, data: 'aGk=' };
    backend.say('s2', { type: 'user_message', text: 'try', uuid: null, attachments: [image], synthetic: false });
    backend.say('s2', {
      type: 'complete',
      data: {
        cost_usd: null,
        total_cost_usd: null,
        duration_ms: 10,
        duration_api_ms: null,
        num_turns: 1,
        input_tokens: null,
        output_tokens: null,
        subtype: 'success',
        is_error: true,
        terminal_reason: null,
        last_message_uuid: null,
        permission_denials: [],
      },
    });
    backend.say('s2', { type: 'error', error: 'overloaded', data: { code: 'server_error' } });
    await until(() => expect(button('Send the prompt again')).toBeDefined());
    button('Send the prompt again')?.click();
    await until(() =>
      expect(backend.asked.find((one) => one.name === 'sendPrompt')?.args).toEqual([
        's2',
        'try',
        [{ media_type: 'image/png', data: 'aGk=' }],
      ]),
    );
  });

  it('marks a session that finished unseen', async () => {
    const { app, backend } = await opened('working');
    backend.say('s5', { type: 'session_state', state: 'idle' }, { phase: 'idle' });
    flushSync();
    expect(document.querySelector('[data-session-id="s5"]')?.hasAttribute('data-unread')).toBe(true);
    app.open('s5');
    flushSync();
    expect(document.querySelector('[data-session-id="s5"]')?.hasAttribute('data-unread')).toBe(false);
  });

  it('reads on from the last event when a session is opened again', async () => {
    const { app, backend } = await opened('working');
    const last = app.storeOf('s1').view.lastSeq;
    app.open('s2');
    app.open('s1');
    await until(() => expect(backend.asked.filter((one) => one.name === 'watch').at(-1)?.args).toEqual(['s1', last]));
  });
});

describe('axe', () => {
  // Colours need a layout, and jsdom has none.
  const rules = { 'color-contrast': { enabled: false } };

  it.each(['working', 'approval', 'question', 'plan', 'failed', 'empty', 'nocli'])(
    'finds nothing in the state %s',
    async (state) => {
      await opened(state);
      const found = await axe.run(document.body, { rules, resultTypes: ['violations'] });
      expect(found.violations.map((one) => `${one.id}: ${one.nodes.map((node) => node.html).join(' ')}`)).toEqual([]);
    },
  );

  it('finds nothing where there is more before what is loaded, and apart from the end', async () => {
    const { app } = await opened('working', 3000);
    await until(() => expect(document.querySelector('[data-edge]')).not.toBeNull());
    app.openAt('s1', 900);
    await until(() => expect(document.querySelectorAll('[data-edge]')).toHaveLength(2));
    const found = await axe.run(document.body, { rules, resultTypes: ['violations'] });
    expect(found.violations.map((one) => `${one.id}: ${one.nodes.map((node) => node.html).join(' ')}`)).toEqual([]);
  });

  it.each(['palette', 'settings', 'keys'] as const)('finds nothing in the dialog %s', async (dialog) => {
    const { app } = await opened('working');
    app.dialog = dialog;
    await until(() => expect(document.querySelector('[role="dialog"]')).not.toBeNull());
    const found = await axe.run(document.body, { rules, resultTypes: ['violations'] });
    expect(found.violations.map((one) => `${one.id}: ${one.nodes.map((node) => node.html).join(' ')}`)).toEqual([]);
  });
});

describe('acts', () => {
  it('have keys that no other act has', () => {
    const keys = acts(new AppState(new ReplayBackend(stageFor('working', 0)))).flatMap((act) => act.key ?? []);
    expect(new Set(keys).size).toBe(keys.length);
  });

  it('take Command for Ctrl on a Mac', () => {
    const event = new KeyboardEvent('keydown', { key: 'k', ctrlKey: true });
    expect([isKey(event, 'Mod+K', false), isKey(event, 'Mod+K', true)]).toEqual([true, false]);
    expect(keyText('Mod+K', 'Cmd')).toBe('Cmd+K');
  });
});

describe('finding', () => {
  it('wants every word, in any order', () => {
    expect(matches('Retry failed webhooks', 'web retry')).toBe(true);
    expect(matches('Retry failed webhooks', 'web retries')).toBe(false);
  });

  it('marks what was looked for and keeps the text whole', () => {
    expect(
      marks('Name the retry', 're na')
        .filter((p) => p.hit)
        .map((p) => p.text),
    ).toEqual(['Na', 're']);
    expect(
      marks('Name the retry', 're na')
        .map((p) => p.text)
        .join(''),
    ).toBe('Name the retry');
  });
});
