import axe from 'axe-core';
import { flushSync, mount, unmount } from 'svelte';
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { reactive } from './testing/reactive.svelte';
import Outputs from './testing/Outputs.svelte';

let shown: ReturnType<typeof mount>[] = [];
let named = 0;
beforeEach(() => (named += 1));
afterEach(() => {
  shown.forEach((c) => void unmount(c));
  shown = [];
  document.body.replaceChildren();
  vi.useRealTimers();
});

const program = (text: string, over: { done?: boolean; fails?: string } = {}) => ({
  text,
  done: true,
  asked: [] as [number, number][],
  ...over,
});
const many = (n: number) => Array.from({ length: n }, (_, i) => `line ${i}\n`).join('');
const task = { kind: 'task', task_id: 'b1' } as const;
/** Each test is a session of its own: what is known of one output is not another's. */
function draw(props: Record<string, unknown>): HTMLElement {
  const target = document.createElement('div');
  document.body.append(target);
  const all = (props as { of?: string }).of === undefined ? Object.assign(props, { of: `s${named}` }) : props;
  shown.push(mount(Outputs, { target, props: all as never }));
  flushSync();
  return target;
}
const lines = (made: HTMLElement) => [...made.querySelectorAll('[data-line]')].map((one) => one.textContent);
const button = (made: HTMLElement, name: string) =>
  [...made.querySelectorAll('button')].find(
    (b) => (b.ariaLabel ?? b.textContent?.trim()) === name,
  ) as HTMLButtonElement;
const press = (made: HTMLElement, name: string) => {
  button(made, name).click();
  flushSync();
};
const until = (check: () => void) =>
  vi.waitFor(() => {
    flushSync();
    check();
  });

describe('an output in a row', () => {
  it('that is plain text is there at once, and nothing is asked', () => {
    const p = program('');
    const made = draw({ program: p, source: task, text: 'one\ntwo\n' });
    expect([lines(made), p.asked]).toEqual([['one', 'two'], []]);
  });

  it('is drawn as a terminal shows it, with nothing of its own in the page', async () => {
    const text = '10 %\r\u001b[1;32mgreen\u001b[0m <b>not bold</b> \u001b[38;2;1;2;3mnight\u001b[0m\n';
    const made = draw({ program: program(text), source: task, text });
    await until(() => expect(made.textContent).toContain('green <b>not bold</b> night'));
    expect(made.querySelector('b')).toBeNull();
    expect(made.querySelector('.fg-green.bold')?.textContent).toBe('green');
    const own = made.querySelector<HTMLElement>('.fg-own');
    expect([own?.textContent, own?.style.getPropertyValue('--light')]).toEqual(['night', '#010203']);
    expect([...(own?.style ?? [])]).toEqual(['--dark', '--light']);
  });

  it('takes its room before the first answer', () => {
    const made = draw({ program: program(many(500)), source: task, text: `\u001b[1m${many(500)}` });
    expect(made.querySelector<HTMLElement>('.few')?.style.minHeight).toBe('256px');
    expect(made.textContent).toContain('12 of 500 lines');
  });

  it('without a word says so', async () => {
    const made = draw({ program: program(''), source: task });
    expect(made.textContent).toContain('Reading');
    await until(() => expect(made.textContent).toContain('No output.'));
  });

  it('says why it could not be read, and tries again', async () => {
    const p = program(many(3), { fails: 'the file is gone' });
    const made = draw({ program: p, source: task });
    await until(() => expect(made.textContent).toContain('Not read: the file is gone'));
    expect(p.asked).toHaveLength(1);
    p.fails = '';
    press(made, 'Read again');
    await until(() => expect(lines(made)).toEqual(['line 0', 'line 1', 'line 2']));
  });

  it('of a million lines opens in place, with few of them in the page', async () => {
    const p = program('');
    const source = { kind: 'stored', tool_call_id: 't' } as const;
    draw({ program: p, source, text: 'x\n', left: { bytes: 10_000_000, lines: 1_000_000 } });
    await until(() => expect(p.asked).toEqual([[0, 18]]));
    p.text = many(200_000);
    const again = draw({ program: p, source, text: 'y\n', left: { bytes: 10_000_001, lines: 200_000 } });
    await until(() => expect(again.textContent).toContain('12 of 200\u202f000 lines, 10.0 MB'));
    press(again, 'Show all');
    await until(() => expect(lines(again).length).toBeGreaterThan(12));
    expect(again.querySelectorAll('*').length).toBeLessThan(250);
    const box = again.querySelector<HTMLElement>('.box');
    if (!box) throw new Error('no box');
    box.scrollTop = 100_000 * 20;
    box.dispatchEvent(new Event('scroll'));
    await until(() => expect(lines(again)).toContain('line 100000'));
    expect(again.querySelectorAll('*').length).toBeLessThan(250);
    press(again, 'Show less');
    expect(lines(again)).toHaveLength(12);
  });

  it('is found in, by key and by button', async () => {
    const made = draw({ program: program(''), text: many(5000) });
    const group = made.querySelector<HTMLElement>('.few');
    const key = new KeyboardEvent('keydown', { key: 'f', ctrlKey: true, bubbles: true, cancelable: true });
    group?.dispatchEvent(key);
    flushSync();
    expect(key.defaultPrevented).toBe(true);
    const field = made.querySelector<HTMLInputElement>('input');
    if (!field) throw new Error('no field');
    await until(() => expect(document.activeElement).toBe(field));
    field.value = 'LINE 499';
    field.dispatchEvent(new InputEvent('input', { bubbles: true }));
    await until(() => expect(made.textContent).toContain('1 of 11'));
    expect(made.querySelector('.current mark')?.textContent).toBe('line 499');
    const enter = (shiftKey: boolean) => {
      field.dispatchEvent(new KeyboardEvent('keydown', { key: 'Enter', shiftKey, bubbles: true }));
      flushSync();
    };
    enter(true);
    await until(() => expect(made.querySelector('.current')?.textContent).toBe('line 4999'));
    expect(made.textContent).toContain('11 of 11');
    enter(false);
    await until(() => expect(made.querySelector('.current')?.textContent).toBe('line 499'));
    field.dispatchEvent(new KeyboardEvent('keydown', { key: 'Escape', bubbles: true }));
    flushSync();
    expect(made.querySelector('input')).toBeNull();
    expect(made.querySelector('mark')).toBeNull();
  });

  it('that grows shows its end, is asked for while somebody looks, and once more at its end', async () => {
    vi.useFakeTimers();
    const props = reactive({
      program: program(many(40), { done: false }),
      source: task,
      live: true,
      seen: true,
      of: 'live',
    });
    const p = props.program;
    const made = draw(props);
    await vi.advanceTimersByTimeAsync(10);
    flushSync();
    expect(lines(made).at(-1)).toBe('line 39');
    p.text += 'more\n';
    await vi.advanceTimersByTimeAsync(2100);
    flushSync();
    expect([lines(made).length, lines(made).at(-1)]).toEqual([12, 'more']);
    expect(made.textContent).toContain('The last 12 of 41 lines');
    props.seen = false;
    flushSync();
    const asked = p.asked.length;
    await vi.advanceTimersByTimeAsync(20_000);
    expect(p.asked).toHaveLength(asked);
    p.text += 'end\n';
    p.done = true;
    props.live = false;
    flushSync();
    await vi.advanceTimersByTimeAsync(10);
    flushSync();
    expect(made.textContent).toContain('42 lines');
    await vi.advanceTimersByTimeAsync(20_000);
    expect(p.asked.length).toBeLessThanOrEqual(asked + 2);
  });

  it('comes back as it was when its row comes back', async () => {
    const p = program(many(300));
    const props = { program: p, source: task, of: 'back' };
    const made = draw({ ...props });
    await until(() => expect(lines(made)).toHaveLength(12));
    void unmount(shown.pop() as never);
    const again = draw({ ...props });
    expect(lines(again)).toHaveLength(12);
    press(again, 'Show all');
    await until(() => expect(again.querySelector('.box')).not.toBeNull());
    void unmount(shown.pop() as never);
    expect(draw({ ...props }).querySelector('.box')).not.toBeNull();
  });

  it('is saved, and says where', async () => {
    const made = draw({ program: program(many(300)), source: task });
    await until(() => expect(lines(made)).toHaveLength(12));
    press(made, 'Save output');
    await until(() => expect(made.textContent).toContain('Saved as /home/dev/out.txt'));
  });

  it('has no faults that axe finds', async () => {
    document.documentElement.lang = 'en';
    document.title = 'Output';
    const made = draw({ program: program(many(300)), source: task });
    await until(() => expect(lines(made)).toHaveLength(12));
    draw({ program: program('', { fails: 'gone' }), source: task, of: 'fails' });
    press(made, 'Find in the output');
    await until(() => expect(made.querySelector('.box')).not.toBeNull());
    const found = await axe.run(document.body, {
      rules: { 'color-contrast': { enabled: false }, region: { enabled: false } },
      resultTypes: ['violations'],
    });
    expect(found.violations.map((one) => [one.id, one.nodes.map((node) => node.html)])).toEqual([]);
  });
});
