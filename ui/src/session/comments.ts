// Comments on lines of a change: they wait above the prompt and go in front of it as plain text. Pure.
import type { At, Side } from '../shared/diff';

export type Comment = {
  id: string;
  /** As the prompt shall name it. */
  path: string;
  line: number;
  side: Side;
  text: string;
  /** The line itself, as it stood there. */
  quoted: string;
};

/** UTF-16 units of the quoted line that go along: enough to find it by. */
const QUOTED = 300;

/** `src/a.rs:38`, and which side is meant where that is the old one. */
export function placeOf(comment: Pick<Comment, 'path' | 'line' | 'side'>): string {
  return `${comment.path}:${comment.line}${comment.side === 'old' ? ' (as it was before)' : ''}`;
}

/** The prompt with the comments in front of it. */
export function promptWith(comments: readonly Comment[], text: string): string {
  if (comments.length === 0) return text;
  const said = comments.map(({ quoted, text: words, ...place }) => {
    const line = quoted.trim().slice(0, QUOTED);
    const lines = words.trim().split('\n').join('\n  ');
    return `- ${placeOf(place)}: ${lines}${line === '' ? '' : `\n  > ${line}`}`;
  });
  return `Comments on the changes:\n\n${said.join('\n')}${text.trim() === '' ? '' : `\n\n${text}`}`;
}

export function isAt(comment: Comment, path: string, at: At): boolean {
  return comment.path === path && comment.side === at.side && comment.line === at.line;
}

/** What was kept, as far as it is what we keep. */
export function readComments(kept: unknown): Comment[] {
  return Array.isArray(kept) ? kept.filter(isComment) : [];
}

function isComment(value: unknown): value is Comment {
  if (typeof value !== 'object' || value === null) return false;
  const { id, path, line, side, text, quoted } = value as Record<string, unknown>;
  const words = [id, path, text, quoted].every((one) => typeof one === 'string');
  return words && typeof line === 'number' && (side === 'old' || side === 'new');
}
