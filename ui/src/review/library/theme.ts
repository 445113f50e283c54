// Stands in the bundle for what of `@pierre/diffs` puts a `<style>` element into the page, which the content security
// policy blocks. The colours come from a sheet of ours instead.

export function upsertHostThemeStyle(): undefined {
  return undefined;
}

export function createHostThemeStyleNode(): HTMLElement {
  return document.createElement('span');
}
