import axe from 'axe-core';
import { readdirSync, readFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { flushSync, mount, unmount } from 'svelte';
import { afterEach, beforeAll, describe, expect, it } from 'vitest';
import { toolViews } from '../registry';
import { entries, groupId } from './entries';
import Gallery from './Gallery.svelte';
import { recordedTools, stateNames, toolStates } from './states';

let shown: ReturnType<typeof mount> | null = null;
afterEach(() => {
  if (shown) void unmount(shown);
  document.body.replaceChildren();
});
beforeAll(() => {
  document.documentElement.lang = 'en';
  document.title = 'Gallery';
});

function show(wanted: string): HTMLElement {
  shown = mount(Gallery, { target: document.body, props: { wanted } });
  flushSync();
  return document.body;
}

/** The tools that a line of a recording calls, whatever else it says. */
function namesIn(recorded: string): string[] {
  try {
    const { line } = JSON.parse(recorded) as { line: unknown };
    const said = (typeof line === 'string' ? JSON.parse(line) : line) as {
      type?: string;
      message?: { content?: { type?: string; name?: string }[] };
    };
    if (said.type !== 'assistant' || !Array.isArray(said.message?.content)) return [];
    return said.message.content.flatMap((block) => (block.type === 'tool_use' && block.name ? [block.name] : []));
  } catch {
    // Not every line that a recording holds is one that can be read.
    return [];
  }
}

describe('the gallery', () => {
  it.each(Object.keys(toolViews))('has every state of %s', (kind) => {
    const there = toolStates.filter((one) => one.kind === kind).map((one) => one.state);
    expect(stateNames.filter((state) => !there.includes(state))).toEqual([]);
  });

  it('has every tool that a recording calls', () => {
    const folder = resolve(import.meta.dirname, '../../../../tests/transcripts');
    const called = new Set<string>();
    for (const file of readdirSync(folder).filter((name) => name.endsWith('.ndjson')))
      for (const line of readFileSync(join(folder, file), 'utf8').split('\n'))
        namesIn(line).forEach((one) => called.add(one));
    expect(called.size).toBeGreaterThan(30);
    expect([...called].filter((name) => !recordedTools.has(name))).toEqual([]);
  });

  it('says where each state is from, and makes up only what no recording has', () => {
    const made = toolStates.filter((one) => one.from === null);
    for (const one of made)
      expect(
        toolStates.some((other) => other.from !== null && other.kind === one.kind && other.state === one.state),
        one.id,
      ).toBe(false);
  });

  it('has an id for each entry, and opens it alone by it', () => {
    expect(new Set(entries.map((entry) => entry.id)).size).toBe(entries.length);
    const body = show('bash-complete');
    expect([...body.querySelectorAll('[data-entry]')].map((one) => one.id)).toEqual(['bash-complete']);
  });

  it('lists all of them', () => {
    const links = [...show('').querySelectorAll('li a')].map((a) => a.getAttribute('href'));
    expect(links.sort()).toEqual(entries.map((entry) => `#${entry.id}`).sort());
  });

  it.each(toolStates.map((one) => one.id))('%s is bounded, and says nothing that nobody meant', (id) => {
    const body = show(id);
    expect(body.querySelectorAll('*').length).toBeLessThan(2500);
    expect(body.textContent).not.toMatch(/undefined|\[object|NaN/);
  });

  // In a browser, with its colours, all of them are looked at in both themes (tests/page/gallery.test.mjs).
  it.each(['Rows together', 'Questions', 'Notices'].map(groupId))(
    'axe finds nothing in %s',
    async (group) => {
      show(group);
      // Colours need a layout, which there is none of here.
      const { violations } = await axe.run(document, { rules: { 'color-contrast': { enabled: false } } });
      expect(violations.map((v) => [v.id, v.nodes.map((n) => n.html.slice(0, 200))])).toEqual([]);
    },
    240_000,
  );
});
