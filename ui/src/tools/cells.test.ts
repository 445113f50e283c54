import { describe, expect, it } from 'vitest';
import type { Mutation } from '../bindings/bindings';
import { cellChange, cellWords } from './cells';

const mutation = (change: Partial<Mutation>): Mutation => ({
  type: 'patch',
  content: null,
  old_content: null,
  new_content: null,
  diff: null,
  start_line: 1,
  ...change,
});

describe('an edit of a notebook', () => {
  it('is the change of a cell, with its number and its language', () => {
    const change = cellChange(
      'plots.ipynb',
      mutation({
        old_content: 'x = 1\ny = 2\n',
        new_content: 'x = 1\ny = 3\n',
        diff: '--- a/plots.ipynb\n+++ b/plots.ipynb\n@@ -10,9 +10,5 @@ cell 3, python\n-   "execution_count": 4,\n+   "execution_count": null,\n',
      }),
    );
    expect(change).toEqual({
      title: 'Cell 3',
      what: 'changed',
      language: 'python',
      diff: '@@ -1,2 +1,2 @@\n x = 1\n-y = 2\n+y = 3\n',
      cleared: true,
    });
    expect(change && cellWords(change)).toBe('Cell 3 was changed; what it had put out is cleared');
  });

  it('names a cell that is put in, by what the notebook calls it', () => {
    const diff = '@@ -2,0 +3,6 @@\n+   "cell_type": "markdown",\n+   "id": "a1b2",\n';
    const change = cellChange('a.ipynb', mutation({ new_content: '# Title', diff }));
    expect(change && [cellWords(change), change.language]).toEqual(['Cell a1b2 was put in', 'markdown']);
  });

  it('tells a cell that is taken out from one that is emptied', () => {
    const out = '@@ -2,4 +2,0 @@\n-   "cell_type": "code",\n-   "id": "x",\n';
    const emptied = '@@ -9 +9 @@\n-   "source": "x"\n+   "source": ""\n';
    const what = (diff: string) => cellChange('a.ipynb', mutation({ old_content: 'x', new_content: '', diff }))?.what;
    expect([what(out), what(emptied)]).toEqual(['taken out', 'changed']);
  });

  it('is no edit of a notebook in another file, or without sources', () => {
    expect(cellChange('a.py', mutation({ new_content: 'x' }))).toBeNull();
    expect(cellChange('a.ipynb', mutation({ content: '{}' }))).toBeNull();
  });
});
