// The review of one file's diff, drawn by `@pierre/diffs`: unified or side by side, windowed, coloured by a worker. This is
// the one place that knows the library; it is loaded when a diff is first reviewed.
import {
  processFile,
  registerCustomTheme,
  VirtualizedFileDiff,
  Virtualizer,
  type DiffLineAnnotation,
  type FileDiffMetadata,
  type HunkData,
  type SelectionSide,
} from '@pierre/diffs';
import { WorkerPoolManager } from '@pierre/diffs/worker';
import type { FileSides } from '../../backend/changes';
import { colours, theme } from '../../shared/colouring';
import type { At, DiffFile, Side } from '../../shared/diff';
import { positions } from '../../shared/diffText';
import { languageOf } from '../../shared/languages';
import { shownLine, shownText } from '../shown';
import { lookSheet } from './sheet';
import { classSheet } from './styles';

/** A note under a line; `key` names it for as long as it stands there. */
export type Note = At & { key: string };

export type ReviewOptions = {
  path: string;
  file: DiffFile;
  mixedLineEnds: boolean;
  style: 'unified' | 'split';
  /** Both sides of the file, when somebody wants to see more of it; null where there is nothing to see. */
  sides: () => Promise<FileSides | null>;
  /** What stands at the end of a hunk's head, by its number from 0. */
  head: (hunk: number) => HTMLElement | null;
  note: (key: string) => HTMLElement | undefined;
  /** Lines are there to be seen; before that nothing is. */
  ondrawn: () => void;
  /** The button beside a line was pressed. */
  oncomment: (at: At) => void;
};

type Meta = { key: string };

const THEME = 'kandev';
/** Lines that one press shows more. */
const STEP = 40;
const LINE = 20;
const HEAD = 28;

const SIDES = { old: 'deletions', new: 'additions' } as const satisfies Record<Side, SelectionSide>;

// Each colour of the app's theme is only a name; here the name is its token.
registerCustomTheme(THEME, () =>
  Promise.resolve({
    name: THEME,
    type: 'dark' as const,
    fg: 'var(--text-1)',
    bg: 'var(--surface-code)',
    settings: theme.settings.map((one) => ({
      ...one,
      settings: { foreground: tokenOf(one.settings.foreground), background: 'var(--surface-code)' },
    })),
  }),
);

function tokenOf(colour: string): string {
  const name = colours[colour];
  return name === undefined ? 'var(--text-1)' : `var(--syn-${name})`;
}

let pool: WorkerPoolManager | null = null;

function workers(): WorkerPoolManager | undefined {
  if (typeof Worker === 'undefined') return undefined;
  pool ??= new WorkerPoolManager(
    {
      workerFactory: () => new Worker(new URL('./colours.worker.ts', import.meta.url), { type: 'module' }),
      poolSize: 1,
      totalASTLRUCacheSize: 20,
    },
    { theme: THEME },
  );
  return pool;
}

export class ReviewView {
  private readonly virtualizer = new Virtualizer({ overscrollSize: 600 });
  private readonly box = document.createElement('diffs-container');
  private readonly diff: VirtualizedFileDiff<Meta>;
  private readonly meta: FileDiffMetadata;
  /** Lines that are hidden before each hunk. */
  private readonly hidden: number[];
  private notes: Note[] = [];
  /** The head of the first hunk, where nothing is hidden before it. */
  private lead: HTMLElement | null = null;
  private loaded: Promise<FileSides | null> | null = null;
  private over = false;

  constructor(
    private readonly scroller: HTMLElement,
    content: HTMLElement,
    private readonly options: ReviewOptions,
  ) {
    this.meta = metaOf(options);
    this.hidden = options.file.hunks.map((_, i) => this.meta.hunks[i]?.collapsedBefore ?? 0);
    this.box.shadowRoot?.adoptedStyleSheets.push(lookSheet(), classSheet());
    content.append(this.box);
    this.placeLead();
    this.virtualizer.setup(scroller, content);
    const metrics = {
      hunkLineCount: 50,
      lineHeight: LINE,
      diffHeaderHeight: 0,
      hunkSeparatorHeight: HEAD,
      spacing: 0,
      paddingTop: 0,
      paddingBottom: 0,
    };
    this.diff = new VirtualizedFileDiff<Meta>(this.settings(options.style), this.virtualizer, metrics, workers());
    this.render();
  }

  setStyle(style: 'unified' | 'split'): void {
    this.diff.setOptions(this.settings(style));
    this.render();
  }

  setNotes(notes: Note[]): void {
    this.notes = notes;
    this.render();
  }

  /** Shows which line is meant; scrolls there. */
  select(at: At | null): void {
    const range = at === null ? null : { start: at.line, end: at.line, side: SIDES[at.side], endSide: SIDES[at.side] };
    this.diff.setSelectedLines(range, { notify: false });
    if (at) this.reveal(at);
  }

  reveal(at: At): void {
    const place = this.diff.getLinePosition(at.line, SIDES[at.side]);
    if (!place) return;
    const { scrollTop, clientHeight } = this.scroller;
    const top = this.box.offsetTop + place.top;
    if (top - LINE < scrollTop) this.virtualizer.scrollTo({ top: Math.max(0, top - 3 * LINE) });
    else if (top + 2 * LINE > scrollTop + clientHeight)
      this.virtualizer.scrollTo({ top: top - clientHeight + 4 * LINE });
  }

  destroy(): void {
    this.over = true;
    this.diff.cleanUp();
    this.virtualizer.cleanUp();
    this.box.remove();
    this.lead?.remove();
  }

  private render(): void {
    this.diff.render({ fileDiff: this.meta, fileContainer: this.box, lineAnnotations: this.annotations() });
  }

  private settings(style: 'unified' | 'split') {
    const { options } = this;
    return {
      theme: THEME,
      diffStyle: style,
      diffIndicators: 'classic' as const,
      disableFileHeader: true,
      lineDiffType: 'word-alt' as const,
      overflow: 'scroll' as const,
      expansionLineCount: STEP,
      collapsedContextThreshold: 0,
      enableGutterUtility: true,
      lineHoverHighlight: 'number' as const,
      hunkSeparators: (hunk: HunkData) => this.separator(hunk),
      onPostRender: () => {
        if (this.box.shadowRoot?.querySelector('[data-line]')) options.ondrawn();
      },
      renderAnnotation: (annotation: DiffLineAnnotation<Meta>) => {
        const [, head] = /^head:(\d+)$/.exec(annotation.metadata.key) ?? [];
        return head === undefined ? options.note(annotation.metadata.key) : this.headRow(Number(head), []);
      },
      onGutterUtilityClick: (range: { start: number; side?: SelectionSide }) =>
        options.oncomment({ line: range.start, side: range.side === 'deletions' ? 'old' : 'new' }),
      ...(options.file.oldPath !== null && options.file.newPath !== null
        ? { loadDiffFiles: () => this.load() }
        : undefined),
    };
  }

  /** Both sides of the file, asked for once; null where they cannot be shown. */
  private bothSides(): Promise<FileSides | null> {
    this.loaded ??= this.options.sides();
    return this.loaded;
  }

  private async load() {
    const sides = await this.bothSides();
    if (sides === null || sides.old === null || sides.new === null) throw new Error('there is no more to show');
    const file = (contents: string) => ({
      name: this.options.path,
      contents: shownText(contents, this.options.mixedLineEnds),
    });
    return { oldFile: file(sides.old), newFile: file(sides.new) };
  }

  /** Notes, and the heads of hunks before which nothing is hidden: those have no separator to stand in. */
  private annotations(): DiffLineAnnotation<Meta>[] {
    const gone = this.meta.type === 'deleted';
    const heads = this.options.file.hunks.flatMap((hunk, i): DiffLineAnnotation<Meta>[] => {
      if (i === 0 || (this.hidden[i] ?? 0) > 0) return [];
      const lineNumber = (gone ? hunk.oldStart : hunk.newStart) - 1;
      return [{ side: gone ? 'deletions' : 'additions', lineNumber, metadata: { key: `head:${i}` } }];
    });
    const notes = this.notes.map(({ key, side, line }) => ({ side: SIDES[side], lineNumber: line, metadata: { key } }));
    return [...heads, ...notes];
  }

  private separator(data: HunkData): HTMLElement {
    const index = data.hunkIndex;
    const more = document.createElement('span');
    more.className = 'review-more';
    const say = (text: string, direction: 'up' | 'down' | 'both') => {
      const button = document.createElement('button');
      button.type = 'button';
      button.textContent = text;
      button.addEventListener('click', () => void this.expand(index, direction));
      more.append(button);
    };
    const tail = index >= this.options.file.hunks.length;
    const ended = tail && this.options.file.hunks.at(-1)?.lines.at(-1)?.noNewline === true;
    if (ended) more.textContent = 'End of the file';
    else if (data.expandable && data.type !== 'additions') {
      if (!data.lineCountKnown) say('Show what follows', 'up');
      else if (data.lines <= STEP || tail || index === 0)
        say(`Show ${Math.min(data.lines, STEP)} more`, index === 0 ? 'down' : tail ? 'up' : 'both');
      else {
        say(`Show ${STEP} below`, 'up');
        say(`${STEP} above`, 'down');
      }
    }
    return this.headRow(index, [more], data.type);
  }

  private async expand(index: number, direction: 'up' | 'down' | 'both'): Promise<void> {
    const sides = await this.bothSides();
    if (sides?.old == null || sides.new === null) {
      // It may be there the next time.
      this.loaded = null;
      return;
    }
    if (this.over) return;
    this.diff.expandHunk(index, direction);
    const step = direction === 'both' ? 2 * STEP : STEP;
    if (index < this.hidden.length) this.hidden[index] = Math.max(0, (this.hidden[index] ?? 0) - step);
    if (this.hidden[index] !== 0) return;
    this.placeLead();
    this.render();
  }

  private placeLead(): void {
    if (this.lead !== null || (this.hidden[0] ?? 0) > 0 || this.hidden.length === 0) return;
    this.lead = this.headRow(0, []);
    this.lead.classList.add('review-lead');
    this.box.before(this.lead);
  }

  private headRow(index: number, more: HTMLElement[], column: HunkData['type'] = 'unified'): HTMLElement {
    const row = document.createElement('div');
    row.className = 'review-head';
    const hunk = this.options.file.hunks[index];
    if (hunk && column !== 'additions') {
      const words = document.createElement('code');
      words.textContent = hunk.section ? `${positions(hunk)} ${hunk.section}` : positions(hunk);
      row.append(words);
    }
    const space = document.createElement('span');
    space.className = 'review-space';
    row.append(space, ...more);
    const end = hunk && column !== 'deletions' ? this.options.head(index) : null;
    if (end) row.append(end);
    return row;
  }
}

/** The diff as the library reads it: with our reading of it, each line as it shall be shown. */
function metaOf({ file, path, mixedLineEnds }: ReviewOptions): FileDiffMetadata {
  const signs = { context: ' ', added: '+', removed: '-' };
  const hunks = file.hunks.map((hunk) => {
    const lines = hunk.lines.map((line) => {
      const end = line.noNewline ? '\n\\ No newline at end of file\n' : '\n';
      return `${signs[line.kind]}${shownLine(line.text, line.crlf, mixedLineEnds)}${end}`;
    });
    return `${positions(hunk)}\n${lines.join('')}`;
  });
  const name = 'file';
  const head = `--- ${file.oldPath === null ? '/dev/null' : name}\n+++ ${file.newPath === null ? '/dev/null' : name}\n`;
  const meta = processFile(head + hunks.join(''), { isGitDiff: false, throwOnError: true });
  if (!meta) throw new Error('the library could not read the diff');
  meta.name = path;
  delete meta.prevName;
  meta.type = file.oldPath === null ? 'new' : file.newPath === null ? 'deleted' : 'change';
  meta.lang = languageOf(path) ?? 'text';
  return meta;
}
