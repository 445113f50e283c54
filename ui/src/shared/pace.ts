// How often texts that stream are drawn: once a frame at most, and fewer times where a frame takes long, so that drawing never
// takes more than about a third of the time. One for the page, as all of its texts share the frames.

/** Of a screen that draws 60 times a second, with some room. */
const FRAME_MS = 20;
const MAX_WAIT_MS = 250;
/** A hidden window gets no frames. */
const WITHOUT_FRAMES_MS = 100;

export class Pace {
  private from = 0;
  private measuring = false;
  private waiting = new Set<() => void>();
  private timer: unknown = null;

  constructor(
    private readonly now: () => number = () => performance.now(),
    private readonly frame: (then: () => void) => void = nextFrame,
    private readonly after: (ms: number, then: () => void) => unknown = (ms, then) => setTimeout(then, ms),
  ) {}

  due(): boolean {
    return !this.measuring && this.now() >= this.from;
  }

  /** A text was drawn: what the frame takes that shows it says when the next one is due. */
  drew(): void {
    if (this.measuring) return;
    this.measuring = true;
    const start = this.now();
    this.frame(() => {
      const took = this.now() - start;
      this.measuring = false;
      this.from = took <= FRAME_MS ? 0 : this.now() + Math.min(2 * took, MAX_WAIT_MS);
      this.call();
    });
  }

  /** Calls once drawing is due again. */
  ask(then: () => void): void {
    this.waiting.add(then);
    this.call();
  }

  private call(): void {
    if (this.measuring || this.timer !== null || this.waiting.size === 0) return;
    const left = this.from - this.now();
    this.timer = this.after(Math.max(0, left), () => {
      this.timer = null;
      if (!this.due()) return this.call();
      const all = [...this.waiting];
      this.waiting.clear();
      for (const then of all) then();
    });
  }
}

function nextFrame(then: () => void): void {
  let done = false;
  const once = () => {
    if (done) return;
    done = true;
    then();
  };
  if (typeof requestAnimationFrame !== 'undefined' && !document.hidden) requestAnimationFrame(once);
  setTimeout(once, WITHOUT_FRAMES_MS);
}

export const pace = new Pace();
