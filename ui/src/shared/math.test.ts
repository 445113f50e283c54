import { describe, expect, it } from 'vitest';
import { elementsOf } from './mathElements';
import { mathMl } from './mathMl';

const made = (text: string, display = false): Element | null => {
  const answer = mathMl(text, display);
  return 'mathml' in answer ? elementsOf(answer.mathml, true) : null;
};
const problem = (text: string) => {
  const answer = mathMl(text, false);
  return 'problem' in answer ? answer.problem : null;
};

describe('formulas', () => {
  it('become elements of MathML', () => {
    const math = made('\\frac{a_1}{\\sqrt{b}} \\le \\sum_{i=0}^n x_i', true);
    expect(math?.getAttribute('display')).toBe('block');
    expect(math?.querySelector('mfrac > msub')).not.toBeNull();
    expect(math?.namespaceURI).toBe('http://www.w3.org/1998/Math/MathML');
  });
  it('keep their layout and colours without a style attribute that is parsed', () => {
    const answer = mathMl('\\begin{aligned} a &= \\color{red}{b} \\end{aligned}', true);
    expect('mathml' in answer && / style=/.test(answer.mathml)).toBe(false);
    expect('mathml' in answer && answer.mathml).toMatch(/data-style="[^"]*color:\s*(?:red|#ff0000)/);
  });
  it.each([
    '\\href{javascript:alert(1)}{x}',
    '\\url{https://a.example}',
    '\\includegraphics{https://a.example/x.png}',
    '\\htmlClass{x}{y}',
    '\\htmlStyle{background:url(https://a.example)}{x}',
  ])('name no address and no style of their own: %s', (text) => {
    const math = made(text);
    for (const one of math?.querySelectorAll('*') ?? [])
      for (const { name, value } of one.attributes)
        expect(`${name}=${value}`).not.toMatch(/href|url|src|https?:|javascript/i);
    expect(math?.querySelector('a, img, mglyph, script')).toBeFalsy();
  });
  it('that cannot be read say why', () => {
    expect(problem('\\frac{1')).toMatch(/^Unexpected end of input/);
    expect(problem('\\unknown x')).toBe('Unsupported function name: \\unknown');
    expect(problem(`${'{'.repeat(20_000)}x${'}'.repeat(20_000)}`)).toBe('nested too deeply');
    expect(problem('\\def\\a{\\a\\a}\\a')).toMatch(/expansion/i);
  });
  it('of other elements, addresses and events leave only what lays out', () => {
    const text =
      '<math xmlns="http://www.w3.org/1998/Math/MathML" onclick="x()"><mi href="javascript:x" data-style="color:red;background:url(x)">a</mi>' +
      '<script xmlns="http://www.w3.org/1999/xhtml">x()</script><annotation-xml><mi>b</mi></annotation-xml></math>';
    const math = elementsOf(text, true);
    expect(math?.outerHTML.replace(/ (?:xmlns|style)="[^"]*"/g, '')).toBe('<math><mi>a</mi></math>');
    expect(elementsOf('<p>x</p>', true)).toBeNull();
    expect(elementsOf('<math', true)).toBeNull();
  });
  it('where no font does it, an index is put below its letter', () => {
    const answer = mathMl('a_1^2', false);
    expect('mathml' in answer && elementsOf(answer.mathml, false)?.querySelector('msubsup > mpadded')).not.toBeNull();
  });
});
