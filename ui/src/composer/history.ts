// The prompts sent so far, walked with the arrow keys. What was being typed is kept at the near end.

export class PromptHistory {
  private at: number | null = null;
  private typed = '';

  constructor(private readonly sent: () => string[]) {}

  older(current: string): string | null {
    const all = this.sent();
    if (this.at === null) this.typed = current;
    const next = (this.at ?? all.length) - 1;
    const text = all[next];
    if (text === undefined) return null;
    this.at = next;
    return text;
  }

  newer(): string | null {
    if (this.at === null) return null;
    const next = this.at + 1;
    const text = this.sent()[next];
    this.at = text === undefined ? null : next;
    return text ?? this.typed;
  }

  reset(): void {
    this.at = null;
  }
}
