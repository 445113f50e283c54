// How a reviewed diff looks: the names of our tokens for what the library draws. Inside its shadow root nothing of the
// app's style sheets holds; custom properties do. Rules outside any layer win over the library's own.

const css = `
:host {
  color-scheme: inherit;
  --diffs-font-family: var(--font-code);
  --diffs-header-font-family: var(--font-ui);
  --diffs-font-size: var(--t-code);
  --diffs-line-height: var(--lh-code);
  --diffs-font-features: 'calt' 0;
  --diffs-tab-size: 4;
  --diffs-min-number-column-width: 4ch;
  --diffs-gap-block: 0px;
  --diffs-gap-inline: 0px;
  --diffs-gap-style: 0 solid transparent;
  --diffs-light: var(--text-1);
  --diffs-dark: var(--text-1);
  --diffs-light-bg: var(--surface-code);
  --diffs-dark-bg: var(--surface-code);
  --diffs-fg-number-override: var(--text-3);
  --diffs-fg-number-addition-override: var(--text-3);
  --diffs-fg-number-deletion-override: var(--text-3);
  --diffs-addition-color-override: var(--diff-add-text);
  --diffs-deletion-color-override: var(--diff-del-text);
  --diffs-bg-addition-emphasis-override: var(--diff-add-word);
  --diffs-bg-deletion-emphasis-override: var(--diff-del-word);
  --diffs-bg-context-override: var(--surface-code);
  --diffs-bg-separator-override: var(--diff-hunk-bg);
  --diffs-bg-buffer-override: var(--line);
  --diffs-bg-selection-override: var(--accent-tint);
  --diffs-bg-selection-number-override: var(--accent-tint);
  --diffs-modified-color-override: var(--accent-text);
  font-variant-ligatures: none;
}
[data-line], [data-column-number], [data-no-newline], [data-gutter-buffer], [data-content-buffer] {
  background-color: var(--surface-code);
}
[data-line-type='change-addition']:is([data-line], [data-column-number], [data-no-newline], [data-gutter-buffer='metadata']) {
  background-color: var(--diff-add-bg);
}
[data-line-type='change-deletion']:is([data-line], [data-column-number], [data-no-newline], [data-gutter-buffer='metadata']) {
  background-color: var(--diff-del-bg);
}
:is([data-line], [data-column-number])[data-selected-line] {
  background-color: var(--accent-tint);
}
[data-column-number][data-selected-line] {
  color: var(--text-1);
}
[data-column-number] {
  padding-inline: 8px 6px;
  font-size: 11.5px;
}
[data-line] {
  padding-inline-end: 12px;
}
[data-diff-span] {
  border-radius: 0;
}
[data-line-annotation], [data-gutter-buffer='annotation'] {
  background-color: var(--surface-code);
}
[data-separator='custom'] {
  position: relative;
  display: block;
  height: 28px;
  background: var(--diff-hunk-bg);
  border-block: 1px solid var(--line);
  box-sizing: border-box;
}
[data-content] [data-separator='custom'] slot {
  display: none;
}
[data-gutter] [data-separator='custom'] slot {
  display: block;
  position: absolute;
  left: 0;
  width: 100cqi;
}
[data-code] {
  container-type: inline-size;
  scrollbar-gutter: auto;
}
[data-utility-button] {
  background-color: var(--accent-solid);
  color: var(--text-on-accent);
  border-radius: var(--r-1);
}
[data-diff-type='split'] [data-additions] {
  border-left: 1px solid var(--line);
}
[data-diff-type='split'] [data-deletions] {
  border-right: 0;
}
[data-no-newline] span {
  opacity: 1;
  color: var(--text-3);
}
`;

let made: CSSStyleSheet | null = null;

export function lookSheet(): CSSStyleSheet {
  if (made === null) {
    made = new CSSStyleSheet();
    made.replaceSync(css);
  }
  return made;
}
