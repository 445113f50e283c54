// Text that grows by deltas. Pieces are kept as they came and joined only when somebody reads the whole.

/** Text in pieces. `push` costs the piece; `read` joins once and keeps the join. */
export class Pieces {
  private parts: string[] = [];
  length = 0;

  push(text: string): void {
    if (text === '') return;
    this.parts.push(text);
    this.length += text.length;
  }

  read(): string {
    if (this.parts.length > 1) this.parts = [this.parts.join('')];
    return this.parts[0] ?? '';
  }

  /** What stands behind the first `at` units; costs that alone. */
  after(at: number): string {
    let [from, start] = [this.parts.length, this.length];
    while (from > 0 && start > at) start -= this.parts[--from]?.length ?? 0;
    const tail = this.parts.slice(from).join('');
    return start < at ? tail.slice(at - start) : tail;
  }

  /** The first units, some more or less. */
  head(units: number): string {
    let text = '';
    for (const part of this.parts) {
      text += part;
      if (text.length >= units) break;
    }
    return text.slice(0, units);
  }
}
