// What is copied from a timeline: a row, the turn around it, or what is selected. Pure but for the selection, which it reads.
import type { Row } from '../session/rows';
import { asMarkdown, fenced, rowsAsMarkdown } from './asMarkdown';
import type { Entry } from './entries';

export type Copied = 'row' | 'turn' | 'selection';

/** A line of the timeline: a row, or all rows of a group. */
export function entryAsMarkdown(entry: Entry, workspace: string): string {
  if (entry.kind !== 'group' || !entry.run) return asMarkdown(entry.row, workspace);
  return rowsAsMarkdown(
    entry.run.members.map((member) => member.row),
    workspace,
  );
}

/** The turn in which a line stands, at whatever depth. */
export function turnOf(rows: readonly Row[], entry: Entry, workspace: string): string {
  let outer = entry;
  while (outer.level.owner) outer = outer.level.owner;
  return rowsAsMarkdown(turnAround(rows, outer.at), workspace);
}

/** The rows of the turn in which a row of the main thread stands: from its prompt to its end. */
export function turnAround(rows: readonly Row[], at: number): Row[] {
  let from = Math.min(at, rows.length - 1);
  // The end of a turn belongs to it, what stands behind it does not.
  while (from > 0 && !startsTurn(rows[from]) && rows[from - 1]?.kind !== 'turn') from -= 1;
  let to = from;
  while (to < rows.length - 1 && rows[to]?.kind !== 'turn') {
    if (to >= at && startsTurn(rows[to + 1])) break;
    to += 1;
  }
  return rows.slice(from, to + 1).filter((row) => row.behind === undefined);
}

const startsTurn = (row: Row | undefined) => row?.kind === 'prompt' && !row.synthetic && row.queue === undefined;

/** What is selected, row by row: a row that is selected whole as what it is, a part of one as its text. */
export function selectionAsMarkdown(
  selection: Selection | null,
  articles: { element: Element; entry: Entry }[],
  workspace: string,
): string {
  if (!selection || selection.isCollapsed || selection.rangeCount === 0) return '';
  const range = selection.getRangeAt(0);
  const texts: string[] = [];
  for (const { element, entry } of articles) {
    if (!range.intersectsNode(element)) continue;
    const within = document.createRange();
    within.selectNodeContents(element);
    const [whole, all] = [wordsOf(within), within.cloneRange()];
    if (range.compareBoundaryPoints(Range.START_TO_START, all) > 0)
      all.setStart(range.startContainer, range.startOffset);
    if (range.compareBoundaryPoints(Range.END_TO_END, all) < 0) all.setEnd(range.endContainer, range.endOffset);
    const part = all.toString();
    if (wordsOf(all) === '') continue;
    const inCode = parentOf(all.commonAncestorContainer)?.closest('pre');
    texts.push(wordsOf(all) === whole ? entryAsMarkdown(entry, workspace) : inCode ? fenced(part, '') : part.trim());
  }
  return texts.join('\n\n');
}

const wordsOf = (range: Range) => range.toString().replace(/\s+/g, '');

const parentOf = (node: Node) => (node instanceof Element ? node : node.parentElement);
