// Asks a worker, one question at a time, and lives on when the worker does not: one that dies or takes too long is ended, its
// question is answered with null, and the next question starts another.

type Job<Q, A> = { question: Q; done: (answer: A | null) => void };

export class WorkerJobs<Q, A> {
  private readonly jobs: Job<Q, A>[] = [];
  private running: Job<Q, A> | null = null;
  private worker: Worker | null = null;
  private timer: ReturnType<typeof setTimeout> | undefined;

  constructor(
    private readonly start: () => Worker,
    /** Milliseconds for one question, the start of the worker among them. */
    private readonly limit: number,
  ) {}

  /** Never rejects; null where there is no answer. */
  ask(question: Q): Promise<A | null> {
    if (typeof Worker === 'undefined') return Promise.resolve(null);
    return new Promise((done) => {
      this.jobs.push({ question, done });
      this.next();
    });
  }

  private next(): void {
    if (this.running) return;
    const job = this.jobs.shift();
    if (!job) return;
    this.running = job;
    this.timer = setTimeout(() => this.die(), this.limit);
    try {
      this.worker ??= this.begin();
      this.worker.postMessage(job.question);
    } catch {
      this.die();
    }
  }

  private begin(): Worker {
    const worker = this.start();
    worker.onmessage = ({ data }: MessageEvent<A>) => {
      if (worker === this.worker) this.answer(data);
    };
    worker.onmessageerror = worker.onerror = () => {
      if (worker === this.worker) this.die();
    };
    return worker;
  }

  private die(): void {
    this.worker?.terminate();
    this.worker = null;
    this.answer(null);
  }

  private answer(answer: A | null): void {
    clearTimeout(this.timer);
    const job = this.running;
    this.running = null;
    job?.done(answer);
    this.next();
  }
}

/** The newest answers, so that what is drawn again need not be asked again. */
export class Newest<A> {
  private readonly kept = new Map<string, A>();

  private length = 0;

  constructor(
    private readonly most: number,
    /** UTF-16 units of all keys together. */
    private readonly longest = Infinity,
  ) {}

  get(key: string, make: () => A): A {
    const known = this.kept.get(key);
    const answer = known ?? make();
    if (!this.kept.delete(key)) this.length += key.length;
    this.kept.set(key, answer);
    for (const oldest of this.kept.keys()) {
      if (this.kept.size <= this.most && (this.length <= this.longest || this.kept.size === 1)) break;
      this.kept.delete(oldest);
      this.length -= oldest.length;
    }
    return answer;
  }
}
