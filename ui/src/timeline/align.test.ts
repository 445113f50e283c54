import { describe, expect, it } from 'vitest';
import type { Row, ToolRow } from '../session/rows';
import { rowAt, sameRow } from './align';

const places = (...keys: string[]) => new Map(keys.map((key, at) => [key, { parent: null, at }]));

describe('the row to hold on to', () => {
  it('is the one that was held, wherever it stands now', () => {
    expect(sameRow(['a', 'b', 'c'], 1, places('x', 'y', 'a', 'b', 'c'))).toEqual({ was: 1, is: 3 });
    expect(sameRow(['a', 'b', 'c'], 1, places('b', 'c'))).toEqual({ was: 1, is: 0 });
  });

  it('is the next one when that moved to where it really began, or became a part of another', () => {
    expect(sameRow(['call', 'b', 'c'], 0, places('x', 'call', 'y', 'b', 'c'))).toEqual({ was: 1, is: 3 });
    expect(sameRow(['text', 'b'], 0, places('x', 'longer', 'b'))).toEqual({ was: 1, is: 2 });
  });

  it('is one before it when nothing behind it is left, and none where nothing is', () => {
    expect(sameRow(['a', 'b', 'c'], 2, places('a', 'b'))).toEqual({ was: 1, is: 1 });
    expect(sameRow(['a'], 0, places('b'))).toBeNull();
    expect(sameRow([], 0, places('b'))).toBeNull();
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
