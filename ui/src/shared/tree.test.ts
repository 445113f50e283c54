import { describe, expect, it } from 'vitest';
import { FEW, MOST, textAt, treeOf, untouched, valueAt, type TreeLine } from './tree';

const words = (value: unknown, state = untouched) =>
  treeOf(value, state).lines.map((line) => {
    const shape =
      line.kind === 'leaf'
        ? line.text
        : line.kind === 'branch'
          ? `${line.open ? 'v' : '>'}${line.count}`
          : `+${line.left}`;
    return `${'  '.repeat(line.depth - 1)}${line.kind === 'more' ? '' : `${line.name ?? ''}: `}${shape}`;
  });

describe('a value as a tree', () => {
  it('says what is null, empty and missing', () => {
    expect(words({ a: null, b: '', c: [], d: {}, e: undefined, f: false, g: 0 })).toEqual([
      'a: null',
      'b: empty text',
      'c: empty list',
      'd: no fields',
      'e: not there',
      'f: false',
      'g: 0',
    ]);
    expect(words('alone')).toEqual([': alone']);
    expect(words([])).toEqual([': empty list']);
  });

  it('opens what is small and near, and folds the rest', () => {
    expect(words({ a: { b: { c: { d: 1 } } }, many: Array.from({ length: 21 }, () => 0) })).toEqual([
      'a: v1',
      '  b: v1',
      '    c: >1',
      'many: >21',
    ]);
    const open = new Map([
      ['a.b', false],
      ['many', true],
    ]);
    expect(words({ a: { b: { c: 1 } }, many: [0, 0] }, { ...untouched, open })).toEqual([
      'a: v1',
      '  b: >1',
      'many: v2',
      '  0: 0',
      '  1: 0',
    ]);
  });

  it('folds a long text, not between the halves of a character', () => {
    const [line] = treeOf(`${'x'.repeat(399)}\u{1f600}${'y'.repeat(900)}`, untouched).lines;
    expect(line).toMatchObject({ kind: 'leaf', text: 'x'.repeat(399), cut: 902, long: true });
    const [lines] = treeOf('a\n'.repeat(40), untouched).lines;
    expect(lines).toMatchObject({ text: `${'a\n'.repeat(7)}a`, long: true });
    const [whole] = treeOf('a\n'.repeat(40), { ...untouched, whole: new Set(['']) }).lines;
    expect(whole).toMatchObject({ cut: 0, long: true });
  });

  it('draws 10 000 keys in steps, and never more lines than it may', () => {
    const many = Object.fromEntries(Array.from({ length: 10_000 }, (_, i) => [`key ${i}`, i]));
    expect(treeOf(many, untouched).lines).toHaveLength(FEW + 1);
    expect(treeOf(many, untouched).lines.at(-1)).toMatchObject({ kind: 'more', left: 10_000 - FEW });
    const all = treeOf(many, { ...untouched, shown: new Map([['', 10_000]]) });
    expect(all.lines).toHaveLength(MOST);
    expect(all.cut).toBe(true);
  });

  it.each([
    [{ a: [{ 'odd "key"': { b: 5 } }] }, 'a[0]["odd \\"key\\""].b', 5],
    [[['x']], '[0][0]', 'x'],
    [{ '': 1 }, '[""]', 1],
    [{ 'a.b': 1 }, '["a.b"]', 1],
  ])('names each place so that it is found again: %#', (value, path, expected) => {
    const { lines } = treeOf(value, { ...untouched, open: new Map([['a[0]["odd \\"key\\""]', true]]) });
    expect(lines.map((line) => line.path)).toContain(path);
    expect(valueAt(value, path)).toBe(expected);
  });

  it('copies a text as it is and the rest as JSON', () => {
    const value = { a: 'two\nlines', b: { c: [1] } };
    const at = (path: string) => treeOf(value, untouched).lines.find((line) => line.path === path) as TreeLine;
    expect(textAt(value, at('a'))).toBe('two\nlines');
    expect(textAt(value, at('b'))).toBe('{\n  "c": [\n    1\n  ]\n}');
  });
});
