// The keys of a feed: between its articles where one has the focus, by the page where none has. The names are ARIA's.
import type { Pane } from './pane.svelte';

export function onFeedKey(event: KeyboardEvent, pane: Pane, scroller: HTMLElement): void {
  if (event.defaultPrevented || event.ctrlKey || event.metaKey || event.altKey || event.shiftKey) return;
  const { target } = event;
  if (!(target instanceof HTMLElement) || /^(INPUT|TEXTAREA|SELECT)$/.test(target.tagName)) return;
  const entry = target === scroller ? null : pane.entryOf(target);
  switch (event.key) {
    case 'PageDown':
    case 'PageUp': {
      const back = event.key === 'PageUp';
      if (entry) pane.focus(pane.beside(entry, back));
      else pane.page(back);
      break;
    }
    case 'Home':
      pane.toStart();
      break;
    case 'End':
      pane.toEnd();
      break;
    case 'Enter':
      if (target !== scroller) return;
      pane.focus(pane.here);
      break;
    default:
      return;
  }
  event.preventDefault();
}

export function isIn(target: EventTarget | null, element: Element | null): boolean {
  return target instanceof Node && element !== null && element !== target && element.contains(target);
}

/** Whether something between them goes up first when a wheel turns there. */
export function scrollsInside(target: EventTarget | null, scroller: Element): boolean {
  for (let at = target instanceof Element ? target : null; at && at !== scroller; at = at.parentElement)
    if (at.scrollTop > 0) return true;
  return false;
}
