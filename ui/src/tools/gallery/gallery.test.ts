import axe from 'axe-core';
import { flushSync, mount, unmount } from 'svelte';
import { afterEach, expect, it } from 'vitest';
import Gallery from './Gallery.svelte';

let shown: ReturnType<typeof mount> | null = null;
afterEach(() => {
  if (shown) void unmount(shown);
  document.body.replaceChildren();
});

it('axe finds nothing in any row or card', async () => {
  document.documentElement.lang = 'en';
  document.title = 'Gallery';
  shown = mount(Gallery, { target: document.body });
  flushSync();
  // Colours need a layout, which there is none of here.
  const { violations } = await axe.run(document, { rules: { 'color-contrast': { enabled: false } } });
  expect(violations.map((v) => [v.id, v.nodes.map((n) => n.html.slice(0, 200))])).toEqual([]);
}, 120_000);
