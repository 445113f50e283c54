import { afterEach, expect, it } from 'vitest';
import { roving } from './roving';

afterEach(() => document.body.replaceChildren());

function list(count: number): { all: HTMLButtonElement[]; element: HTMLElement } {
  const element = document.createElement('ul');
  const all = Array.from({ length: count }, () => {
    const stop = document.createElement('button');
    stop.dataset.rove = '';
    stop.tabIndex = -1;
    element.append(stop);
    return stop;
  });
  document.body.append(element);
  return { all, element };
}
const press = (key: string) => {
  const event = new KeyboardEvent('keydown', { key, bubbles: true, cancelable: true });
  document.activeElement?.dispatchEvent(event);
  return event;
};

it('is one stop for Tab, and the arrows move within it', () => {
  const { all, element } = list(3);
  roving(element);
  expect(all.map((stop) => stop.tabIndex)).toEqual([0, -1, -1]);
  all[0]?.focus();
  press('ArrowDown');
  expect(document.activeElement).toBe(all[1]);
  expect(all.map((stop) => stop.tabIndex)).toEqual([-1, 0, -1]);
  press('End');
  expect(document.activeElement).toBe(all[2]);
  press('Home');
  expect(document.activeElement).toBe(all[0]);
});

it('holds nobody at its ends', () => {
  const { all, element } = list(2);
  roving(element);
  all[1]?.focus();
  expect(press('ArrowDown').defaultPrevented).toBe(false);
  expect(document.activeElement).toBe(all[1]);
});

it('keeps a stop when the one that was reached goes away', async () => {
  const { all, element } = list(3);
  roving(element);
  all[2]?.focus();
  all[2]?.remove();
  await new Promise((done) => queueMicrotask(() => done(null)));
  expect(all.slice(0, 2).map((stop) => stop.tabIndex)).toEqual([0, -1]);
});
