import { describe, expect, it } from 'vitest';
import { openSlice, trimTop } from '../session/slices';
import { apply, emptyView, type SessionView } from '../session/view';
import { sliceAtEnd } from '../backend/recorded';
import { around, type Entry } from './entries';
import { Outline } from './outline';
import { Chance, Journal, asks, random, reads, runs, searches } from './testing';

function shown(view: SessionView, folds = new Map<string, boolean>(), calm = false) {
  const outline = new Outline(folds);
  outline.reset(view, calm);
  return { outline, folds, calm };
}

/** Every line as it reads: a group by what it says, a row by its call or kind, deeper ones indented. */
function lines(outline: Outline): string[] {
  return [...outline.lines].map((entry) => {
    const { row } = entry;
    const name =
      entry.kind === 'group'
        ? `[${entry.run?.glances.words}]`
        : entry.kind === 'end'
          ? '='
          : entry.kind === 'lost'
            ? '...'
            : row.kind === 'tool'
              ? row.call.tool_call_id
              : row.kind;
    return '> '.repeat(entry.level.depth) + name;
  });
}

const at = (outline: Outline, key: string) => outline.entry(key) as Entry;

function played(write: (journal: Journal) => void): { view: SessionView; journal: Journal; more: () => void } {
  const journal = new Journal();
  const view = emptyView();
  const more = () => {
    for (const event of journal.events) apply(view, event);
  };
  write(journal);
  more();
  return { view, journal, more };
}

describe('a group', () => {
  it('stands for consecutive reads and searches, and says what it holds', () => {
    const { view } = played((j) => {
      j.prompt('go');
      for (const one of ['a', 'b', 'a2']) j.call(one, reads(`/w/${one.slice(0, 1)}.rs`), 'complete');
      j.call('s', searches('x'), 'complete');
      j.text('m', 'So it is.');
      j.call('c', reads('/w/c.rs'), 'complete');
    });
    const { outline } = shown(view);
    expect(lines(outline)).toEqual(['prompt', '[Read 2 files, searched once]', 'answer', 'c']);
    expect(at(outline, 'g:ta').run?.glances.names).toBe('a.rs, b.rs');
  });

  it('never hides one that runs, failed, or waits for an answer', () => {
    const { view, journal, more } = played((j) => {
      j.call('a', reads('/w/a'), 'complete');
      j.call('b', reads('/w/b'), 'running');
      j.call('c', reads('/w/c'), 'error');
      j.call('d', reads('/w/d'), 'running');
      j.say({
        type: 'permission_request',
        pending_id: 'p',
        tool_call_id: 'd',
        tool_name: 'Read',
        title: 'd',
        action_type: 'other',
        input: {},
        suggestions: [],
      } as never);
      j.call('e', searches('e'), 'complete');
    });
    const { outline } = shown(view);
    expect(lines(outline)).toEqual(['[Read 1 file, searched once]', 'b', 'c', 'd']);
    journal.call('b', reads('/w/b'), 'complete');
    more();
    outline.sync();
    expect(lines(outline)).toEqual(['[Read 2 files, searched once]', 'c', 'd']);
    journal.say({ type: 'permission_resolved', pending_id: 'p', behavior: 'deny', by: 'user' } as never);
    journal.call('d', reads('/w/d'), 'error');
    more();
    outline.sync();
    expect(lines(outline)).toEqual(['[Read 2 files, searched once]', 'c', 'd']);
  });

  it('opens and closes in place, and stays open while more come, before or behind', () => {
    const { view, journal, more } = played((j) => {
      for (const one of ['a', 'b', 'c']) j.call(one, reads(`/w/${one}`), 'complete');
      j.text('m', 'Well.');
    });
    const { outline, folds } = shown(view);
    outline.fold(at(outline, 'g:ta'), true);
    expect(lines(outline)).toEqual(['[Read 3 files]', 'a', 'b', 'c', 'answer']);
    journal.call('d', reads('/w/d'), 'complete');
    more();
    outline.sync();
    expect(lines(outline).at(-1)).toBe('d');
    const later = emptyView();
    openSlice(later, sliceAtEnd(journal.events, 9));
    expect(lines(shown(later, new Map([['g:tb', true]])).outline).slice(0, 3)).toEqual(['[Read 3 files]', 'a', 'b']);
    outline.fold(at(outline, 'g:ta'), false);
    expect(lines(outline)).toEqual(['[Read 3 files]', 'answer', 'd']);
    expect(folds.get('g:ta')).toBe(false);
  });

  it('leaves out what a person has opened, and what has the focus, until that is left', () => {
    const { view, journal, more } = played((j) => j.call('a', reads('/w/a'), 'complete'));
    const { outline } = shown(view);
    outline.fold(at(outline, 'ta'), true);
    journal.call('b', reads('/w/b'), 'running');
    more();
    outline.sync();
    outline.focus('tb');
    for (const one of ['b', 'c', 'd']) journal.call(one, reads(`/w/${one}`), 'complete');
    more();
    outline.sync();
    expect(lines(outline)).toEqual(['[Read 2 files]', 'a', 'b']);
    outline.focus(null);
    expect(lines(outline)).toEqual(['[Read 3 files]', 'a']);
    outline.fold(at(outline, 'ta'), false);
    expect(lines(outline)).toEqual(['[Read 4 files]']);
  });

  it('opens for the one that is looked for in it', () => {
    const { view } = played((j) => {
      for (const one of ['a', 'b', 'c']) j.call(one, reads(`/w/${one}`), 'complete');
    });
    const { outline } = shown(view);
    expect(outline.find('tb')?.listed).toBe(true);
    expect(lines(outline)).toEqual(['[Read 3 files]', 'a', 'b', 'c']);
  });
});

describe('a subagent', () => {
  const nested = () =>
    played((j) => {
      j.call('one', asks('one'), 'running');
      j.call('r1', reads('/w/1'), 'complete', 'one');
      j.call('r2', reads('/w/2'), 'complete', 'one');
      j.call('two', asks('two'), 'running', 'one');
      j.text('m2', 'Deep.', 'two');
      j.call('three', asks('three'), 'running', 'two');
      j.call('x', runs('x'), 'running', 'three');
      j.text('end', 'Behind.');
    });

  it('has its rows in the same list, at any depth, with its own groups and summary', () => {
    const { outline } = shown(nested().view);
    expect(lines(outline)).toEqual([
      'one',
      '> [Read 2 files]',
      '> two',
      '> > answer',
      '> > three',
      '> > > x',
      '> > > =',
      '> > =',
      '> =',
      'answer',
    ]);
    expect(around(at(outline, 'tx')).map((row) => row.call.tool_call_id)).toEqual(['one', 'two', 'three']);
  });

  it('takes in what it does next where that belongs, and folds with all that is in it', () => {
    const { view, journal, more } = nested();
    const { outline } = shown(view);
    journal.text('m3', 'More.', 'two');
    journal.call('y', runs('y'), 'running', 'one');
    more();
    outline.sync();
    expect(lines(outline).slice(6)).toEqual(['> > > =', '> > answer', '> > =', '> y', '> =', 'answer']);
    outline.fold(at(outline, 'ttwo'), false);
    expect(lines(outline)).toEqual(['one', '> [Read 2 files]', '> two', '> y', '> =', 'answer']);
    journal.call('z', runs('z'), 'running', 'three');
    more();
    outline.sync();
    expect(lines(outline)).toHaveLength(6);
    outline.fold(at(outline, 'ttwo'), true);
    expect(lines(outline)).toContain('> > > z');
    outline.fold(at(outline, 'tone'), false);
    expect(lines(outline)).toEqual(['one', 'answer']);
  });

  it('says that its oldest rows are not held any more', () => {
    const { view } = played((j) => {
      j.call('one', asks('one'), 'running');
      for (let i = 0; i < 5001; i++) j.call(`r${i}`, runs('x'), 'complete', 'one');
    });
    const { outline } = shown(view);
    expect(lines(outline).slice(0, 3)).toEqual(['one', '> ...', '> r1001']);
  });
});

describe('an outline that followed', () => {
  it.each([1, 2, 3, 4, 5, 6, 7, 8])('is the one that is made anew, whatever came and was folded (%i)', (seed) => {
    const chance = new Chance(random(seed));
    const view = emptyView();
    const folds = new Map<string, boolean>();
    const { outline } = shown(view, folds);
    for (let step = 0; step < 1500; step++) {
      const dice = chance.next();
      const listed = dice < 0.12 ? [...outline.lines] : [];
      if (dice < 0.1 && listed.length > 0) {
        const entry = chance.one(listed);
        if (entry.kind !== 'end') outline.fold(entry, chance.next() < 0.5);
      } else if (dice < 0.12 && listed.length > 0) outline.focus(chance.one(listed).key);
      else if (dice < 0.13) outline.focus(null);
      else if (dice < 0.131 && view.rows.length > 50) trimTop(view, 40);
      else apply(view, chance.step());
      if (chance.next() < 0.3) continue;
      if (!outline.isOther(view, false)) outline.sync();
      if (outline.isOther(view, false)) outline.reset(view, false);
      if (step % 20 !== 0) continue;
      outline.focus(null);
      expect(lines(outline)).toEqual(lines(shown(view, folds).outline));
      expect(outline.lines.length).toBe([...outline.lines].length);
    }
    expect(view.rows.length).toBeGreaterThan(20);
  });

  it('knows how high each line was that is still there', () => {
    const { view, journal, more } = played((j) => {
      for (let i = 0; i < 50; i++) j.prompt(`${i}`);
    });
    const { outline } = shown(view);
    for (const entry of outline.lines) {
      outline.lines.set(entry, entry.at + 100);
      entry.measured = true;
    }
    const total = outline.lines.total;
    journal.prompt('new');
    more();
    view.shape += 1;
    outline.reset(view, false);
    const fresh = outline.lines.last as Entry;
    expect(outline.lines.total - fresh.height).toBe(total);
    expect(outline.came).toBe(1);
  });
});
