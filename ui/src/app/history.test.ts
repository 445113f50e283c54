import { flushSync } from 'svelte';
import { describe, expect, it } from 'vitest';
import type { Slice } from '../backend/history';
import { blankPast, ReplayBackend, type Stage } from '../backend/replay';
import { cut, sliceAfter, sliceAround, sliceAtEnd, sliceBefore } from '../backend/recorded';
import type { Event } from '../bindings/bindings';
import { stageFor } from '../dev/stages';
import { everything } from '../dev/story';
import { folded } from '../session/journal';
import { ROWS } from '../session/slices';
import { SessionStore, type Where } from './store.svelte';
import { opened, until, windowPerTest } from './testing';

windowPerTest();

const asked = (backend: ReplayBackend, name: string) =>
  backend.asked.filter((one) => one.name === name).map((one) => one.args);

/** A window on a long session, and one that is no more. */
function stage(rows = 2000, change: Partial<Stage> = {}): Stage {
  const terminal = { ...blankPast('t1', '/home/dev/code/ferry', 'Begun elsewhere'), source: 'terminal' as const };
  const events = everything(900);
  return { ...stageFor('working', rows), past: [{ row: terminal, events }], ...change };
}

describe('opening a session', () => {
  it('reads its end, and goes on with what is said', async () => {
    const { app, backend } = await opened(stage());
    const { view } = app.storeOf('s1');
    const last = app.sessions.find((one) => one.id === 's1')?.last_seq;
    await until(() => expect(view.lastSeq).toBe(last));
    expect(view.rows.length).toBeLessThan(500);
    expect(view.earlier).toBe(true);
    expect(asked(backend, 'watch').at(-1)).toEqual(['s1', last]);
    backend.say('s1', { type: 'message_chunk', message_id: 'new', text: 'new' });
    expect(view.rows.at(-1)).toMatchObject({ kind: 'answer', message: 'new' });
  });

  it('shows one without a process like any other, and what a terminal began as read-only', async () => {
    const { app } = await opened(stage());
    app.open('t1');
    await until(() => expect(app.storeOf('t1').view.rows.length).toBeGreaterThan(0));
    flushSync();
    expect([app.current?.title, app.pastRow?.source, app.readOnly, app.owner]).toEqual([
      'Begun elsewhere',
      'terminal',
      true,
      null,
    ]);
  });

  it('goes on where it was left when it is opened again, without reading it anew', async () => {
    const { app, backend } = await opened(stage());
    const { view } = app.storeOf('s1');
    await until(() => expect(view.lastSeq).toBeGreaterThan(0));
    const before = view.lastSeq;
    app.open('t1');
    await until(() => expect(asked(backend, 'watch').at(-1)?.[0]).toBe('t1'));
    backend.say('s1', { type: 'message_chunk', message_id: 'away', text: 'said meanwhile' });
    app.open('s1');
    await until(() => expect(view.rows.at(-1)).toMatchObject({ kind: 'answer', message: 'away' }));
    expect(asked(backend, 'open').filter(([id]) => id === 's1')).toHaveLength(1);
    expect(asked(backend, 'watch').at(-1)).toEqual(['s1', before]);
  });

  it('reads it anew when too much was said meanwhile', async () => {
    const { app, backend } = await opened(stage());
    const { view } = app.storeOf('s1');
    await until(() => expect(view.lastSeq).toBeGreaterThan(0));
    app.open('t1');
    await until(() => expect(asked(backend, 'watch').at(-1)?.[0]).toBe('t1'));
    for (let i = 0; i < 2100; i++) backend.say('s1', { type: 'message_chunk', message_id: `m${i}`, text: `${i}` });
    app.open('s1');
    await until(() => expect(view.rows.at(-1)).toMatchObject({ kind: 'answer', message: 'm2099' }));
    expect(asked(backend, 'open').filter(([id]) => id === 's1')).toHaveLength(2);
    expect(view.rows.length).toBeLessThan(700);
  });

  it('shows the end of a file that is still being read, and all of it as soon as it is there', async () => {
    const [tail, all] = [everything(40), everything(900)];
    const row = { ...blankPast('big', '/w', 'Big'), source: 'terminal' as const };
    const { app, backend } = await opened(stage(2000, { past: [{ row, events: tail, importing: true }] }));
    app.open('big');
    const { view } = app.storeOf('big');
    await until(() => expect(view.rows).toHaveLength(40));
    expect([app.importing, view.earlier]).toEqual([true, false]);
    expect(asked(backend, 'watch').map(([id]) => id)).not.toContain('big');
    backend.readIn('big', all);
    await until(() => expect(view.lastSeq).toBe(all.at(-1)?.seq));
    await until(() => expect(asked(backend, 'watch').at(-1)).toEqual(['big', all.at(-1)?.seq]));
    expect([app.importing, view.earlier]).toEqual([false, true]);
  });

  it('tries again when somebody opens it again after it could not be read', async () => {
    const { app, backend } = await opened(stage());
    backend.failing.set('open', { code: 'gone', message: 'the disk is gone' });
    app.open('t1');
    await until(() => expect(app.toasts.at(-1)?.hint).toBe('the disk is gone'));
    app.open('t1');
    await until(() => expect(app.storeOf('t1').view.rows.length).toBeGreaterThan(0));
  });

  it('opens the one that was open before the page was loaded again, as soon as the list has it', async () => {
    localStorage.setItem('kandev.selected', JSON.stringify('t1'));
    sessionStorage.setItem('kandev.loaded', '1');
    const { app } = await opened(stage());
    await until(() => expect(app.selected).toBe('t1'));
    expect(app.place).toBe('session');
  });
});

describe('a hit of a search', () => {
  it('is opened apart from the end, with the questions of the end still there', async () => {
    const { app, backend } = await opened(stage());
    const store = app.storeOf('s1');
    await until(() => expect(store.view.lastSeq).toBeGreaterThan(0));
    app.openAt('s1', 200);
    await until(() => expect(store.detached).not.toBeNull());
    expect(store.shown.from).toBeLessThanOrEqual(200);
    expect(store.shown.lastSeq).toBeLessThan(store.view.from);
    backend.say('s1', { type: 'todos', items: [{ id: '1', description: 'x', status: null, active_form: null }] });
    expect(store.view.todos).toHaveLength(1);
    await until(() => expect(document.querySelector('.jump')?.textContent).toContain('Jump to latest'));
    expect(document.querySelector('article.pointed')).not.toBeNull();
    document.querySelector<HTMLElement>('.jump button')?.click();
    flushSync();
    expect(store.shown).toBe(store.view);
  });

  it('that is loaded is only pointed at', async () => {
    const { app, backend } = await opened(stage());
    const store = app.storeOf('s1');
    await until(() => expect(store.view.lastSeq).toBeGreaterThan(0));
    app.openAt('s1', store.view.lastSeq - 20);
    await until(() => expect(document.querySelector('article.pointed')).not.toBeNull());
    expect(store.detached).toBeNull();
    expect(asked(backend, 'open').filter(([, at]) => at !== null)).toEqual([]);
  });

  it('in a file that is still being read is shown once all of it is there', async () => {
    const [tail, all] = [everything(40), everything(900)];
    const row = { ...blankPast('big', '/w', 'Big'), source: 'terminal' as const };
    const { app, backend } = await opened(stage(2000, { past: [{ row, events: tail, importing: true }] }));
    const open = backend.open.bind(backend);
    // A place in the middle has to be looked for in the whole.
    backend.open = (session, at) => {
      if (at !== null) backend.readIn('big', all);
      return open(session, at);
    };
    app.openAt('big', 700);
    const store = app.storeOf('big');
    await until(() => expect(store.view.lastSeq).toBe(all.at(-1)?.seq));
    await until(() => expect(document.querySelector('article.pointed')).not.toBeNull());
    expect(store.shown.from).toBeLessThanOrEqual(700);
    expect(store.shown.lastSeq).toBeGreaterThanOrEqual(700);
    expect(app.importing).toBe(false);
  });

  it('in a file that is still being read takes nobody back who went on to another session', async () => {
    const row = { ...blankPast('big', '/w', 'Big'), source: 'terminal' as const };
    const { app, backend } = await opened(stage(2000, { past: [{ row, events: everything(40), importing: true }] }));
    const open = backend.open.bind(backend);
    let letGo: (() => void) | null = null;
    backend.open = async (session, at) => {
      if (at !== null) await new Promise<void>((done) => (letGo = done));
      return open(session, at);
    };
    app.open('big');
    await until(() => expect(app.importing).toBe(true));
    const shown = app.history.pointAt('big', 7000);
    await until(() => expect(letGo).not.toBeNull());
    app.open('s1');
    await until(() => expect(asked(backend, 'watch').at(-1)?.[0]).toBe('s1'));
    letGo!();
    await shown;
    expect(asked(backend, 'unwatch').map(([session]) => session)).toEqual(['s1', 'big']);
    expect(app.selected).toBe('s1');
  });

  it('that cannot be read is said, and leaves the session as it is', async () => {
    const { app, backend } = await opened(stage());
    const store = app.storeOf('s1');
    await until(() => expect(store.view.lastSeq).toBeGreaterThan(0));
    backend.failing.set('open', { code: 'gone', message: 'the disk is gone' });
    app.openAt('s1', 200);
    await until(() => expect(app.toasts.at(-1)?.hint).toBe('the disk is gone'));
    expect([store.detached, store.pointed]).toEqual([null, null]);
  });
});

/** A store on a journal that is wholly known. */
function storeOn(events: Event[], rows = 300) {
  const kept = folded(events);
  const reads: Where[] = [];
  let fails = false;
  const store = new SessionStore((where): Promise<Slice> => {
    reads.push(where);
    if (fails) return Promise.reject(new Error('gone'));
    return Promise.resolve(
      'before' in where ? sliceBefore(kept, where.before, rows) : sliceAfter(kept, where.after, rows),
    );
  });
  store.openSlice(sliceAtEnd(kept, rows));
  return { store, kept, reads, fail: (now: boolean) => (fails = now) };
}

describe('what is loaded of a session', () => {
  it('grows to the beginning, one part at a time', async () => {
    const { store, reads } = storeOn(everything(1500));
    await Promise.all([store.readEarlier(), store.readEarlier()]);
    expect(reads).toHaveLength(1);
    while (store.shown.earlier) await store.readEarlier();
    expect(store.shown.rows).toHaveLength(1500);
    expect(store.detached).toBeNull();
    await store.readEarlier();
    expect(reads.at(-1)).not.toEqual({ before: 1 });
  });

  it('says when a part could not be read, and can be asked again', async () => {
    const { store, fail } = storeOn(everything(1500));
    const rows = store.shown.rows.length;
    fail(true);
    await store.readEarlier();
    expect([store.failed, store.loading, store.shown.rows.length]).toEqual(['earlier', null, rows]);
    fail(false);
    await store.readEarlier();
    expect(store.failed).toBeNull();
    expect(store.shown.rows.length).toBeGreaterThan(rows);
  });

  it('is bounded however far somebody scrolls up, and meets the end again on the way down', async () => {
    const events = everything(20_000);
    const { store } = storeOn(events, 600);
    store.reading = true;
    while (store.shown.earlier) {
      await store.readEarlier();
      expect(store.shown.rows.length).toBeLessThanOrEqual(2 * ROWS.kept + 1200);
      expect(store.view.rows.length).toBeLessThanOrEqual(2 * ROWS.kept + 1200);
    }
    expect(store.shown.rows[0]?.seq).toBe(1);
    expect(store.view.lastSeq).toBe(events.at(-1)?.seq);
    while (store.detached) await store.readLater();
    expect(store.shown.rows.at(-1)?.key).toBe(`ttoolu_${19_999}`);
    const seqs = store.shown.rows.map((row) => row.seq);
    expect(new Set(seqs).size).toBe(seqs.length);
    expect(store.shown.held.events.map((one) => one.seq)).toEqual(
      folded(events.filter((one) => one.seq >= store.shown.from)).map((one) => one.seq),
    );
  });

  it('keeps what somebody reads while the session goes on, and its end apart from it', () => {
    const { store, kept } = storeOn(everything(400));
    store.reading = true;
    const first = store.shown.rows[0]?.key;
    let seq = kept.at(-1)?.seq ?? 0;
    for (let i = 0; i < 100; i++)
      store.take(
        Array.from(
          { length: 200 },
          (_, n) => ({ seq: ++seq, at: '', type: 'message_chunk', message_id: `m${i}.${n}`, text: 'x' }) as Event,
        ),
      );
    expect(store.shown.rows[0]?.key).toBe(first);
    expect(store.detached).not.toBeNull();
    expect(store.view.rows.length).toBeLessThanOrEqual(ROWS.kept + ROWS.more);
    expect(store.view.lastSeq).toBe(seq);
    expect(store.shown.rows.length).toBeLessThanOrEqual(2 * ROWS.kept + 400);
  });

  it('is one with the end at once where the two meet', () => {
    const { store, kept } = storeOn(everything(1000));
    const { from } = store.view;
    store.showPart(
      cut(
        kept,
        kept.findIndex((one) => one.seq >= from - 200),
        kept.findIndex((one) => one.seq >= from + 50),
      ),
    );
    expect(store.detached).toBeNull();
    expect(store.view.from).toBeLessThan(from);
    expect(new Set(store.view.rows.map((row) => row.key)).size).toBe(store.view.rows.length);
  });

  it('is let go where nothing more comes, in place of asking for ever', async () => {
    const { store, kept } = storeOn(everything(2000));
    const part = sliceAround(kept, 100, 50);
    store.showPart(part);
    const gap = new SessionStore(() => Promise.resolve({ ...part, events: [], from: part.through + 1 }));
    gap.openSlice(sliceAtEnd(kept, 300));
    gap.showPart(part);
    await gap.readLater();
    expect(gap.detached).toBeNull();
    expect(store.detached).not.toBeNull();
  });
});
