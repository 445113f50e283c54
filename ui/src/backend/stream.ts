// The receiving end of the window's channel: gathers what comes, hands it to the feed once per frame, and only then
// acknowledges it, so that the sender never runs ahead of what the page can take.
import type { Event, SessionInfo, StreamMsg } from '../bindings/bindings';
import type { Feed } from './backend';
import { throughOf } from '../session/journal';

/** A hidden window gets no frames and shall hear all the same. */
const WITHOUT_FRAMES_MS = 100;

export class Stream {
  /** Resolves with the first list of sessions. */
  readonly listed: Promise<void>;
  private sayListed: () => void = () => undefined;
  private list: SessionInfo[] | null = null;
  private past: Extract<StreamMsg, { type: 'past' }>[] = [];
  private readonly events = new Map<string, Event[]>();
  /** By watched session: the number of the last event that was taken. */
  private readonly last = new Map<string, number>();
  private unacknowledged = 0;
  private asked = false;
  private started = false;
  private closed = false;

  constructor(
    private readonly feed: Feed,
    private readonly acknowledge: (count: number) => void,
  ) {
    this.listed = new Promise((resolve) => (this.sayListed = resolve));
  }

  /** Acknowledges from now on: the subscription has its number. */
  start(): void {
    this.started = true;
    this.askForFrame();
  }

  close(): void {
    this.closed = true;
    this.sayListed();
  }

  /** A watch begins after this number. What an earlier watch of the session still has on its way is void. */
  expect(session: string, afterSeq: number): void {
    this.last.set(session, afterSeq);
    this.events.delete(session);
  }

  forget(session: string): void {
    this.last.delete(session);
    this.events.delete(session);
  }

  receive(message: StreamMsg): void {
    if (this.closed) return;
    switch (message.type) {
      case 'sessions':
        this.list = message.list;
        this.unacknowledged += 1;
        break;
      case 'events':
        for (const event of message.events) this.queue(message.session, event);
        this.unacknowledged += 1;
        break;
      case 'past':
        this.past.push(message);
        this.unacknowledged += 1;
        break;
      case 'open':
        this.feed.open?.(message.session, message.folder);
        return;
      case 'anew':
        this.feed.anew?.(message.session);
        return;
      case 'settings':
        this.feed.settings?.(message.settings);
        return;
      case 'close_asked':
        this.feed.closeAsked?.(message);
        return;
      case 'workspace_changed':
        this.feed.workspaceChanged?.(message.session);
        return;
    }
    this.askForFrame();
  }

  /** Takes the event that follows the last one. Another is of a watch that was replaced, or was taken already. */
  private queue(session: string, event: Event): void {
    const last = this.last.get(session);
    if (last === undefined || event.seq !== last + 1) return;
    this.last.set(session, throughOf(event));
    const queued = this.events.get(session);
    if (queued) queued.push(event);
    else this.events.set(session, [event]);
  }

  private askForFrame(): void {
    if (this.asked || !this.started) return;
    this.asked = true;
    let done = false;
    const once = () => {
      if (done) return;
      done = true;
      this.asked = false;
      this.flush();
    };
    if (!document.hidden) requestAnimationFrame(once);
    setTimeout(once, WITHOUT_FRAMES_MS);
  }

  private flush(): void {
    if (this.closed) return;
    const list = this.list;
    const past = this.past;
    const batches = [...this.events];
    const count = this.unacknowledged;
    this.list = null;
    this.past = [];
    this.events.clear();
    this.unacknowledged = 0;
    try {
      if (list) this.feed.sessions(list);
      for (const { rows, gone, whole } of past) this.feed.past(rows, gone, whole);
      for (const [session, batch] of batches) this.feed.events(session, batch);
    } finally {
      if (count > 0) this.acknowledge(count);
      if (list) this.sayListed();
    }
  }
}
