// Finds things in the page as assistive technology does: by role and accessible name, and only what is there to be seen.
import { until } from './harness.mjs';

/** Runs in the page. The first element with the role whose name is, or matches, `name`. */
function findInPage(role, name, isPattern, scope) {
  const selectors = {
    article: 'article, [role=article]',
    button: 'button:not([role]), [role=button]',
    checkbox: '[role=checkbox], input[type=checkbox]',
    dialog: 'dialog[open], [role=dialog]',
    feed: '[role=feed]',
    group: '[role=group], fieldset',
    navigation: 'nav, [role=navigation]',
    option: '[role=option], [role=menuitemradio], [role=menuitem], [role=radio]',
    radio: '[role=radio], input[type=radio]',
    region: 'section[aria-label], [role=region]',
    tab: '[role=tab]',
    textbox: 'textarea, input:not([type]), input[type=text], input[type=password], [role=textbox]',
  };
  const shown = (el) => el.checkVisibility({ checkVisibilityCSS: true }) && el.getClientRects().length > 0;
  const textOf = (el) => {
    const copy = el.cloneNode(true);
    copy.querySelectorAll('[aria-hidden=true], style, script').forEach((part) => part.remove());
    return copy.textContent;
  };
  const labelledBy = (el) => {
    const ids = el.getAttribute('aria-labelledby')?.split(/\s+/) ?? [];
    return ids.map((id) => document.getElementById(id)?.textContent ?? '').join(' ');
  };
  const nameOf = (el) => {
    const label =
      el.getAttribute('aria-label') || labelledBy(el) || el.labels?.[0]?.textContent || textOf(el) || el.title;
    return label.replace(/\s+/g, ' ').trim();
  };
  const wanted = isPattern ? new RegExp(name) : null;
  const fits = (el) => (name === null ? true : wanted ? wanted.test(nameOf(el)) : nameOf(el) === name);
  return [...(scope ?? document).querySelectorAll(selectors[role])].filter((el) => shown(el) && fits(el));
}

export class Page {
  constructor(app) {
    this.app = app;
    this.browser = app.browser;
  }

  /** All elements of a role, by name (text or pattern; null for any), in the order of the page. */
  async all(role, name = null, scope = null) {
    const isPattern = name instanceof RegExp;
    const found = await this.browser.execute(findInPage, role, isPattern ? name.source : name, isPattern, scope);
    return Promise.all(found.map((ref) => this.browser.$(ref)));
  }

  async has(role, name, scope) {
    return (await this.all(role, name, scope)).length > 0;
  }

  /** The first one, once it is there. */
  async get(role, name, { scope = null, within } = {}) {
    return until(`${role} ${name ?? ''}`, async () => (await this.all(role, name, scope))[0], { within });
  }

  async gone(role, name) {
    await until(`no ${role} ${name}`, async () => !(await this.has(role, name)));
  }

  /** Does something with it once it is there and can be used. */
  async act(role, name, deed, options) {
    const what = `${role} ${name} can be used`;
    await until(what, async () => {
      try {
        const element = await this.get(role, name, options);
        if (!(await element.isEnabled())) return false;
        await deed(element);
        return true;
      } catch (error) {
        // It was redrawn in the meantime, or something passes over it.
        if (/stale|not interactable|intercepted|no such element/i.test(`${error.name} ${error.message}`)) return false;
        throw error;
      }
    });
  }

  click(role, name, options) {
    return this.act(role, name, (element) => this.press(element), options);
  }

  /** Picks a box or a radio button by its label: what is drawn for it is not the field itself. */
  tick(role, name, options) {
    const label = (field) => this.browser.execute((node) => node.labels[0], field).then((ref) => this.browser.$(ref));
    return this.act(role, name, async (field) => this.press(await label(field)), options);
  }

  /** Clicks an element once it has come to rest: a click on the way meets what stands there now. */
  async press(element) {
    const rest = (node) => {
      const place = () => JSON.stringify(node.getBoundingClientRect());
      const frames = (count) =>
        new Promise((resolve) => {
          const next = (left) => (left === 0 ? resolve() : requestAnimationFrame(() => next(left - 1)));
          next(count);
        });
      const before = place();
      return frames(4).then(() => place() === before);
    };
    await until('it has come to rest', () => this.browser.execute(rest, element));
    await element.click();
  }

  /** Replaces what stands in a field. */
  type(name, text, options) {
    return this.act('textbox', name, (element) => element.setValue(text), options);
  }

  /** Types where the focus is. */
  async write(text) {
    await (await this.browser.$(await this.browser.getActiveElement())).addValue(text);
  }

  async text(selector = 'body') {
    return this.browser.execute((wanted) => document.querySelector(wanted)?.innerText ?? '', selector);
  }

  /** Waits until the page shows a text. */
  async shows(text, { within, selector } = {}) {
    const fits = (shown) => (text instanceof RegExp ? text.test(shown) : shown.includes(text));
    let last = '';
    await until(`the page shows ${text}`, async () => fits((last = await this.text(selector))), { within }).catch(
      (error) => {
        throw new Error(`${error.message}; it shows:\n${last}`);
      },
    );
  }

  /** The attributes of the page's session rows, first to last. */
  sessionStates() {
    return this.browser.execute(() =>
      [...document.querySelectorAll('nav [data-session-id]')].map((row) => row.dataset.state),
    );
  }

  /** The tool rows that are in the DOM: kind and status by call id. */
  tools() {
    return this.browser.execute(() =>
      [...document.querySelectorAll('[role=feed] [data-tool-call-id]')].map((row) => ({
        id: row.dataset.toolCallId,
        kind: row.dataset.kind,
        status: row.dataset.status,
      })),
    );
  }

  /** Opens the groups of reads and searches that are in the DOM. */
  openGroups() {
    return this.browser.execute(() => {
      for (const group of document.querySelectorAll('[role=feed] [data-kind=group][aria-expanded=false]'))
        group.click();
    });
  }

  /** Shows the timeline from its start to its end, half a screen at a time, or until `look` says that it is enough. */
  async scrollThrough(look) {
    const step = (fromStart) =>
      this.browser.execute((start) => {
        const feed = document.querySelector('[role=feed]');
        if (start) feed.scrollTop = 0;
        else feed.scrollTop += feed.clientHeight / 2;
        return new Promise((resolve) => {
          requestAnimationFrame(() =>
            requestAnimationFrame(() => resolve(feed.scrollTop + feed.clientHeight >= feed.scrollHeight - 1)),
          );
        });
      }, fromStart);
    for (let atEnd = await step(true); ; atEnd = await step(false)) {
      if ((await look()) || atEnd) return;
    }
  }

  /** Scrolls the timeline until the first tool row of that kind stands near the top. */
  async bringUp(fits) {
    let wanted = null;
    await this.scrollThrough(async () => {
      wanted ??= (await this.tools()).find(fits) ?? null;
      return wanted !== null;
    });
    if (!wanted) throw new Error('there is no such row');
    let found = false;
    await this.scrollThrough(async () => {
      found ||= await this.browser.execute((id) => {
        const row = document.querySelector(`[data-tool-call-id="${id}"]`);
        return row !== null && row.getBoundingClientRect().top < innerHeight / 2;
      }, wanted.id);
      return found;
    });
  }

  /** Waits for so many frames. */
  async frames(count) {
    await this.browser.execute((wanted) => {
      return new Promise((resolve) => {
        const next = (left) => (left === 0 ? resolve() : requestAnimationFrame(() => next(left - 1)));
        next(wanted);
      });
    }, count);
  }

  /** Types a prompt into the composer and sends it. */
  async prompt(text) {
    await this.get('feed', 'Timeline');
    await this.type('Prompt', text);
    await this.click('button', 'Send');
  }

  /** Loads the page anew; what was wrong before it must not be forgotten. */
  async reload() {
    const problems = await this.app.problems();
    if (problems.length > 0) throw new Error(`problems before the reload: ${problems.join('\n')}`);
    await this.browser.refresh();
    await this.get('navigation', 'Sessions');
  }
}
