import { flushSync, mount, tick, unmount } from 'svelte';
import { afterEach, beforeEach, expect, it, vi } from 'vitest';
import type { Decision } from '../bindings/bindings';
import { readElicitation, type Elicitation } from '../session/elicitation';
import SurroundedElicitation from './testing/SurroundedElicitation.svelte';

let shown: ReturnType<typeof mount>[] = [];
let decisions: Decision[] = [];
let opened: string[] = [];
let clock = 10_000;

beforeEach(() => {
  decisions = [];
  opened = [];
  vi.spyOn(performance, 'now').mockImplementation(() => clock);
});
afterEach(() => {
  clear();
  vi.restoreAllMocks();
  vi.useRealTimers();
});
function clear() {
  shown.forEach((c) => void unmount(c));
  shown = [];
  document.body.replaceChildren();
}

let number = 0;
const schema = {
  type: 'object',
  properties: {
    colour: { type: 'string', title: 'Colour', enum: ['red', 'blue'] },
    count: { type: 'integer', minimum: 1, maximum: 9, description: 'How many boats' },
    note: { type: 'string' },
    sure: { type: 'boolean', default: true },
  },
  required: ['colour', 'count'],
};
function elicitation(data: Record<string, unknown> = {}): Elicitation {
  const whole = {
    request_id: `e${++number}`,
    mcp_server_name: 'harbour',
    mode: 'form',
    requested_schema: schema,
    ...data,
  };
  return readElicitation('Which colour?', whole) as Elicitation;
}
function show(one: Elicitation, props: Record<string, unknown> = {}) {
  const component = mount(SurroundedElicitation, {
    target: document.body,
    props: {
      elicitation: one,
      at: new Date().toISOString(),
      index: 0,
      total: 1,
      parentTitle: null,
      timeout: null,
      decide: async (d: Decision) => void decisions.push(d),
      move: () => {},
      openUrl: (url: string) => void opened.push(url),
      ...props,
    },
  });
  shown.push(component);
  flushSync();
  clock += 1000;
  return document.querySelector<HTMLElement>(`[data-pending-id="${one.request_id}"]`) as HTMLElement;
}
const button = (card: Element, name: string) =>
  [...card.querySelectorAll('button')].find((b) => b.textContent?.trim().startsWith(name)) as HTMLButtonElement;
function labelled(card: Element, name: string): HTMLInputElement {
  const label = [...card.querySelectorAll('label')].find((l) => l.textContent?.trim().startsWith(name));
  return (label?.querySelector('input') ??
    document.getElementById(label?.getAttribute('for') ?? '')) as HTMLInputElement;
}
function type(field: HTMLInputElement | HTMLTextAreaElement, text: string) {
  field.value = text;
  field.dispatchEvent(new InputEvent('input', { bubbles: true }));
  flushSync();
}
function press(target: Element, key: string, over: KeyboardEventInit = {}) {
  target.dispatchEvent(new KeyboardEvent('keydown', { key, bubbles: true, cancelable: true, ...over }));
  flushSync();
}

it('is a group that names its server, with a button for each way to answer', () => {
  const card = show(elicitation());
  expect([card.getAttribute('role'), card.getAttribute('aria-label')]).toEqual(['group', 'Question from harbour']);
  const words = [...card.querySelectorAll('footer button')].map((b) => b.textContent?.trim().split(/\s/)[0]);
  expect(words).toEqual(['Accept', 'Decline', 'Cancel']);
  expect(card.textContent).toContain('Which colour?');
});

it('sends what was put in, and stays until it is taken away', async () => {
  const card = show(elicitation());
  labelled(card, 'blue').click();
  type(labelled(card, 'count'), '3');
  button(card, 'Accept').click();
  await tick();
  expect(decisions).toEqual([
    { behavior: 'allow', updated_input: { colour: 'blue', count: 3, sure: true }, suggestions: [] },
  ]);
  expect(card.isConnected).toBe(true);
});

it.each([
  ['Decline', { behavior: 'deny', message: null, interrupt: false }],
  ['Cancel', { behavior: 'deny', message: null, interrupt: true }],
])('sends on %s, whatever stands in the fields', async (name, expected) => {
  const card = show(elicitation());
  button(card, name).click();
  await tick();
  expect(decisions).toEqual([expected]);
});

it('says beside the fields what is wrong, only once it was to be sent, and goes to the first', () => {
  const card = show(elicitation());
  expect(card.querySelector('[aria-invalid="true"]')).toBeNull();
  button(card, 'Accept').click();
  flushSync();
  expect(decisions).toEqual([]);
  expect(card.textContent).toContain('2 to correct');
  const count = labelled(card, 'count');
  expect(count.getAttribute('aria-invalid')).toBe('true');
  const about = document.getElementById(count.getAttribute('aria-describedby') ?? '');
  expect(about?.textContent).toContain('How many boats');
  expect(about?.textContent).toContain('This is needed.');
  expect(document.activeElement).toBe(labelled(card, 'red'));
});

it('has the keys of the other cards, and Ctrl+Enter from within a field', () => {
  const one = elicitation({ requested_schema: { type: 'object', properties: { note: { type: 'string' } } } });
  const card = show(one);
  const field = labelled(card, 'note');
  press(field, 'y');
  press(field, 'n');
  expect(decisions).toEqual([]);
  press(card, 'y');
  expect(decisions).toHaveLength(1);
  clear();
  const again = show(elicitation());
  press(again, 'n');
  clear();
  const third = show(elicitation());
  press(third, 'N', { shiftKey: true });
  clear();
  const fourth = show(elicitation({ requested_schema: { type: 'object', properties: { note: { type: 'string' } } } }));
  press(labelled(fourth, 'note'), 'Enter', { ctrlKey: true });
  expect(decisions.slice(1)).toEqual([
    { behavior: 'deny', message: null, interrupt: false },
    { behavior: 'deny', message: null, interrupt: true },
    { behavior: 'allow', updated_input: {}, suggestions: [] },
  ]);
});

it('keeps what was typed when it is drawn anew', () => {
  const one = elicitation();
  type(labelled(show(one), 'note'), 'half a thought');
  clear();
  expect(labelled(show(one), 'note').value).toBe('half a thought');
});

it('asks for JSON, with the reason, where the schema fits no form', async () => {
  const card = show(elicitation({ requested_schema: { type: 'object', oneOf: [] } }));
  expect(card.textContent).toContain('uses oneOf');
  type(card.querySelector('textarea') as HTMLTextAreaElement, '{"a": [1]}');
  button(card, 'Accept').click();
  await tick();
  expect(decisions).toEqual([{ behavior: 'allow', updated_input: { a: [1] }, suggestions: [] }]);
});

it('shows an address whole, and opens it by a press alone', async () => {
  const url = 'https://login.example/oauth?state=1';
  const card = show(elicitation({ mode: 'url', url, requested_schema: undefined }));
  expect(card.textContent).toContain(url);
  expect(opened).toEqual([]);
  press(card, 'y');
  await tick();
  expect(opened).toEqual([]);
  expect(decisions).toEqual([{ behavior: 'allow', updated_input: null, suggestions: [] }]);
  clear();
  const again = show(elicitation({ mode: 'url', url, requested_schema: undefined }));
  button(again, 'Open in the browser').click();
  expect(opened).toEqual([url]);
});

it('opens nothing but web addresses', () => {
  const card = show(elicitation({ mode: 'url', url: 'file:///etc/passwd', requested_schema: undefined }));
  expect(button(card, 'Open in the browser')).toBeUndefined();
  expect(card.textContent).toContain('not opened from here');
});

it('counts down to its end where the session has a limit', () => {
  vi.useFakeTimers({ now: Date.parse('2026-03-02T14:05:30Z') });
  const card = show(elicitation(), { at: '2026-03-02T14:05:00Z', timeout: 120 });
  expect(card.querySelector('[role="timer"]')?.textContent).toBe('cancelled in 1:30');
  vi.advanceTimersByTime(2000);
  flushSync();
  expect(card.querySelector('[role="timer"]')?.textContent).toBe('cancelled in 1:28');
});

it('can be answered again when the answer was not delivered', async () => {
  const card = show(elicitation(), { decide: () => Promise.reject({ code: 'gone', message: 'the pipe is closed' }) });
  button(card, 'Decline').click();
  await tick();
  await tick();
  flushSync();
  expect(card.textContent).toContain('Not answered: the pipe is closed. The question is still open.');
  expect(button(card, 'Decline').disabled).toBe(false);
});
