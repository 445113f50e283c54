// What the timeline's engine costs with few and with many rows: making the outline, taking in what comes, measuring, drawing.
// Prints medians and ratios; fails only where a cost grows as the rows do, as this machine may be busy with other things.
import { expect, it } from 'vitest';
import { apply, emptyView, type SessionView } from '../session/view';
import type { Entry } from './entries';
import { itemsOn, type Item } from './items';
import { Outline } from './outline';
import { Chance, Journal, asks, random, reads, runs, searches } from './testing';
import { Viewport } from './viewport';

const SIZES = [10, 1000, 100_000];

/** Turns of twenty rows: what is asked, reads and searches in groups, commands, a subagent with rows of its own, answers. */
function journalOf(rows: number): Journal {
  const journal = new Journal();
  for (let i = 0; i < rows; i++) {
    const id = `c${i}`;
    const n = i % 20;
    if (n === 0) journal.prompt(`Prompt ${i}`);
    else if (n % 5 === 0) journal.text(`m${i}`, 'It keeps its promise. '.repeat(1 + (i % 9)));
    else if (n === 11) {
      journal.call(id, asks(id), 'complete');
      for (let k = 0; k < 4; k++) journal.call(`${id}.${k}`, runs('x'), 'complete', id);
    } else journal.call(id, n < 10 ? (n % 2 ? reads(`/w/${i}`) : searches('x')) : runs('x'), 'complete');
  }
  return journal;
}

type Timeline = { view: SessionView; journal: Journal; outline: Outline; viewport: Viewport<Entry>; items: Item[] };

function timelineOf(rows: number): Timeline {
  const journal = journalOf(rows);
  const view = emptyView();
  for (const event of journal.events) apply(view, event);
  const viewport = new Viewport<Entry>();
  viewport.resized(900);
  const outline = new Outline(new Map());
  outline.leaving = (entry) => viewport.leaving(entry);
  outline.reset(view, false);
  viewport.lines = outline.lines;
  viewport.foresee();
  return { view, journal, outline, viewport, items: [] };
}

/** Microseconds for one, the median of some rounds of many. */
function cost(rounds: number, each: number, run: (i: number) => void): number {
  const times: number[] = [];
  for (let round = 0; round < rounds; round++) {
    const start = performance.now();
    for (let i = 0; i < each; i++) run(round * each + i);
    times.push(((performance.now() - start) * 1000) / each);
  }
  return times.sort((a, b) => a - b)[rounds >> 1] ?? 0;
}

const say = (line: string) => process.stdout.write(`${line}\n`);

/** Prints what it costs for each size, and how much more than with a thousand rows it is with a hundred thousand. */
function compare(what: string, most: number, measure: (timeline: Timeline, rows: number) => number): void {
  const costs = SIZES.map((rows, i) => measure(timelines[i] as Timeline, rows));
  const ratio = (costs[2] ?? 0) / (costs[1] ?? 1);
  say(
    `${what}: ${costs.map((us, i) => `${us.toFixed(1)} µs of ${SIZES[i]}`).join(', ')}; 100,000 : 1,000 = ${ratio.toFixed(2)}`,
  );
  expect(ratio).toBeLessThan(most);
}

const timelines = SIZES.map(timelineOf);

it('an outline is made in a time that grows as the rows do, and no faster', () => {
  const made = timelines.map((t) => cost(7, 1, () => new Outline(new Map()).reset(t.view, false)));
  say(`make: ${made.map((us, i) => `${(us / 1000).toFixed(2)} ms of ${SIZES[i]}`).join(', ')}`);
  const ratio = (made[2] ?? 0) / 100 / (made[1] ?? 1);
  say(`make, for a row: 100,000 : 1,000 = ${ratio.toFixed(2)}`);
  expect(ratio).toBeLessThan(8);
});

it('a screen is drawn in the time that it takes, whatever is loaded', () => {
  const next = random(3);
  compare('draw', 8, (t) =>
    cost(41, 20, () => {
      t.viewport.scrolled(next() * Math.max(1, t.viewport.total - 900), Infinity);
      t.items = itemsOn(t.viewport, [], t.items).items;
    }),
  );
});

it('a row that comes at the end, or in a subagent, costs the same', () => {
  compare('append', 8, (t, rows) =>
    cost(41, 50, (i) => {
      const event = t.journal.call(`n${rows}.${i}`, i % 3 ? reads(`/w/n${i}`) : runs('x'), 'complete');
      apply(t.view, event);
      t.outline.sync();
    }),
  );
  const chance = new Chance(random(1));
  const agents = new Map(
    timelines.map((t) => [t, t.view.rows.findLast((row) => row.kind === 'tool' && row.children.length > 0)]),
  );
  compare('append in a subagent', 8, (t, rows) => {
    const agent = agents.get(t) ?? t.view.rows.find((row) => row.kind === 'tool');
    const id = agent?.kind === 'tool' ? agent.call.tool_call_id : '';
    return cost(21, 20, (i) => {
      apply(t.view, t.journal.call(`s${rows}.${i}.${chance.next()}`, runs('x'), 'complete', id));
      t.outline.sync();
    });
  });
});

it('a piece of an answer, a call that ends and a row that is measured cost the same', () => {
  compare('delta', 8, (t) =>
    cost(41, 50, () => {
      apply(t.view, t.journal.text('stream', 'word '));
      t.outline.sync();
    }),
  );
  const next = random(9);
  compare('measure', 8, (t) => {
    const all = [...t.outline.lines];
    return cost(41, 50, () => {
      t.viewport.measured(all[Math.floor(next() * all.length)] as Entry, 20 + next() * 200);
      t.viewport.settle();
    });
  });
});
