import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import type { Event, SessionInfo, StreamMsg } from '../bindings/bindings';
import { Stream } from './stream';

const event = (seq: number) => ({ seq, at: '', type: 'title_changed', title: String(seq) }) as unknown as Event;
const events = (session: string, ...seqs: number[]): StreamMsg => ({
  type: 'events',
  session,
  events: seqs.map(event),
});
const row = (id: string) => ({ id }) as unknown as SessionInfo;

function open() {
  const heard: string[] = [];
  const acknowledged: number[] = [];
  const stream = new Stream(
    {
      sessions: (list) => heard.push(`list ${list.map((s) => s.id).join(',')}`),
      past: (rows, gone, whole) => heard.push(`past ${rows.length} ${gone.join(',')} ${whole}`),
      events: (session, batch) => heard.push(`${session} ${batch.map((e) => e.seq).join(',')}`),
      open: (session, folder) => heard.push(`open ${session} ${folder}`),
    },
    (count) => acknowledged.push(count),
  );
  stream.start();
  return { stream, heard, acknowledged };
}

describe('the stream of a window', () => {
  beforeEach(() => {
    vi.useFakeTimers({ toFake: ['requestAnimationFrame', 'setTimeout', 'clearTimeout'] });
  });
  afterEach(() => {
    vi.useRealTimers();
  });

  it('hands over what came within a frame at once, and acknowledges it then', () => {
    const { stream, heard, acknowledged } = open();
    stream.expect('a', 0);
    stream.expect('b', 0);
    stream.receive(events('a', 1, 2));
    stream.receive({ type: 'sessions', list: [row('old')] });
    stream.receive(events('b', 1));
    stream.receive(events('a', 3));
    stream.receive({ type: 'sessions', list: [row('new')] });
    expect(heard).toEqual([]);
    expect(acknowledged).toEqual([]);
    vi.advanceTimersToNextFrame();
    expect(heard).toEqual(['list new', 'a 1,2,3', 'b 1']);
    expect(acknowledged).toEqual([5]);
  });

  it('goes on without frames, as in a hidden window', () => {
    const hidden = vi.spyOn(document, 'hidden', 'get').mockReturnValue(true);
    const { stream, heard } = open();
    stream.expect('a', 0);
    stream.receive(events('a', 1));
    vi.advanceTimersByTime(100);
    expect(heard).toEqual(['a 1']);
    hidden.mockRestore();
  });

  it('takes nothing twice and nothing of a watch that was replaced', () => {
    const { stream, heard, acknowledged } = open();
    stream.expect('a', 0);
    stream.receive(events('a', 1, 2, 3));
    stream.expect('a', 0);
    stream.receive(events('a', 4, 5));
    stream.receive(events('a', 1, 2));
    stream.receive(events('a', 2, 3));
    stream.receive(events('never watched', 1));
    vi.advanceTimersToNextFrame();
    expect(heard).toEqual(['a 1,2,3']);
    expect(acknowledged).toEqual([5]);
  });

  it('acknowledges even what the feed stumbles over', () => {
    const acknowledged: number[] = [];
    const feed = {
      sessions: () => undefined,
      past: () => undefined,
      events: () => {
        throw new Error('a view failed');
      },
    };
    const stream = new Stream(feed, (count) => acknowledged.push(count));
    stream.start();
    stream.expect('a', 0);
    stream.receive(events('a', 1));
    expect(() => vi.advanceTimersToNextFrame()).toThrow('a view failed');
    expect(acknowledged).toEqual([1]);
  });

  it('keeps what comes before the subscription has its number', () => {
    const acknowledged: number[] = [];
    const heard: string[] = [];
    const stream = new Stream(
      { sessions: () => heard.push('list'), past: () => undefined, events: () => undefined },
      (count) => acknowledged.push(count),
    );
    stream.receive({ type: 'sessions', list: [] });
    vi.advanceTimersByTime(1000);
    expect(acknowledged).toEqual([]);
    stream.start();
    vi.advanceTimersToNextFrame();
    expect([heard, acknowledged]).toEqual([['list'], [1]]);
  });

  it('says nothing more once it is closed', () => {
    const { stream, heard, acknowledged } = open();
    stream.expect('a', 0);
    stream.receive(events('a', 1));
    stream.close();
    vi.advanceTimersByTime(1000);
    stream.receive(events('a', 2));
    vi.advanceTimersByTime(1000);
    expect([heard, acknowledged]).toEqual([[], []]);
  });

  it('passes on what a second start of the app wants', () => {
    const { stream, heard, acknowledged } = open();
    stream.receive({ type: 'open', session: null, folder: '/work' });
    vi.advanceTimersByTime(1000);
    expect(heard).toEqual(['open null /work']);
    expect(acknowledged).toEqual([]);
  });
});
