// Prompts that were sent while a turn ran, until the agent has them (PROTOCOL 7.2). The CLI's own word on them is no event,
// so it is read from what follows: each request to the model takes all that was waiting when it was made.

export type Queued = {
  /** Withdraws it; null where the CLI knows it by nothing. */
  uuid: string | null;
  /** The key of its row. */
  key: string;
  text: string;
  images: number;
  at: string;
  /** Replies that were asked for before it came, and say nothing about it. */
  behind: number;
};

export class Queue {
  /** In the order they were sent. A new list each time, so that a view can compare by identity. */
  waiting: readonly Queued[] = [];
  /** A request is under way and nothing of its reply has come. */
  private asking = false;
  private replying = false;
  private readonly calls = new Set<string>();
  private readonly messages = new Set<string>();

  add(prompt: Omit<Queued, 'behind'>): void {
    this.waiting = [...this.waiting, { ...prompt, behind: this.asking ? 1 : 0 }];
  }

  /** A turn begins: its first request takes what waits. */
  begins(): Queued[] {
    this.asking = true;
    this.replying = false;
    this.calls.clear();
    this.messages.clear();
    return this.take(() => true);
  }

  /** A piece of a reply. A message that was not heard of before means that a request was answered. */
  says(message: string): Queued[] {
    if (this.messages.has(message)) return [];
    this.messages.add(message);
    return this.replies();
  }

  calling(call: string): Queued[] {
    const first = !this.replying && this.calls.size === 0;
    this.calls.add(call);
    return first ? this.replies() : [];
  }

  /** With the last of its calls answered, the model is asked again. */
  called(call: string): void {
    if (!this.calls.delete(call) || this.calls.size > 0) return;
    this.asking = true;
    this.replying = false;
  }

  /** A reply was void and is asked for again as it was. */
  again(message: string): void {
    this.messages.delete(message);
    this.asking = true;
    this.replying = false;
    this.waiting = this.waiting.map((one) => ({ ...one, behind: 1 }));
  }

  /** The turn is over; what waits is taken by the next. */
  ends(): void {
    this.asking = false;
    this.replying = false;
    this.calls.clear();
    this.waiting = this.waiting.map((one) => ({ ...one, behind: 0 }));
  }

  /** The CLI gave it up, or nobody is left to take it. */
  drop(uuid: string | null): Queued[] {
    return this.take((one) => uuid !== null && one.uuid === uuid);
  }

  clear(): Queued[] {
    this.ends();
    return this.take(() => true);
  }

  private replies(): Queued[] {
    this.asking = false;
    this.replying = true;
    const taken = this.take((one) => one.behind === 0);
    this.waiting = this.waiting.map((one) => ({ ...one, behind: one.behind - 1 }));
    return taken;
  }

  private take(which: (one: Queued) => boolean): Queued[] {
    const taken = this.waiting.filter(which);
    if (taken.length > 0) this.waiting = this.waiting.filter((one) => !which(one));
    return taken;
  }
}
