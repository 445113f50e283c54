import { describe, expect, it } from 'vitest';
import { diagramSource, scopedRules } from './mermaidSource';

describe('the source of a diagram', () => {
  it('is handed on as it is, without settings', () => {
    expect(diagramSource('graph TD\n  A-->B\n')).toEqual({ code: 'graph TD\n  A-->B' });
    for (const code of [
      'graph TD\nA["a<br/>b"] <--> B["<b>c</b> 1 < 2 = 3"]',
      'classDiagram\nclass A {\n<<interface>>\n}\nA <|-- B : x = 1',
      'sequenceDiagram\nA<<->>B: a=b',
    ])
      expect(diagramSource(code)).toEqual({ code });
    expect(diagramSource('%%{init: {"theme":"forest","themeCSS":"}body{display:none}"}}%%\ngraph TD\nA-->B')).toEqual({
      code: '\ngraph TD\nA-->B',
    });
    expect(diagramSource('---\ntitle: "A \\" b"\nconfig:\n  securityLevel: loose\n---\ngraph TD\nA-->B')).toEqual({
      code: '---\ntitle: "A \\\\\\" b"\n---\ngraph TD\nA-->B',
    });
  });
  it.each([
    ['', 'it is empty'],
    ['%%{init: {}}%%', 'it is empty'],
    ['a '.repeat(2500), 'it is too long to draw'],
    ['a\n'.repeat(150), 'it has too many lines to draw'],
    ['A-->B; '.repeat(300), 'it has too many parts to draw'],
    [`graph TD\nA[${'w'.repeat(300)}]`, 'it has too long words to draw'],
    ['graph TD\nA@{ img: "https://a.example/x.png" }', 'images in diagrams are not loaded'],
    ['graph TD\nA@{ shape: x, icon: "fa:x" }', 'images in diagrams are not loaded'],
    ['graph TD\nA["<img src=x onerror=hurt()>"]', 'HTML in diagrams is not drawn'],
    ['graph TD\nA["<svg/onload=hurt()>"]', 'HTML in diagrams is not drawn'],
    ['graph TD\nA["#lt;img src=x onerror=hurt()#gt;"]', 'HTML in diagrams is not drawn'],
    ['graph TD\nA["&#x3c;img&#32;src&#61;x>"]', 'HTML in diagrams is not drawn'],
  ])('is refused with its reason: %#', (source, problem) => expect(diagramSource(source)).toEqual({ problem }));
});

it('keeps of a style sheet what speaks of the diagram and loads nothing', () => {
  const rule = (selectorText: string | undefined, body: string) => ({
    ...(selectorText === undefined ? {} : { selectorText }),
    cssText: `${selectorText ?? '@media'} {${body}}`,
  });
  const kept = scopedRules(
    [
      rule('#d .node', 'fill:red'),
      rule('#d .a, #d .b', 'marker:url(#d_x)'),
      rule('body', 'display:none'),
      rule('#d .a, body', 'display:none'),
      rule('#d', 'background:url(https://a.example/x)'),
      rule(undefined, 'x'),
    ],
    'd',
  );
  expect(kept).toBe('#d .node {fill:red}\n#d .a, #d .b {marker:url(#d_x)}');
});
