// Which key does what in a card. Pure but for the event. Keys act only inside the card, and never while a field takes them;
// Ctrl+Enter (Cmd+Enter) sends from within a field.

export type Act = 'allow' | 'deny' | 'message' | 'edit' | 'comment' | 'stop' | 'answer' | 'send' | { option: number };

const plainKeys: Record<string, Act> = { y: 'allow', n: 'deny', m: 'message', e: 'edit', c: 'comment' };

/** The act a key stands for, or null. Held keys do not repeat: the next question would be answered unseen. */
export function actOf(event: KeyboardEvent): Act | null {
  if (event.repeat || event.isComposing || event.defaultPrevented || event.altKey) return null;
  if (event.ctrlKey || event.metaKey) return event.key === 'Enter' && !event.shiftKey ? 'send' : null;
  if (takesText(event.target)) return null;
  if (event.shiftKey) return event.key === 'N' || event.key === 'n' ? 'stop' : null;
  if (event.key === 'Enter') return takesEnter(event.target) ? null : 'answer';
  if (/^[1-9]$/.test(event.key)) return { option: Number(event.key) - 1 };
  return plainKeys[event.key] ?? null;
}

function takesText(target: EventTarget | null): boolean {
  if (!(target instanceof HTMLElement)) return false;
  if (target instanceof HTMLInputElement) return target.type !== 'radio' && target.type !== 'checkbox';
  return target instanceof HTMLTextAreaElement || target instanceof HTMLSelectElement || target.isContentEditable;
}

function takesEnter(target: EventTarget | null): boolean {
  return target instanceof HTMLElement && target.closest('button, a, summary') !== null;
}
