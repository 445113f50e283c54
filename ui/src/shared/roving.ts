// One stop of the Tab key for a list: the arrows, Home and End move within it. An action for the element that holds the
// stops; each stop carries `data-rove` and `tabindex="-1"`.

export function roving(list: HTMLElement): { destroy: () => void } {
  const stops = () => [...list.querySelectorAll<HTMLElement>('[data-rove]')];

  /** Exactly one can be reached by Tab: this one, else the one that was, else the first. */
  function settle(wanted?: HTMLElement): void {
    const all = stops();
    const one = wanted ?? all.find((stop) => stop.tabIndex === 0) ?? all[0];
    for (const stop of all) {
      const index = stop === one ? 0 : -1;
      if (stop.tabIndex !== index) stop.tabIndex = index;
    }
  }

  function focusin(event: FocusEvent): void {
    const stop = event.target instanceof Element ? event.target.closest<HTMLElement>('[data-rove]') : null;
    if (stop && list.contains(stop)) settle(stop);
  }

  function keydown(event: KeyboardEvent): void {
    if (event.defaultPrevented || event.ctrlKey || event.metaKey || event.altKey || event.shiftKey) return;
    const all = stops();
    const at = all.indexOf(document.activeElement as HTMLElement);
    if (at === -1) return;
    const to = { ArrowDown: at + 1, ArrowUp: at - 1, Home: 0, End: all.length - 1 }[event.key];
    if (to === undefined) return;
    // At an end the keys are the page's again: nobody is held in the list.
    const next = all[to];
    if (!next) return;
    event.preventDefault();
    event.stopPropagation();
    next.focus();
  }

  settle();
  const watcher = new MutationObserver(() => settle());
  watcher.observe(list, { childList: true, subtree: true });
  list.addEventListener('focusin', focusin);
  list.addEventListener('keydown', keydown);
  return {
    destroy: () => {
      watcher.disconnect();
      list.removeEventListener('focusin', focusin);
      list.removeEventListener('keydown', keydown);
    },
  };
}
