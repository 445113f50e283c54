// The cells of a notebook, as Read tells them: `<cell id="c1">source</cell id="c1">`, and outputs between them. Pure.

export type Cell = { id: string; type: 'code' | 'markdown'; language: string | null; source: string; output: string };

const OPEN = /<cell id="([^"]*)">(?:<cell_type>([^<]*)<\/cell_type>)?(?:<language>([^<]*)<\/language>)?/g;

/** Null where the text is no notebook's. */
export function readCells(content: string): Cell[] | null {
  if (!content.trimStart().startsWith('<cell id="')) return null;
  const cells: Cell[] = [];
  OPEN.lastIndex = 0;
  for (let open = OPEN.exec(content); open; open = OPEN.exec(content)) {
    const [all, id = '', type, language] = open;
    const close = `</cell id="${id}">`;
    const from = open.index + all.length;
    const end = content.indexOf(close, from);
    if (end === -1) return null;
    const next = content.indexOf('<cell id="', end);
    cells.push({
      id,
      type: type === 'markdown' ? 'markdown' : 'code',
      language: language ?? null,
      source: content.slice(from, end),
      output: content.slice(end + close.length, next === -1 ? undefined : next).trim(),
    });
    OPEN.lastIndex = next === -1 ? content.length : next;
  }
  return cells;
}
