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

  clear(): void {
    this.parts = [];
    this.length = 0;
  }
}
