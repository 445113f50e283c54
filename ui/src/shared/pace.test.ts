import { expect, it } from 'vitest';
import { Pace } from './pace';

/** A page whose frames come when the test says so. */
function page() {
  let now = 0;
  let frames: (() => void)[] = [];
  let timers: { at: number; then: () => void }[] = [];
  const pace = new Pace(
    () => now,
    (then) => frames.push(then),
    (ms, then) => timers.push({ at: now + ms, then }),
  );
  const pass = (ms: number) => {
    now += ms;
    const due = timers.filter((t) => t.at <= now);
    timers = timers.filter((t) => t.at > now);
    for (const { then } of due) then();
  };
  const frame = (ms: number) => {
    now += ms;
    const due = frames;
    frames = [];
    for (const then of due) then();
  };
  return { pace, pass, frame };
}

it('draws once a frame while frames are quick', () => {
  const { pace, pass, frame } = page();
  let drawn = 0;
  for (let i = 0; i < 10; i++) {
    for (let delta = 0; delta < 5; delta++) {
      if (!pace.due()) pace.ask(() => undefined);
      else {
        drawn++;
        pace.drew();
      }
    }
    frame(16);
    pass(0);
  }
  expect(drawn).toBe(10);
});

it('waits after a frame that took long, and then draws what was asked for', () => {
  const { pace, pass, frame } = page();
  let called = 0;
  pace.drew();
  pace.ask(() => called++);
  frame(80);
  pass(100);
  expect([called, pace.due()]).toEqual([0, false]);
  pass(60);
  expect([called, pace.due()]).toEqual([1, true]);
});

it('never waits longer than a quarter of a second', () => {
  const { pace, pass, frame } = page();
  pace.drew();
  frame(5000);
  pass(250);
  expect(pace.due()).toBe(true);
});
