import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { hastToHtml } from './html';

type Part = Extract<Parameters<typeof hastToHtml>[0], { type: string }>;

const text = (value: string): Part => ({ type: 'text', value });
const element = (tagName: string, properties: Record<string, string>, ...children: Part[]): Part => ({
  type: 'element',
  tagName,
  properties,
  children,
});
const line = (...children: Part[]) =>
  element('div', { 'data-line': '4', 'data-line-type': 'change-addition' }, ...children);
const mark = (words: string) => element('span', { 'data-diff-span': '' }, text(words));

describe('what the library writes', () => {
  const rules: string[] = [];
  beforeEach(() => {
    // jsdom has sheets without declarations; here it counts that there is a rule for each style.
    vi.stubGlobal(
      'CSSStyleSheet',
      class {
        cssRules = rules;
        insertRule(rule: string) {
          rules.push(rule);
        }
      },
    );
  });
  afterEach(() => vi.unstubAllGlobals());

  it('has no style attribute: the same style is the same class', () => {
    const one = element('span', { style: 'color:var(--syn-string)' }, text('a'));
    const html = hastToHtml([one, { ...one, properties: { ...one.properties, className: 'x' } }]);
    expect(html).toBe('<span class="k0">a</span><span class="k0 x">a</span>');
    expect(rules).toEqual(['.k0{}']);
  });

  it('is escaped, whatever the line says', () => {
    const html = hastToHtml(line(text('<img src=x onerror="alert(1)"> & "<b>')));
    expect(html).toBe(
      '<div data-line="4" data-line-type="change-addition">&lt;img src=x onerror=&quot;alert(1)&quot;> &amp; &quot;&lt;b></div>',
    );
  });

  it('names the button beside a line', () => {
    expect(hastToHtml(element('button', { 'data-utility-button': '' }))).toContain('aria-label="Comment on this line"');
  });

  it('marks words, and no line that is another as a whole', () => {
    expect(hastToHtml(line(text('const a = '), mark('1'), text(';')))).toContain('data-diff-span');
    expect(hastToHtml(line(mark('fn added_here(x)'), text(' {')))).not.toContain('data-diff-span');
  });
});
