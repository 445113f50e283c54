import { describe, expect, it } from 'vitest';
import type { TodoItem } from '../bindings/bindings';
import { listed, progressOf, todoLines, waitsFor, wordsOf } from './todos';
import { randomFrom } from './testing/texts';

const todo = (id: string, status: string, over: Partial<TodoItem> = {}): TodoItem => ({
  id,
  description: `Do ${id}`,
  status,
  active_form: `Doing ${id}`,
  ...over,
});

describe('a todo list', () => {
  it('is done when all of it is, and not before', () => {
    expect(progressOf([])).toEqual({ done: 0, total: 0, now: null, over: false });
    const items = [todo('1', 'completed'), todo('2', 'in_progress'), todo('3', 'deleted')];
    expect(progressOf(items)).toMatchObject({ done: 1, total: 2, now: { id: '2' }, over: false });
    expect(progressOf([todo('1', 'completed'), todo('3', 'deleted')])).toMatchObject({ done: 1, total: 1, over: true });
  });

  it('says what is being done while it is', () => {
    expect(wordsOf(todo('1', 'in_progress'))).toBe('Doing 1');
    expect(wordsOf(todo('1', 'pending'))).toBe('Do 1');
    expect(wordsOf(todo('1', 'in_progress', { active_form: null }))).toBe('Do 1');
    expect(wordsOf(todo('7', 'pending', { description: null, active_form: null }))).toBe('Number 7');
  });

  it('names what waits for what is not done', () => {
    const items = [todo('1', 'completed'), todo('2', 'pending'), todo('3', 'pending', { blocked_by: ['1', '2', '9'] })];
    expect(waitsFor(items[2] as TodoItem, items)).toEqual(['Do 2', 'number 9']);
    expect(waitsFor({ ...(items[2] as TodoItem), status: 'completed' }, items)).toEqual([]);
  });

  it('that is short is there whole', () => {
    const items = Array.from({ length: 12 }, (_, i) => todo(String(i), 'completed'));
    expect(todoLines(items, new Set())).toHaveLength(12);
  });

  it('that is long folds what is done and what is far off, and never what is being done', () => {
    const items = [
      ...Array.from({ length: 20 }, (_, i) => todo(`a${i}`, 'completed')),
      todo('now', 'in_progress'),
      ...Array.from({ length: 40 }, (_, i) => todo(`b${i}`, 'pending')),
    ];
    const lines = todoLines(items, new Set());
    expect(lines[0]).toMatchObject({ kind: 'fold', count: 20, done: true });
    expect(lines[1]).toMatchObject({ kind: 'item', item: { id: 'now' } });
    expect(lines.at(-1)).toMatchObject({ kind: 'fold', count: 32, done: false });
    expect(todoLines(items, new Set(['fold a0']))).toHaveLength(20 + 1 + 8 + 1);
  });

  it('loses none, keeps their order, and opens at most so many at once', () => {
    const random = randomFrom(2);
    for (let n = 0; n < 200; n++) {
      const items = Array.from({ length: random(900) }, (_, i) =>
        todo(
          String(i),
          ['completed', 'completed', 'pending', 'in_progress', 'deleted'][random(random(5) + 1)] ?? 'pending',
        ),
      );
      const folded = todoLines(items, new Set());
      const counted = folded.reduce((sum, line) => sum + (line.kind === 'fold' ? line.count : 1), 0);
      expect(counted).toBe(listed(items).length);
      expect(folded.every((line) => line.kind === 'item' || line.count <= 200)).toBe(true);
      const opened = todoLines(items, new Set(folded.map((line) => line.key)));
      expect(opened.map((line) => (line.kind === 'item' ? line.item.id : ''))).toEqual(
        listed(items).map((one) => one.id),
      );
    }
  });
});
