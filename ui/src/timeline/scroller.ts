// The element that scrolls, and the one place that sets its scroll position. Tells a person's scroll from the page's own.
import type { Entry } from './entries';
import { scrollsInside } from './feed';
import type { Viewport } from './viewport';

/** A scroll that comes this soon after a wheel, a key, a finger or a pointer is a person's, in ms. */
const BY_HAND = 400;

const ACTS = ['wheel', 'touchmove', 'keydown', 'pointerdown', 'pointermove'];

export class Scroller {
  element: HTMLElement | null = null;
  /** The page has been where it belongs, so what is near an edge is known. */
  settled = false;
  private wrote = -1;
  /** How the page was laid out when the scroll position was last set. */
  private laid = { content: 0, box: 0 };
  /** When a person last touched the timeline, in ms of the page's clock. */
  private touched = -Infinity;

  /** `isPart`: what is shown is a part of a session, whose end is not the session's. */
  constructor(
    private readonly viewport: Viewport<Entry>,
    private readonly isPart: () => boolean,
  ) {}

  mount(element: HTMLElement): void {
    this.element = element;
    this.viewport.resized(element.clientHeight);
    for (const act of ACTS) element.addEventListener(act, this.touch, { passive: true });
  }

  unmount(): void {
    for (const act of ACTS) this.element?.removeEventListener(act, this.touch);
    this.element = null;
  }

  /** The largest scroll position that there is. */
  get end(): number {
    return this.element ? this.element.scrollHeight - this.element.clientHeight : 0;
  }

  /** Puts the page where it belongs. */
  put(): void {
    const { element, viewport } = this;
    if (!element) return;
    const wanted = viewport.settle();
    if (Math.abs(element.scrollTop - wanted) > 0.5) element.scrollTop = wanted;
    this.wrote = element.scrollTop;
    this.laid = { content: element.scrollHeight, box: element.clientHeight };
    viewport.landed(this.wrote);
    this.settled = true;
  }

  /** The page is where a person wants it. */
  take(): void {
    if (!this.element) return;
    this.viewport.scrolled(this.element.scrollTop, this.end);
    if (this.isPart()) this.viewport.stay();
  }

  /** The page says that it has scrolled. */
  heard(): void {
    if (!this.element || !this.isElsewhere) return;
    if (this.viewport.following && this.movedByLayout(this.element)) this.put();
    else this.take();
    this.wrote = this.element.scrollTop;
  }

  /** It may have scrolled without having said so yet. */
  catchUp(): void {
    if (this.settled && !this.viewport.following && this.isElsewhere) this.take();
  }

  private get isElsewhere(): boolean {
    return this.element !== null && Math.abs(this.element.scrollTop - this.wrote) >= 1;
  }

  /** The page moves the scroll position by itself when the end comes nearer: a question closes, a draft is voided. */
  private movedByLayout(element: HTMLElement): boolean {
    if (performance.now() - this.touched < BY_HAND) return false;
    return element.scrollHeight !== this.laid.content || element.clientHeight !== this.laid.box;
  }

  private readonly touch = (event: Event): void => {
    if (event instanceof PointerEvent && event.buttons === 0) return;
    this.touched = performance.now();
    const { element } = this;
    if (!(event instanceof WheelEvent) || event.deltaY >= 0 || event.ctrlKey || !element) return;
    // Whoever turns the wheel up leaves the end before the page has moved.
    if (element.scrollTop > 0 && !scrollsInside(event.target, element)) this.viewport.stay();
  };
}
