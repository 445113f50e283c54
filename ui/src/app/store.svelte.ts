// One session's view made reactive. The backend hands over at most one batch per frame, so each batch is drawn once. What
// is read far from the end is a second view beside it, so that questions, todos and tasks are always those of the end.
import type { Slice } from '../backend/history';
import type { Event } from '../bindings/bindings';
import { appendSlice, copyOf, isLong, openSlice, prependSlice, ROWS, sliceOf, trimTop } from '../session/slices';
import { apply, emptyView, type SessionView } from '../session/view';
import type { Outline } from '../timeline/outline';

export type Where = { before: number } | { after: number };
type Side = 'earlier' | 'later';

export class SessionStore {
  /** The end of the session, as it goes on. */
  readonly view: SessionView = emptyView();
  /** Another part of the session, while somebody reads there. */
  detached = $state.raw<SessionView | null>(null);
  /** What there is of the session has been read. */
  opened = $state(false);
  /** Rises when a view has changed; whoever reads one in an effect reads this first. */
  tick = $state(0);
  /** Which part is being read, and which could not be. */
  loading = $state<Side | null>(null);
  failed = $state<Side | null>(null);
  /** Says to the timeline: go to that event and point at it. */
  pointed = $state.raw<{ seq: number; focus: boolean } | null>(null);
  /** Which rows a person opened or closed, by row key. */
  readonly folds = new Map<string, boolean>();
  /** What the timeline shows, line by line, for when it is shown again. */
  outline: Outline | null = null;
  /** Where the timeline was left: null while it follows the end. */
  left: { key: string; offset: number } | null = null;
  /** Somebody is elsewhere than at the end: nothing there may go away. */
  reading = false;

  constructor(private readonly read: (where: Where) => Promise<Slice>) {}

  /** What the timeline shows. */
  get shown(): SessionView {
    return this.detached ?? this.view;
  }

  /** Begins anew at the end. */
  openSlice(slice: Slice): void {
    openSlice(this.view, slice);
    this.opened = true;
    this.detached = null;
    this.left = null;
    this.failed = null;
    this.reading = false;
    this.tick += 1;
  }

  take(batch: Event[]): void {
    const { view } = this;
    for (const event of batch) apply(view, event);
    if (isLong(view)) this.shorten();
    this.tick += 1;
  }

  private shorten(): void {
    const { view } = this;
    if (this.reading && this.detached === null) {
      if (view.rows.length <= 2 * ROWS.kept) return;
      this.detached = copyOf(view);
    }
    trimTop(view);
  }

  holds(seq: number): boolean {
    return [this.shown, this.view].some((view) => view.from <= seq && seq <= view.lastSeq);
  }

  /** Shows another part of the session, apart from the end unless the two meet. */
  showPart(slice: Slice): void {
    const part = emptyView();
    openSlice(part, { ...slice, later: true });
    this.failed = null;
    this.detached = part;
    this.join();
    this.tick += 1;
  }

  /** `focus`: the row that is pointed at takes the focus. */
  pointAt(seq: number, focus = false): void {
    this.show(seq);
    this.pointed = { seq, focus };
  }

  /** Shows the part of what is loaded in which that event stands. */
  show(seq: number): void {
    const { detached } = this;
    if (detached && (seq < detached.from || seq > detached.lastSeq)) this.detached = null;
    this.tick += 1;
  }

  toLatest(): void {
    this.detached = null;
    this.failed = null;
    this.reading = false;
    this.tick += 1;
  }

  async readEarlier(): Promise<void> {
    const view = this.shown;
    if (view.earlier) await this.readMore('earlier', view, { before: view.from }, (slice) => this.prepend(view, slice));
  }

  async readLater(): Promise<void> {
    const part = this.detached;
    if (part) await this.readMore('later', part, { after: part.lastSeq }, (slice) => this.append(part, slice));
  }

  private async readMore(side: Side, view: SessionView, where: Where, take: (slice: Slice) => void): Promise<void> {
    if (this.loading !== null) return;
    this.loading = side;
    this.failed = null;
    try {
      const slice = await this.read(where);
      if (this.shown === view) take(slice);
    } catch {
      if (this.shown === view) this.failed = side;
    } finally {
      this.loading = null;
      this.tick += 1;
    }
  }

  private prepend(view: SessionView, slice: Slice): void {
    // What was let go meanwhile is asked for again.
    if (slice.through + 1 < view.from && slice.events.length > 0) return;
    if (slice.events.length === 0) view.earlier = false;
    else prependSlice(view, slice);
    const last = view.rows[ROWS.kept];
    if (view.rows.length <= 2 * ROWS.kept || !last) return;
    this.detached = copyOf(view, last.seq);
    if (view === this.view) trimTop(view);
  }

  private append(part: SessionView, slice: Slice): void {
    appendSlice(part, slice);
    if (this.join()) return;
    // Nothing came, and yet the end is further on: what is at the end is shown instead.
    if (slice.events.length === 0) this.detached = null;
    else if (part.rows.length > 2 * ROWS.kept) trimTop(part);
  }

  /** The part that is read and the end are one as soon as nothing is between them. */
  private join(): boolean {
    const { view, detached } = this;
    if (!detached || detached.lastSeq + 1 < view.from) return false;
    if (detached.from < view.from) prependSlice(view, sliceOf(detached, view.from));
    this.detached = null;
    return true;
  }
}
