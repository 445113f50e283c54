// Several changes of one file, each on top of the one before, as the one change that they come to. Pure. A file that was
// edited ten times has ten diffs, whose line numbers are those of ten different texts; a person wants to see one.
import { diffText } from './diffText';
import { parseDiff, type DiffFile, type DiffLine, type Hunk } from './diff';
import { commonLines, hunksOf } from './lineDiff';

/** A line's text with how it ends. */
type Text = string;
/** One step over a file: lines that stay (`null`: what they say is not known), one that goes, one that comes. */
type Step =
  { kind: 'keep'; text: Text | null; count: number } | { kind: 'cut'; text: Text } | { kind: 'put'; text: Text };

/** The diffs of one file, the oldest first, as one; null where they do not follow on one another. '' when nothing is left. */
export function joinDiffs(diffs: readonly string[]): string | null {
  const files: DiffFile[] = [];
  for (const diff of diffs) {
    const parsed = parseDiff(diff).files;
    for (const file of parsed) {
      if (file.binary) return null;
      files.push(file);
    }
  }
  const [first, ...later] = files;
  if (!first) return '';
  if (later.length === 0) return diffText(first);
  let steps = stepsOf(first);
  const { oldPath } = first;
  let { newPath } = first;
  for (const file of later) {
    const next = stepsOf(file);
    if (steps === null || next === null) return null;
    steps = joined(steps, next);
    newPath = file.newPath;
  }
  if (steps === null) return null;
  // A file that came and went again is as if nothing had been.
  if (oldPath === null && newPath === null && first.oldPath === null && first.newPath !== null) return '';
  const hunks = hunksOf(linesOf(settled(steps)));
  return hunks.length === 0 ? '' : diffText({ oldPath, newPath, hunks: named(hunks, files) });
}

/** Null where hunks overlap or are out of order: these are several diffs in one. */
function stepsOf(file: DiffFile): Step[] | null {
  const steps: Step[] = [];
  let at = 1;
  for (const hunk of file.hunks) {
    const old = hunk.lines.filter((line) => line.old !== null).length;
    // Where a side has no line, its start is the line before.
    const start = old === 0 ? hunk.oldStart + 1 : hunk.oldStart;
    if (start < at) return null;
    if (start > at) steps.push({ kind: 'keep', text: null, count: start - at });
    for (const line of hunk.lines) {
      const text = textOf(line);
      if (line.kind === 'context') steps.push({ kind: 'keep', text, count: 1 });
      else steps.push({ kind: line.kind === 'removed' ? 'cut' : 'put', text });
    }
    at = start + old;
  }
  return steps;
}

/** `first` and then `second`: what `first` put is what `second` keeps or cuts. */
function joined(first: Step[], second: Step[]): Step[] | null {
  const steps: Step[] = [];
  let at = 0;
  /** Of the step `at` that keeps several lines, so many are behind us. */
  let used = 0;

  /** What the first change cut stands before the next line that it left. */
  const passCuts = () => {
    for (let step = first[at]; step?.kind === 'cut'; step = first[++at]) steps.push(step);
  };

  for (const step of second) {
    if (step.kind === 'put') {
      steps.push(step);
      continue;
    }
    let left = step.kind === 'cut' ? 1 : step.count;
    while (left > 0) {
      passCuts();
      const below = first[at];
      // Beyond the first change the file is as it was.
      if (below === undefined) {
        steps.push(step.kind === 'cut' ? step : { ...step, count: left });
        break;
      }
      if (below.kind === 'cut') continue;
      const known = step.text;
      if (known !== null && below.text !== null && known !== below.text) return null;
      if (below.kind === 'put') {
        if (step.kind === 'keep') steps.push(below);
        at++;
        left--;
        continue;
      }
      const take = Math.min(left, below.count - used);
      if (step.kind === 'cut') steps.push(step);
      else steps.push({ kind: 'keep', text: below.text ?? known, count: take });
      used += take;
      left -= take;
      if (used === below.count) {
        at++;
        used = 0;
      }
    }
  }
  const rest = first[at];
  if (rest?.kind === 'keep' && used > 0) {
    if (rest.count > used) steps.push({ ...rest, count: rest.count - used });
    at++;
  }
  for (; at < first.length; at++) {
    const step = first[at];
    if (step) steps.push(step);
  }
  return steps;
}

/** Within each run of changes: what was cut and put again stays; what is cut stands before what is put. */
function settled(steps: Step[]): Step[] {
  const out: Step[] = [];
  let cut: Text[] = [];
  let put: Text[] = [];
  const flush = () => {
    let [c, p] = [0, 0];
    for (const [i, j] of [...commonLines(cut, put), [cut.length, put.length] as const]) {
      while (c < i) out.push({ kind: 'cut', text: cut[c++] ?? '' });
      while (p < j) out.push({ kind: 'put', text: put[p++] ?? '' });
      if (c < cut.length && p < put.length) {
        out.push({ kind: 'keep', text: cut[c++] ?? '', count: 1 });
        p++;
      }
    }
    [cut, put] = [[], []];
  };
  for (const step of steps) {
    if (step.kind === 'cut') cut.push(step.text);
    else if (step.kind === 'put') put.push(step.text);
    else {
      flush();
      out.push(step);
    }
  }
  flush();
  return out;
}

/** With their numbers; a run of lines that nothing is known of is one `null`, which parts hunks. */
function linesOf(steps: Step[]): (DiffLine | null)[] {
  const lines: (DiffLine | null)[] = [];
  let [old, now] = [1, 1];
  for (const step of steps) {
    if (step.kind === 'keep' && step.text === null) {
      lines.push(null);
      old += step.count;
      now += step.count;
      // The line before a hunk without lines on a side is named by its number alone.
      lines.push({ ...lineOf('', 'context'), old: old - 1, new: now - 1 }, null);
      continue;
    }
    const kind = step.kind === 'keep' ? 'context' : step.kind === 'cut' ? 'removed' : 'added';
    lines.push({
      ...lineOf(step.text ?? '', kind),
      old: kind === 'added' ? null : old++,
      new: kind === 'removed' ? null : now++,
    });
  }
  return lines;
}

/** The functions around the hunks, as the diffs named them. */
function named(hunks: Hunk[], files: DiffFile[]): Hunk[] {
  const last = files.at(-1)?.hunks ?? [];
  return hunks.map((hunk) => {
    const one = last.find(
      (other) => other.newStart >= hunk.newStart && other.newStart < hunk.newStart + hunk.lines.length,
    );
    return { ...hunk, section: one?.section ?? '' };
  });
}

const textOf = (line: DiffLine): Text => `${line.text}${line.crlf ? '\r' : ''}${line.noNewline ? '' : '\n'}`;

function lineOf(text: Text, kind: DiffLine['kind']): DiffLine {
  const noNewline = !text.endsWith('\n');
  const bare = noNewline ? text : text.slice(0, -1);
  const crlf = bare.endsWith('\r');
  return { kind, old: null, new: null, text: crlf ? bare.slice(0, -1) : bare, crlf, noNewline };
}
