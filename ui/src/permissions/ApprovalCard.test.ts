import { flushSync, mount, tick, unmount } from 'svelte';
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import type { Decision, PermissionRequest } from '../bindings/bindings';
import ApprovalCard from './ApprovalCard.svelte';

let shown: ReturnType<typeof mount>[] = [];
let decisions: Decision[] = [];
let clock = 10_000;

beforeEach(() => {
  decisions = [];
  vi.spyOn(performance, 'now').mockImplementation(() => clock);
});
afterEach(() => {
  shown.forEach((c) => void unmount(c));
  shown = [];
  document.body.replaceChildren();
  vi.restoreAllMocks();
});

let number = 0;
function ask(over: Partial<PermissionRequest> = {}, props: Record<string, unknown> = {}) {
  const command = 'rm -rf target';
  const request: PermissionRequest = {
    pending_id: `p${++number}`,
    tool_call_id: 't',
    tool_name: 'Bash',
    tool_title: command,
    action_type: 'command',
    input: { command },
    suggestions: [
      { type: 'setMode', mode: 'acceptEdits', destination: 'session' },
      { type: 'addDirectories', directories: ['/w'], destination: 'session' },
    ],
    normalized: {
      kind: 'shell_exec',
      shell_exec: { command, work_dir: null, description: null, timeout: null, background: false, output: null },
    },
    data: {
      display_name: null,
      description: null,
      decision_reason: null,
      decision_reason_type: null,
      blocked_path: null,
      agent_id: null,
      title: null,
      requires_user_interaction: false,
    },
    ...over,
  };
  return show(request, props);
}
function show(request: PermissionRequest, props: Record<string, unknown> = {}) {
  const component = mount(ApprovalCard, {
    target: document.body,
    props: {
      request,
      at: new Date().toISOString(),
      index: 0,
      total: 1,
      workspace: '/w',
      policy: 'supervised',
      parentTitle: null,
      decide: async (d: Decision) => void decisions.push(d),
      move: () => {},
      ...props,
    },
  });
  shown.push(component);
  flushSync();
  clock += 1000;
  const card = document.querySelector<HTMLElement>(`[data-pending-id="${request.pending_id}"]`) as HTMLElement;
  return { request, card, component: component as unknown as { focus(): void } };
}
const nameOf = (b: Element) =>
  b.getAttribute('aria-label') ??
  [...b.childNodes]
    .filter((n) => !(n instanceof Element && n.ariaHidden === 'true'))
    .map((n) => n.textContent)
    .join('')
    .trim();
const names = (card: Element) => [...card.querySelectorAll('button')].map(nameOf);
const button = (card: Element, name: string) =>
  [...card.querySelectorAll('button')].find((b) => nameOf(b) === name) as HTMLButtonElement;
function press(target: Element, key: string, over: KeyboardEventInit = {}) {
  const event = new KeyboardEvent('keydown', { key, bubbles: true, cancelable: true, ...over });
  target.dispatchEvent(event);
  flushSync();
  return event;
}
const plain = { behavior: 'allow', updated_input: null, suggestions: [] };

describe('an open question', () => {
  it('is a group with a button for each way to answer', () => {
    const { card } = ask();
    expect(card.getAttribute('role')).toBe('group');
    expect(card.getAttribute('aria-label')).toBe('Permission request');
    expect(names(card)).toEqual(expect.arrayContaining(['Allow', 'Deny', 'Message', 'Edit', 'Deny and stop']));
    expect(names(card).filter((n) => /this session/.test(n))).toHaveLength(2);
  });

  it.each([
    ['Allow', plain],
    ['Deny', { behavior: 'deny', message: null, interrupt: false }],
    ['Deny and stop', { behavior: 'deny', message: null, interrupt: true }],
  ])('sends on %s', async (name, expected) => {
    const { card } = ask();
    button(card, name).click();
    await tick();
    expect(decisions).toEqual([expected]);
  });

  it('takes one suggestion at a time, by its place', async () => {
    const { card } = ask();
    const second = [...card.querySelectorAll('button')].find((b) =>
      /Allow this folder/.test(b.textContent ?? ''),
    ) as HTMLButtonElement;
    second.click();
    await tick();
    expect(decisions).toEqual([{ ...plain, suggestions: [1] }]);
  });

  it.each([
    ['y', {}, plain],
    ['n', {}, { behavior: 'deny', message: null, interrupt: false }],
    ['N', { shiftKey: true }, { behavior: 'deny', message: null, interrupt: true }],
  ])('hears %s while the keyboard is in it', (key, over, expected) => {
    const { card, component } = ask();
    component.focus();
    expect(document.activeElement).toBe(card);
    press(card, key, over);
    expect(decisions).toEqual([expected]);
  });

  it('hears nothing from elsewhere, and takes no focus when it appears', () => {
    const field = document.createElement('textarea');
    document.body.append(field);
    field.focus();
    ask();
    expect(document.activeElement).toBe(field);
    for (const key of ['y', 'n', 'Enter', ' ']) press(field, key);
    for (const key of ['y', 'n', 'Enter']) press(document.body, key);
    expect(decisions).toEqual([]);
  });

  it('is not answered by Enter on the card, by a held key, or with a modifier', () => {
    const { card, component } = ask();
    component.focus();
    press(card, 'Enter');
    press(card, 'y', { repeat: true });
    press(card, 'y', { ctrlKey: true });
    press(card, 'y', { metaKey: true });
    press(card, 'Y', { shiftKey: true });
    press(card, 'y', { isComposing: true });
    expect(decisions).toEqual([]);
  });

  it('is deaf to keys for a moment when it appears under the fingers', () => {
    const { card, component } = ask();
    component.focus();
    clock -= 900;
    press(card, 'y');
    expect(decisions).toEqual([]);
    clock += 900;
    press(card, 'y');
    expect(decisions).toHaveLength(1);
  });

  it('sends one answer only, and stays until its parent takes it away', async () => {
    const { card } = ask();
    button(card, 'Allow').click();
    flushSync();
    expect(button(card, 'Deny').disabled).toBe(true);
    button(card, 'Deny').click();
    press(card, 'n');
    await tick();
    expect(decisions).toHaveLength(1);
    expect(card.isConnected).toBe(true);
  });

  it('says why an answer could not be sent, and can be answered again', async () => {
    const { card } = ask({}, { decide: () => Promise.reject({ code: 'gone', message: 'The session has ended.' }) });
    button(card, 'Allow').click();
    await tick();
    await tick();
    flushSync();
    expect(card.querySelector('[role="alert"]')?.textContent).toContain('The session has ended.');
    expect(button(card, 'Allow').disabled).toBe(false);
  });
});

describe('a message', () => {
  function typed(text: string) {
    const opened = ask();
    opened.component.focus();
    press(opened.card, 'm');
    const field = opened.card.querySelector('textarea') as HTMLTextAreaElement;
    field.value = text;
    field.dispatchEvent(new Event('input', { bubbles: true }));
    flushSync();
    return { ...opened, field };
  }
  it('goes with the denial on Enter', () => {
    const { field } = typed('use cargo clean');
    expect(document.activeElement).toBe(field);
    press(field, 'Enter');
    expect(decisions).toEqual([{ behavior: 'deny', message: 'use cargo clean', interrupt: false }]);
  });
  it('is not sent while a word is composed, when empty, or by its letters', () => {
    const { field } = typed('yes no');
    press(field, 'y');
    press(field, 'n');
    press(field, 'Enter', { isComposing: true });
    press(field, 'Enter', { shiftKey: true });
    expect(decisions).toEqual([]);
    const empty = typed('  ');
    press(empty.field, 'Enter');
    expect(decisions).toEqual([]);
  });
  it('is kept when one goes back, and when the card is drawn anew', () => {
    const { field, card, request } = typed('keep the name');
    press(field, 'Escape');
    expect(card.querySelector('textarea')).toBeNull();
    expect(document.activeElement).toBe(card);
    shown.forEach((c) => void unmount(c));
    shown = [];
    const again = show(request);
    again.component.focus();
    press(again.card, 'm');
    expect(again.card.querySelector('textarea')?.value).toBe('keep the name');
  });
});

describe('editing', () => {
  it('sends the changed command whole', () => {
    const { card, component } = ask();
    component.focus();
    press(card, 'e');
    const field = card.querySelector('textarea') as HTMLTextAreaElement;
    expect(field.value).toBe('rm -rf target');
    field.value = 'rm -rf target/debug';
    field.dispatchEvent(new Event('input', { bubbles: true }));
    flushSync();
    button(card, 'Allow').click();
    expect(decisions).toEqual([
      { behavior: 'allow', updated_input: { command: 'rm -rf target/debug' }, suggestions: [] },
    ]);
  });
});

describe('hunk by hunk', () => {
  const diff = '@@ -1 +1 @@\n-a\n+A\n@@ -3 +3 @@\n-c\n+C\n';
  const content = 'A\nb\nC\n';
  it('sends only the hunks that stay ticked, and none at all only by denying', () => {
    const { card } = ask({
      tool_name: 'Write',
      action_type: 'file_write',
      input: { file_path: '/w/x', content },
      normalized: {
        kind: 'modify_file',
        modify_file: {
          file_path: '/w/x',
          mutations: [{ type: 'replace', content, old_content: null, new_content: null, diff, start_line: 1 }],
        },
      },
    });
    const [first, second] = [...card.querySelectorAll<HTMLInputElement>('input[type=checkbox]')];
    first?.click();
    flushSync();
    expect(card.textContent?.replace(/\s+/g, ' ')).toContain('Sends 1 of 2 hunks');
    second?.click();
    flushSync();
    expect(button(card, 'Allow').disabled).toBe(true);
    second?.click();
    flushSync();
    button(card, 'Allow').click();
    expect(decisions).toEqual([
      { behavior: 'allow', updated_input: { file_path: '/w/x', content: 'a\nb\nC\n' }, suggestions: [] },
    ]);
  });
});

describe('a question', () => {
  const questions = [
    { question: 'Which?', header: 'W', multiSelect: false, options: [{ label: 'A' }, { label: 'B' }] },
    { question: 'What more?', header: 'M', multiSelect: true, options: [{ label: 'C' }, { label: 'D' }] },
  ];
  const question = () =>
    ask({
      tool_name: 'AskUserQuestion',
      action_type: 'question',
      input: { questions },
      suggestions: [],
      normalized: { kind: 'ask_user', ask_user: { questions, answers: {} } },
    });

  it('is answered whole, keyed by its text', () => {
    const { card } = question();
    const [a, , other, c, d] = [...card.querySelectorAll<HTMLInputElement>('input[type=radio], input[type=checkbox]')];
    expect(button(card, 'Answer').disabled).toBe(true);
    a?.click();
    c?.click();
    d?.click();
    flushSync();
    expect(other?.checked).toBe(false);
    button(card, 'Answer').click();
    expect(decisions).toEqual([
      {
        behavior: 'allow',
        updated_input: { questions, answers: { 'Which?': 'A', 'What more?': 'C, D' } },
        suggestions: [],
      },
    ]);
  });

  it('is answered by keys alone, with words of one’s own', () => {
    const { card, component } = question();
    component.focus();
    press(card, '5');
    press(card, '3');
    const other = document.activeElement as HTMLInputElement;
    expect(other.type).toBe('text');
    other.value = 'mine';
    other.dispatchEvent(new Event('input', { bubbles: true }));
    flushSync();
    press(other, 'y');
    expect(decisions).toEqual([]);
    press(other, 'Enter');
    expect(decisions).toEqual([
      {
        behavior: 'allow',
        updated_input: { questions, answers: { 'Which?': 'mine', 'What more?': 'D' } },
        suggestions: [],
      },
    ]);
  });

  it('is not answered by Enter while an answer is missing, nor allowed by y', () => {
    const { card, component } = question();
    component.focus();
    press(card, '1');
    press(card, 'Enter');
    press(card, 'y');
    expect(decisions).toEqual([]);
  });
});

describe('a plan', () => {
  const planned = (plan: string | null, input: unknown) =>
    ask({
      tool_name: 'ExitPlanMode',
      action_type: 'plan',
      input,
      normalized: { kind: 'show_plan', show_plan: { plan, file_path: null, approved: null, edited: null } },
    });

  it('takes comments on its passages, and sends them with the wish to keep planning', async () => {
    const text = '# Do it\n\n1. first\n2. second';
    const { card, component } = planned(text, { plan: text });
    component.focus();
    press(card, 'c');
    expect(document.activeElement?.getAttribute('aria-label')).toBe('Comment on: Do it');
    for (const [name, words] of [
      ['Comment on: 2. second', 'Not that one.'],
      ['Comment on: Do it', 'Call it otherwise.'],
    ] as const) {
      card.querySelector<HTMLButtonElement>(`button[aria-label="${name}"]`)?.click();
      await vi.waitFor(() => expect(document.activeElement?.tagName).toBe('TEXTAREA'));
      const field = card.querySelector('textarea') as HTMLTextAreaElement;
      field.value = words;
      field.dispatchEvent(new Event('input', { bubbles: true }));
      field.dispatchEvent(new KeyboardEvent('keydown', { key: 'Enter', bubbles: true, cancelable: true }));
      flushSync();
    }
    expect(decisions).toEqual([]);
    expect(card.textContent).toContain('2 comments go with “Keep planning”');
    button(card, 'Keep planning').click();
    await tick();
    expect(decisions).toEqual([
      {
        behavior: 'deny',
        interrupt: false,
        message: 'Comments on the plan:\n\n> # Do it\n\nCall it otherwise.\n\n> 2. second\n\nNot that one.',
      },
    ]);
  });

  it('keeps a comment that is being written when the card is drawn anew, and Escape gives it up', async () => {
    const { card, request } = planned('one\n\ntwo', { plan: 'one\n\ntwo' });
    card.querySelector<HTMLButtonElement>('button[aria-label="Comment on: two"]')?.click();
    await tick();
    const field = card.querySelector('textarea') as HTMLTextAreaElement;
    field.value = 'half a';
    field.dispatchEvent(new Event('input', { bubbles: true }));
    flushSync();
    shown.forEach((one) => void unmount(one));
    shown = [];
    const again = show(request).card;
    expect(again.querySelector('textarea')?.value).toBe('half a');
    again
      .querySelector('textarea')
      ?.dispatchEvent(new KeyboardEvent('keydown', { key: 'Escape', bubbles: true, cancelable: true }));
    flushSync();
    expect(again.querySelector('textarea')).toBeNull();
  });

  it('is approved, or kept planning with words', () => {
    const { card, component } = planned('# Do it\n\n1. first', { plan: '# Do it' });
    expect(names(card)).toEqual(
      expect.arrayContaining(['Approve', 'Keep planning', 'Message', 'Edit', 'Deny and stop']),
    );
    expect(card.querySelector('li')?.textContent?.trim()).toBe('first');
    component.focus();
    press(card, 'y');
    expect(decisions).toEqual([plain]);
  });

  it('without a text cannot be approved, and says why', () => {
    const { card, component } = planned(null, {});
    expect(button(card, 'Approve').disabled).toBe(true);
    component.focus();
    press(card, 'y');
    [...card.querySelectorAll('button')]
      .filter((b) => /Accept edits/.test(b.textContent ?? ''))
      .forEach((b) => b.click());
    expect(decisions).toEqual([]);
    expect(card.textContent).toContain('There is no plan text to approve');
    button(card, 'Keep planning').click();
    expect(decisions).toEqual([{ behavior: 'deny', message: null, interrupt: false }]);
  });
});

it('the keyboard goes from an answered card to the next one, and from nowhere else', async () => {
  const first = ask();
  first.component.focus();
  void unmount(shown.pop() as ReturnType<typeof mount>);
  const second = ask();
  expect(document.activeElement).toBe(second.card);
  second.card.blur();
  const field = document.createElement('input');
  document.body.append(field);
  second.component.focus();
  field.focus();
  void unmount(shown.pop() as ReturnType<typeof mount>);
  ask();
  expect(document.activeElement).toBe(field);
});

describe('what the CLI says of how it may be answered', () => {
  const data = (over: object) => ({
    data: {
      display_name: null,
      description: null,
      decision_reason: null,
      decision_reason_type: null,
      blocked_path: null,
      agent_id: null,
      title: null,
      requires_user_interaction: false,
      ...over,
    },
  });

  it('makes Deny the first choice, and lets no single key allow it', () => {
    const { card, component } = ask(data({ default_to_no: true }));
    expect(button(card, 'Deny').classList).toContain('primary');
    expect(button(card, 'Allow').classList).not.toContain('primary');
    expect(button(card, 'Allow').getAttribute('aria-keyshortcuts')).toBeNull();
    component.focus();
    press(card, 'y');
    expect(decisions).toEqual([]);
    expect(document.activeElement).toBe(button(card, 'Allow'));
    button(card, 'Allow').click();
    expect(decisions).toEqual([plain]);
  });

  it('takes away what would last, and keeps the places of the rest', async () => {
    const { card } = ask({
      ...data({ suppress_always_allow_rule: true }),
      suggestions: [
        { type: 'addRules', rules: [{ toolName: 'Bash' }], behavior: 'allow', destination: 'localSettings' },
        { type: 'setMode', mode: 'acceptEdits', destination: 'session' },
      ],
    });
    expect(card.textContent).not.toContain('Always allow');
    const mode = [...card.querySelectorAll('button')].find((b) => /Accept edits/.test(b.textContent ?? ''));
    mode?.click();
    await tick();
    expect(decisions).toEqual([{ ...plain, suggestions: [1] }]);
  });

  it.each([
    [
      { matched_ask_rule: { source: 'userSettings', tool_name: 'Bash', rule_content: 'rm:*' } },
      'Your rule in the user settings asks for it: Bash(rm:*)',
    ],
    [
      { decision_reason_type: 'rule', decision_reason_rule_source: 'projectSettings' },
      'A rule in the project settings asks',
    ],
    [
      { decision_reason_type: 'hook', decision_reason: 'no', decision_reason_hook_event: 'PreToolUse' },
      'A PreToolUse hook asks: no',
    ],
    [{ decision_reason: '\u001b[31mred\u001b[0m words' }, 'Why red words'],
    [{ agent_id: 'a17' }, 'A subagent of this session a17'],
    [{ requires_user_interaction: true }, 'No rule may answer it for you'],
  ])('is told: %#', (over, words) => {
    const { card } = ask(data(over), { policy: 'rules' });
    expect(card.textContent?.replace(/\s+/g, ' ')).toContain(words);
  });

  it('shows a request in an unknown shape as it came, and lets it be answered', async () => {
    const { card } = ask({
      tool_name: '',
      tool_title: '',
      action_type: 'other',
      input: ['launch', { at: 'dawn' }],
      normalized: { kind: 'generic', generic: { name: '', input: ['launch', { at: 'dawn' }], output: null } },
    });
    expect(card.textContent).toContain('a shape that this version does not know');
    expect(card.textContent).toContain('dawn');
    button(card, 'Allow').click();
    await tick();
    expect(decisions).toEqual([plain]);
  });
});

describe('a limit of time', () => {
  it('is counted down, and says what happens at its end', () => {
    const at = new Date(Date.now() - 30_500).toISOString();
    const { card } = ask({}, { at, timeout: 120 });
    expect(card.querySelector('[role="timer"]')?.textContent).toBe('denied and stopped in 1:30');
  });

  it('is not there where the session has none', () => {
    expect(ask().card.querySelector('[role="timer"]')).toBeNull();
  });
});

it('while the text is changed each button shows the key that works then', () => {
  const { card } = ask();
  button(card, 'Edit').click();
  flushSync();
  expect(button(card, 'Allow').getAttribute('aria-keyshortcuts')).toBe('Ctrl+Enter');
  expect(button(card, 'Edit').getAttribute('aria-keyshortcuts')).toBe('Esc');
  for (const name of ['Deny', 'Message', 'Deny and stop'])
    expect(button(card, name).getAttribute('aria-keyshortcuts')).toBeNull();
  clock += 1000;
  press(card, 'y');
  expect(decisions).toEqual([]);
  press(card.querySelector('textarea') as HTMLElement, 'Enter', { ctrlKey: true });
  expect(decisions).toEqual([plain]);
});
