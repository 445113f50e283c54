// An edit of a notebook as the change of one cell's source, which is what was meant; the file's JSON is only how it is kept.
// Pure.
import type { Mutation } from '../bindings/bindings';
import { languageNamed, type Language } from '../shared/languages';
import { lineDiff } from '../shared/lineDiff';

export type CellChange = {
  /** "Cell 3", or by the name that the notebook gives it. */
  title: string;
  what: 'changed' | 'put in' | 'taken out';
  language: Language;
  diff: string;
  /** What the cell had put out is gone with the old source. */
  cleared: boolean;
};

export function cellChange(path: string, mutation: Mutation): CellChange | null {
  const { old_content: before, new_content: after, diff } = mutation;
  if (!/\.ipynb$/i.test(path) || (before === null && after === null)) return null;
  const text = diff ?? '';
  // The head of a hunk names the cell where it is known, as other heads name the function.
  const [, number, spoken] = /^@@ .* @@ cell (\d+)(?:, (\S+))?/m.exec(text) ?? [];
  const [, id] = /^[ +-]\s*"id": "([^"]+)"/m.exec(text) ?? [];
  const markdown = spoken === 'markdown' || /^[ +]\s*"cell_type": "markdown"/m.test(text);
  const gone = after === null || (after === '' && /^-\s*"cell_type":/m.test(text) && !/^\+\s*"cell_type":/m.test(text));
  return {
    title: number !== undefined ? `Cell ${number}` : id !== undefined ? `Cell ${id}` : 'Cell',
    what: gone ? 'taken out' : before === null ? 'put in' : 'changed',
    language: markdown ? 'markdown' : (languageNamed(spoken) ?? 'python'),
    diff: lineDiff(before ?? '', after ?? '', 1, 3),
    cleared: /^-\s*"(output_type|execution_count": \d)/m.test(text),
  };
}

/** `Cell 3 was changed, what it had put out is cleared` */
export function cellWords(change: CellChange): string {
  const says = { changed: 'was changed', 'put in': 'was put in', 'taken out': 'was taken out' }[change.what];
  const cleared = change.cleared && change.what === 'changed' ? '; what it had put out is cleared' : '';
  return `${change.title} ${says}${cleared}`;
}
