// Small things that outlive the window: drafts, the last session, unread marks. Never anything the backend owns.

const PREFIX = 'kandev.';

export function recall<T>(name: string, otherwise: T): T {
  try {
    const kept = localStorage.getItem(PREFIX + name);
    return kept === null ? otherwise : (JSON.parse(kept) as T);
  } catch {
    return otherwise;
  }
}

/** What this window keeps for when its page is loaded again; another window has its own. */
export function recallHere(name: string): string | null {
  try {
    return sessionStorage.getItem(PREFIX + name);
  } catch {
    return null;
  }
}

export function rememberHere(name: string, value: string): void {
  try {
    sessionStorage.setItem(PREFIX + name, value);
  } catch {
    // Without storage the page begins with what was open last in any window.
  }
}

export function remember(name: string, value: unknown): void {
  try {
    if (value === null || value === '') localStorage.removeItem(PREFIX + name);
    else localStorage.setItem(PREFIX + name, JSON.stringify(value));
  } catch {
    // Storage that is full or off loses a draft across restarts, nothing else.
  }
}
