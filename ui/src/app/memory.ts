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

export function remember(name: string, value: unknown): void {
  try {
    if (value === null || value === '') localStorage.removeItem(PREFIX + name);
    else localStorage.setItem(PREFIX + name, JSON.stringify(value));
  } catch {
    // Storage that is full or off loses a draft across restarts, nothing else.
  }
}

/** What this window was at, for a page that is loaded again; the first time, what any window was at last. */
export function recallHere<T>(name: string, otherwise: T): T {
  try {
    const kept = sessionStorage.getItem(PREFIX + name);
    if (kept !== null) return JSON.parse(kept) as T;
  } catch {
    // The other place may do.
  }
  return recall(name, otherwise);
}

export function rememberHere(name: string, value: unknown): void {
  try {
    sessionStorage.setItem(PREFIX + name, JSON.stringify(value));
  } catch {
    // As above.
  }
  remember(name, value);
}
