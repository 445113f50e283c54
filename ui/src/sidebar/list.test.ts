import { describe, expect, it } from 'vitest';
import { blankInfo, blankPast } from '../backend/replay';
import { heightOf, inSight, layOut, listFolders, NEWEST, pastFolders, placeAt, subOf, type Shown } from './list';

const shown: Shown = { folded: new Set(), whole: new Set(), selected: null, filtered: false };
const at = (n: number) => new Date(Date.UTC(2026, 0, 1) + n * 60_000).toISOString();
const old = (id: string, workspace: string, when: number, change = {}) => ({
  ...blankPast(id, workspace, `Session ${id}`),
  updated_at: at(when),
  ...change,
});
const listed = (living: ReturnType<typeof blankInfo>[], past: ReturnType<typeof old>[], words = '', archived = false) =>
  listFolders(living, pastFolders(past, words, archived), words, archived);
const keys = (folders: ReturnType<typeof listed>, how: Partial<Shown> = {}) =>
  layOut(folders, { ...shown, ...how }).map((item) => item.key);

describe('the session list', () => {
  it('puts living sessions first, then past ones from the newest', () => {
    const folders = listed([blankInfo('live', '/w/a', 'Live')], [old('p1', '/w/a', 1), old('p2', '/w/a', 2)]);
    expect(keys(folders)).toEqual(['head /w/a', 'live', 'p2', 'p1']);
  });

  it('puts folders in which something lives before those that were used last', () => {
    const folders = listed(
      [blankInfo('live', '/w/c', 'Live')],
      [old('p1', '/w/a', 1), old('p2', '/w/b', 9), old('p3', '/w/c', 0)],
    );
    expect(folders.map((one) => one.workspace)).toEqual(['/w/c', '/w/b', '/w/a']);
  });

  it('shows the newest few of a folder and says how many more there are', () => {
    const past = Array.from({ length: 12 }, (_, i) => old(`p${i}`, '/w/a', i));
    const items = layOut(listed([], past), shown);
    expect(items.filter((item) => item.kind === 'row')).toHaveLength(NEWEST);
    expect(items.at(-1)).toMatchObject({ kind: 'more', hidden: 12 - NEWEST });
    expect(keys(listed([], past), { whole: new Set(['/w/a']) })).toHaveLength(1 + 12 + 1);
  });

  it('keeps the open session in sight, however old it is', () => {
    const past = Array.from({ length: 12 }, (_, i) => old(`p${i}`, '/w/a', i));
    const items = layOut(listed([], past), { ...shown, selected: 'p0' });
    expect(items.some((item) => item.key === 'p0')).toBe(true);
    expect(items.at(-1)).toMatchObject({ hidden: 12 - NEWEST - 1 });
  });

  it('does not move what is there when the older rest of the list comes', () => {
    const past = Array.from({ length: 400 }, (_, i) => old(`p${i}`, `/w/${Math.floor(i / 10)}`, 1000 - i));
    const first = layOut(listed([], past.slice(0, 200)), shown);
    const whole = layOut(listed([], past), shown);
    expect(whole.slice(0, first.length).map((item) => [item.key, item.top])).toEqual(
      first.map((item) => [item.key, item.top]),
    );
  });

  it('has archived sessions behind the switch, and nothing else there', () => {
    const past = [old('a', '/w/a', 1, { archived: true }), old('b', '/w/a', 2)];
    expect(keys(listed([], past))).toEqual(['head /w/a', 'b']);
    expect(keys(listed([blankInfo('live', '/w/a', 'Live')], past, '', true))).toEqual(['head /w/a', 'a']);
  });

  it('shows all that is looked for, in folded folders too', () => {
    const past = Array.from({ length: 12 }, (_, i) => old(`p${i}`, '/w/a', i));
    const found = listed([], past, 'session p1');
    expect(keys(found, { folded: new Set(['/w/a']), filtered: true })).toEqual(['head /w/a', 'p11', 'p10', 'p1']);
  });

  it('says of a folder that is gone so once, on its head', () => {
    const folders = listed([], [old('p', '/w/a', 2, { folder_gone: true }), old('q', '/w/b', 1)]);
    const items = layOut(folders, shown);
    expect(items.flatMap((item) => (item.kind === 'head' ? [item.gone] : []))).toEqual([true, false]);
    expect(items.filter((item) => item.kind === 'row').map((item) => item.height)).toEqual([28, 28]);
  });

  it('gives a second line to what needs one', () => {
    const sub = (change: object) => {
      const [folder] = listed([], [old('p', '/w/a', 1, change)]);
      return folder?.entries[0] ? subOf(folder.entries[0]) : undefined;
    };
    expect(sub({})).toBeNull();
    expect(sub({ owner: { kind: 'terminal', pid: 1, what: 'open in a terminal' } })).toBe('owner');
    expect(sub({ state: 'failed', problem: 'It was killed.' })).toBe('problem');
  });
});

describe('the lines in sight', () => {
  const items = layOut(
    listed(
      [],
      Array.from({ length: 2000 }, (_, i) => old(`p${i}`, `/w/${i % 7}`, i)),
    ),
    { ...shown, whole: new Set(Array.from({ length: 7 }, (_, i) => `/w/${i}`)) },
  );

  it('are as few as the window is high, wherever it stands', () => {
    for (const top of [0, 1, 9000, 27_513, heightOf(items) - 800]) {
      const [from, to] = inSight(items, top, top + 800);
      expect(to - from).toBeLessThan(40);
      expect(items[from]?.top).toBeLessThanOrEqual(top);
      const last = items[to - 1];
      expect((last?.top ?? 0) + (last?.height ?? 0)).toBeGreaterThanOrEqual(Math.min(top + 800, heightOf(items)));
    }
  });

  it('are found at any height', () => {
    for (let y = 0; y < heightOf(items); y += 997) {
      const item = items[placeAt(items, y)];
      expect(item && item.top <= y && y < item.top + item.height).toBe(true);
    }
  });

  it('are none in an empty list', () => {
    expect(placeAt([], 10)).toBe(-1);
    expect(inSight([], 0, 800)).toEqual([0, 0]);
    expect(heightOf([])).toBe(0);
  });
});
