// Which key does what in the field. Composition comes first: WebKit sends the Enter that ends a composition as a keydown
// after `compositionend`, with neither `isComposing` nor the key code 229 on it.

export class Composition {
  private ended = -Infinity;

  end(at: number): void {
    this.ended = at;
  }

  /** Whether that keydown belongs to an input method. */
  owns(event: { isComposing: boolean; keyCode: number; timeStamp: number }): boolean {
    return event.isComposing || event.keyCode === 229 || event.timeStamp - this.ended < 50;
  }
}

/** Two presses of Escape within that many milliseconds interrupt. */
export const DOUBLE_ESCAPE = 600;
