// A line as the review shows it: what cannot be seen is written out, line ends where they differ, and no line is so long
// that it would hold up the page. Pure; lines stay lines, so that line numbers hold.
import { unseen } from '../shared/unseen';

/** UTF-16 units of a line that are shown. */
const MOST = 10_000;

export function shownLine(text: string, crlf: boolean, mixed: boolean): string {
  const cut = text.length > MOST ? text.slice(0, MOST) : text;
  let out = '';
  let at = 0;
  for (const { from, to, name } of unseen(cut)) {
    out += `${cut.slice(at, from)}⟨${name}⟩`;
    at = to;
  }
  out += cut.slice(at);
  if (text.length > MOST) out += ` ⟨${text.length - MOST} more characters⟩`;
  return mixed && crlf ? `${out}⟨CR LF⟩` : out;
}

/** A whole text, line by line. */
export function shownText(text: string, mixed: boolean): string {
  return text
    .split('\n')
    .map((line) => {
      const crlf = line.endsWith('\r');
      return shownLine(crlf ? line.slice(0, -1) : line, crlf, mixed);
    })
    .join('\n');
}
