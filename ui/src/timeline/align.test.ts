import { describe, expect, it } from 'vitest';
import type { Row, ToolRow } from '../session/rows';
import { rowAt, sameLine } from './align';
import { Entry, Level } from './entries';
import { Lines } from './lines';

function list(...keys: string[]) {
  const lines = new Lines<Entry>();
  const level = new Level(null);
  const entries = new Map(keys.map((key, at) => [key, new Entry(key, 'row', level, at, {} as Row)]));
  lines.build([...entries.values()]);
  return { lines, entry: (key: string | null) => entries.get(key ?? '') };
}

function same(before: string[], from: number, now: string[]): [string, string] | null {
  const was = list(...before);
  const found = sameLine(was.lines, was.entry(before[from] ?? null) ?? null, list(...now));
  return found && [found.was.key, found.is.key];
}

describe('the line to hold on to', () => {
  it('is the one that was held, wherever it stands now', () => {
    expect(same(['a', 'b', 'c'], 1, ['x', 'y', 'a', 'b', 'c'])).toEqual(['b', 'b']);
    expect(same(['a', 'b', 'c'], 1, ['b', 'c'])).toEqual(['b', 'b']);
  });

  it('is the next one when that moved to where it really began, or became a part of another', () => {
    expect(same(['call', 'b', 'c'], 0, ['x', 'call', 'y', 'b', 'c'])).toEqual(['b', 'b']);
    expect(same(['text', 'b'], 0, ['x', 'longer', 'b'])).toEqual(['b', 'b']);
  });

  it('is one before it when nothing behind it is left, and none where nothing is', () => {
    expect(same(['a', 'b', 'c'], 2, ['a', 'b'])).toEqual(['b', 'b']);
    expect(same(['a'], 0, ['b'])).toBeNull();
    expect(same([], 0, ['b'])).toBeNull();
  });
});

describe('the row of an event', () => {
  const row = (seq: number, change: Partial<ToolRow> = {}) =>
    ({ kind: 'tool', key: `k${seq}`, seq, children: [], ...change }) as unknown as Row;
  const gone = { kind: 'void', key: 'k4', seq: 4, at: '' } as Row;
  const rows = [row(1), row(3, { children: [row(5), row(7, { children: [row(9)] })] }), gone, row(6)];

  it('is found by its number, with the calls around it', () => {
    expect(rowAt(rows, 6)).toEqual({ at: 3, path: ['k6'] });
    expect(rowAt(rows, 9)).toEqual({ at: 1, path: ['k3', 'k7', 'k9'] });
  });

  it('is the one before where no row begins with it, never one that was withdrawn', () => {
    expect(rowAt(rows, 4)).toEqual({ at: 1, path: ['k3'] });
    expect(rowAt(rows, 100)).toEqual({ at: 3, path: ['k6'] });
    expect(rowAt(rows.slice(1), 2)).toEqual({ at: 0, path: ['k3'] });
    expect(rowAt([], 1)).toBeNull();
  });
});
