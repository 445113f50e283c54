// The timeline between its engine and the page: what is drawn follows the session, what is measured and scrolled goes to the
// viewport, and the page is put where the viewport says.
import { tick, untrack } from 'svelte';
import type { SessionStore } from '../app/store.svelte';
import type { Row } from '../session/rows';
import { rowAt, sameLine } from './align';
import type { Entry } from './entries';
import { isIn } from './feed';
import { itemsOn, type Item } from './items';
import { Outline } from './outline';
import { stuckPrompt, type Stuck } from './prompts';
import { Scroller } from './scroller';
import { Viewport } from './viewport';

/** How far from the edge of what is loaded more is asked for, in pixels. */
const NEAR = 1500;
/** How high the line at such an edge is, in pixels. */
const EDGE = 36;
/** How long a row is pointed at, in ms. */
const POINTED = 2000;
/** How far below the edge a row is put that somebody goes to, in pixels: the prompt of its turn stands there. */
const BELOW = 120;
const STUCK = 34;

export class Pane {
  items = $state.raw<Item[]>([]);
  below = $state(0);
  /** Lines that are drawn somewhere, on screen or not. */
  total = $state(0);
  streaming = $state(false);
  /** Rows that came since the end was last in view. */
  unseen = $state(0);
  following = $state(true);
  stuck = $state.raw<Stuck | null>(null);
  earlier = $state(false);
  apart = $state(false);
  /** The row that is pointed at. */
  pointed = $state<string | null>(null);
  /** The row under the pointer, and the one that has the focus: what can be done with a row stands in these alone. */
  hovered = $state<string | null>(null);
  inside = $state<string | null>(null);
  /** Rises with each drawing; whoever reads what is on screen in an effect reads this first. */
  drawn = $state(0);

  readonly viewport = new Viewport<Entry>();
  readonly outline: Outline;
  /** What is drawn: the end of the session, or a part of it. */
  private view;
  /** The view that the outline was made of. */
  private known: unknown = null;
  private readonly scroller = new Scroller(this.viewport, () => this.session.detached !== null);
  private seen = 0;
  private planned = false;
  private folded = false;
  private pointing: ReturnType<typeof setTimeout> | undefined;
  private readonly places = new WeakMap<Element, Entry>();
  private readonly elements = new Map<string, HTMLElement>();
  private readonly observer =
    typeof ResizeObserver === 'undefined' ? undefined : new ResizeObserver((entries) => this.measure(entries));
  private focused: string | null = null;
  /** The event that somebody went to last, and where the page stood then. */
  private went: { seq: number; scrollTop: number } | null = null;

  constructor(
    private readonly session: SessionStore,
    private readonly calm: () => boolean,
  ) {
    this.view = session.shown;
    this.outline = session.outline ??= new Outline(session.folds);
    this.outline.leaving = (entry) => this.viewport.leaving(entry);
    this.outline.focus(null);
    this.viewport.lines = this.outline.lines;
    this.viewport.lead = this.view.earlier ? EDGE : 0;
    this.known = this.view;
    this.seen = this.outline.came;
  }

  /** Takes the element that scrolls, and lets it go again. */
  mount(element: HTMLElement): () => void {
    this.scroller.mount(element);
    this.observer?.observe(element);
    const { left } = this.session;
    this.draw();
    const at = this.outline.entry(left?.key ?? null);
    if (left !== null && at?.listed) this.viewport.show(at, left.offset);
    this.viewport.foresee();
    this.draw();
    requestAnimationFrame(() => this.put());
    return () => {
      this.scroller.unmount();
      clearTimeout(this.pointing);
      const { line, offset } = this.viewport.position;
      this.session.left = this.viewport.following || line === null ? null : { key: line.key, offset };
      this.observer?.disconnect();
    };
  }

  /** A row of the page, whatever entry it shows. */
  readonly row = (element: HTMLElement, entry: Entry) => {
    let now = entry;
    this.places.set(element, entry);
    this.elements.set(entry.key, element);
    this.observer?.observe(element);
    return {
      update: (next: Entry) => {
        now = next;
        this.places.set(element, next);
      },
      destroy: () => {
        this.observer?.unobserve(element);
        if (this.elements.get(now.key) === element) this.elements.delete(now.key);
      },
    };
  };

  elementOf(key: string): HTMLElement | null {
    return this.elements.get(key) ?? null;
  }

  entryOf(target: EventTarget | null): Entry | null {
    const article = target instanceof Element ? target.closest('[role="feed"] > article') : null;
    return (article && this.places.get(article)) ?? null;
  }

  /** The rows of the main thread that are loaded. */
  get rows(): readonly Row[] {
    return this.view.rows;
  }

  get focusedEntry(): Entry | null {
    return this.outline.entry(this.focused) ?? null;
  }

  /** What is in the page, in order. */
  articles(): { element: Element; entry: Entry }[] {
    return this.items.flatMap(({ key, entry }) => {
      const element = this.elements.get(key);
      return element ? [{ element, entry }] : [];
    });
  }

  /** The line where a person reads: that which somebody went to, or the one at its place. */
  get here(): Entry | null {
    return this.viewport.at(Math.min(BELOW, this.viewport.height / 3) + 1);
  }

  /** The number from which to look for what comes next, or came before. */
  from(back: boolean): number {
    const { went, viewport, view } = this;
    if (went && Math.abs(went.scrollTop - viewport.scrollTop) < 2) return went.seq;
    if (viewport.following) return back ? view.lastSeq + 1 : view.lastSeq;
    return this.here?.row.seq ?? view.lastSeq;
  }

  draw(): void {
    this.view = this.session.shown;
    const { view, outline, viewport } = this;
    const calm = untrack(this.calm);
    if (!outline.isOther(view, calm)) outline.sync();
    if (outline.isOther(view, calm)) this.realign();
    const pinned = [outline.entry(view.streaming), outline.entry(this.focused)].filter((one) => one !== undefined);
    const drawn = itemsOn(viewport, pinned, this.items);
    this.items = drawn.items;
    this.below = drawn.below;
    this.total = outline.lines.entries;
    this.streaming = view.streaming !== null;
    this.earlier = view.earlier;
    this.apart = this.session.detached !== null;
    this.session.reading = !viewport.following;
    this.following = viewport.following;
    if (viewport.following) this.seen = outline.came;
    this.unseen = outline.came - this.seen;
    this.stuck = stuckPrompt(outline.prompts, viewport, this.stuck);
    this.drawn += 1;
    if (this.focused !== null && !outline.entry(this.focused)?.listed) this.loseFocus();
    this.readMore();
  }

  /** Draws once in the coming frame, however often it is asked for. */
  plan(): void {
    if (this.planned) return;
    this.planned = true;
    requestAnimationFrame(() => {
      this.planned = false;
      if (this.scroller.element) this.draw();
    });
  }

  readonly onscroll = (): void => {
    if (!this.scroller.element) return;
    this.scroller.heard();
    this.draw();
  };

  fold(key: string, open: boolean): void {
    const entry = this.outline.entry(key);
    if (!entry) return;
    // What is opened stays where it is, also at the end.
    this.viewport.stay();
    this.viewport.keep(entry);
    this.outline.fold(entry, open);
    this.folded = true;
    this.draw();
    this.settleSoon();
  }

  toEnd(): void {
    if (this.session.detached !== null) this.session.toLatest();
    this.viewport.jumpToEnd();
    this.draw();
    this.scroller.put();
    this.draw();
  }

  /** To the first row of what is loaded. */
  toStart(): void {
    this.viewport.show(this.outline.lines.first, -this.viewport.lead);
    this.goes();
  }

  page(back: boolean): void {
    const { viewport, scroller } = this;
    const by = Math.max(40, viewport.height - 2 * EDGE);
    viewport.scrolled(Math.max(0, viewport.scrollTop + (back ? -by : by)), scroller.end);
    this.goes();
  }

  /** Puts a line at the top edge. */
  showTop(entry: Entry): void {
    this.viewport.show(entry);
    this.goes();
  }

  /** Puts a line below the top edge. */
  show(entry: Entry): void {
    this.viewport.show(entry, -Math.min(BELOW, this.viewport.height / 3));
    this.goes();
  }

  /** Brings the row that an event stands in on screen, open as far as it takes to see it, and points at it. */
  pointAt(seq: number, focus = false): Entry | null {
    this.view = this.session.shown;
    const found = rowAt(this.view.rows, seq);
    if (!found) return null;
    const { at, path } = found;
    this.outline.reveal(path, this.view.rows[at]?.behind);
    this.draw();
    const key = path.at(-1) ?? '';
    const entry = this.outline.find(key);
    if (!entry) return null;
    this.show(entry);
    this.pointed = key;
    clearTimeout(this.pointing);
    this.pointing = setTimeout(() => (this.pointed = null), POINTED);
    void tick().then(() => {
      this.went = { seq, scrollTop: this.viewport.scrollTop };
      if (focus) this.elementOf(key)?.focus({ preventScroll: true });
    });
    return entry;
  }

  /** Brings that place of a row on screen, in pixels below the row's own top. */
  showWithin(entry: Entry, top: number): void {
    const at = this.viewport.top(entry) + top - this.viewport.scrollTop;
    if (at > STUCK && at < this.viewport.height - STUCK) return;
    this.viewport.show(entry, top - this.viewport.height / 3);
    this.goes();
  }

  /** Gives the focus to a line, and brings it on screen as far as it has to be. */
  focus(entry: Entry | null): void {
    if (entry === null) return;
    const { viewport } = this;
    this.focused = entry.key;
    this.outline.focus(entry.key);
    const top = viewport.top(entry) - viewport.scrollTop;
    if (top < STUCK) viewport.show(entry, -STUCK);
    else if (top + entry.height > viewport.height)
      viewport.show(entry, -Math.max(STUCK, viewport.height - entry.height - 8));
    else viewport.stay();
    this.goes();
    void tick().then(() => this.elementOf(entry.key)?.focus({ preventScroll: true }));
  }

  /** The line before or behind one, among those that are drawn. */
  beside(entry: Entry, back: boolean): Entry | null {
    const { lines } = this.outline;
    const step = (one: Entry) => (back ? lines.previous(one) : lines.next(one));
    let line = step(entry);
    while (line !== null && !line.drawn) line = step(line);
    return line;
  }

  readonly onpointerover = (event: PointerEvent): void => {
    this.hovered = this.entryOf(event.target)?.key ?? null;
  };

  readonly onpointerleave = (): void => {
    this.hovered = null;
  };

  readonly onfocusin = (event: FocusEvent): void => this.hold(this.entryOf(event.target)?.key ?? null);

  readonly onfocusout = (event: FocusEvent): void => {
    if (!isIn(event.relatedTarget, this.scroller.element)) this.hold(null);
  };

  private hold(key: string | null): void {
    this.inside = key;
    if (key === this.focused) return;
    this.focused = key;
    this.outline.focus(key);
    this.plan();
  }

  /** The row that had the focus is gone: the timeline takes it. */
  private loseFocus(): void {
    this.focused = null;
    const had = document.activeElement;
    void tick().then(() => {
      if (document.activeElement !== had || had === document.body)
        this.scroller.element?.focus({ preventScroll: true });
    });
  }

  /** Draws where it goes, and sets the scroll position as soon as the rows are in the page. */
  private goes(): void {
    this.viewport.foresee();
    this.draw();
    this.settleSoon();
  }

  /** Before the page is painted, as soon as the rows are in it. */
  private settleSoon(): void {
    void tick().then(() => this.put());
  }

  private put(): void {
    if (!this.scroller.element) return;
    this.scroller.put();
    if (this.folded) this.scroller.take();
    this.draw();
  }

  /** Rows came to stand elsewhere, or others are shown: what is seen stays. */
  private realign(): void {
    const { viewport, outline, view } = this;
    this.scroller.catchUp();
    const { line, offset } = viewport.position;
    const before = outline.lines;
    const wasOther = this.known !== view;
    this.known = view;
    outline.reset(view, untrack(this.calm));
    const same = sameLine(before, line, outline);
    // As if the line that is held on to had been the one at the edge.
    const into = same && line ? offset + before.top(line) - before.top(same.was) : 0;
    viewport.lines = outline.lines;
    viewport.lead = view.earlier ? EDGE : 0;
    if (wasOther) this.seen = outline.came;
    if (!viewport.following) viewport.show(same?.is ?? outline.lines.first, into);
    viewport.foresee();
    this.items = [];
    this.settleSoon();
  }

  private measure(entries: ResizeObserverEntry[]): void {
    const { viewport } = this;
    const { element } = this.scroller;
    if (!element) return;
    let changed = false;
    for (const entry of entries) {
      if (entry.target === element) {
        viewport.resized(element.clientHeight);
        changed = true;
        continue;
      }
      const line = this.places.get(entry.target);
      const height = entry.borderBoxSize[0]?.blockSize;
      if (line?.listed && height !== undefined && entry.target.isConnected)
        changed = viewport.measured(line, height) || changed;
    }
    // A new row of just the height that was guessed moves the end too.
    if (!changed && !viewport.following) return;
    this.scroller.put();
    if (this.folded) {
      this.folded = false;
      this.scroller.take();
    }
    this.plan();
  }

  /** Asks for what comes before or behind when that is near. */
  private readMore(): void {
    const { session, viewport, view } = this;
    if (!this.scroller.settled || session.loading !== null || session.failed !== null) return;
    if (view.earlier && viewport.scrollTop - viewport.lead < NEAR) void session.readEarlier();
    else if (session.detached !== null && viewport.total - viewport.scrollTop - viewport.height < NEAR)
      void session.readLater();
  }
}
