// For tests: what GitHub's Markdown adds to CommonMark, as text and as the HTML that it stands for.

export const githubTexts: Record<string, [text: string, html: string]> = {
  'a table': [
    '| a | b |\n| --- | --- |\n| 1 | 2 |',
    '<table><thead><tr><th>a</th><th>b</th></tr></thead><tbody><tr><td>1</td><td>2</td></tr></tbody></table>',
  ],
  'a table without outer bars': [
    'a | b\n:- | -:\n1 | 2',
    '<table><tr><th align="left">a</th><th align="right">b</th></tr><tr><td align="left">1</td><td align="right">2</td></tr></table>',
  ],
  'a table of one column': ['| a |\n| :-: |', '<table><tr><th align="center">a</th></tr></table>'],
  'a bar behind a backslash in a cell, in code too': [
    '| a |\n|-|\n| b `\\|` az |\n| **\\|** |',
    '<table><tr><th>a</th></tr><tr><td>b <code>|</code> az</td></tr><tr><td><strong>|</strong></td></tr></table>',
  ],
  'a table ends with another block': [
    '| a | b |\n|---|---|\n| c | d |\n> e',
    '<table><tr><th>a</th><th>b</th></tr><tr><td>c</td><td>d</td></tr></table><blockquote><p>e</p></blockquote>',
  ],
  'a line without a bar goes on with a table': [
    '| a | b |\n|---|---|\n| c | d |\ne\n\nf',
    '<table><tr><th>a</th><th>b</th></tr><tr><td>c</td><td>d</td></tr><tr><td>e</td><td></td></tr></table><p>f</p>',
  ],
  'no table where the counts differ': ['| a | b |\n| --- |\n| c |', '<p>| a | b |\n| --- |\n| c |</p>'],
  'rows that are too short or too long': [
    '| a | b |\n|---|---|\n| c |\n| d | e | f |',
    '<table><tr><th>a</th><th>b</th></tr><tr><td>c</td><td></td></tr><tr><td>d</td><td>e</td></tr></table>',
  ],
  'a table behind a line of its paragraph': [
    'Words\n| a | b |\n|---|---|',
    '<p>Words</p><table><tr><th>a</th><th>b</th></tr></table>',
  ],
  'a table in a list': [
    '- x\n\n  | a | b |\n  |---|---|\n  | c | d |',
    '<ul><li><p>x</p><table><tr><th>a</th><th>b</th></tr><tr><td>c</td><td>d</td></tr></table></li></ul>',
  ],
  'a table in a quotation': [
    '> | a | b |\n> |---|---|\n> | c | d |',
    '<blockquote><table><tr><th>a</th><th>b</th></tr><tr><td>c</td><td>d</td></tr></table></blockquote>',
  ],
  'an empty cell': [
    '| a | b |\n|---|---|\n| | d |\n|||',
    '<table><tr><th>a</th><th>b</th></tr><tr><td></td><td>d</td></tr><tr><td></td><td></td></tr></table>',
  ],
  'spans in cells': [
    '| *a* | [b](/c) |\n|---|---|\n| ~~d~~ | https://e.example |',
    '<table><tr><th><em>a</em></th><th><a href="/c">b</a></th></tr><tr><td><del>d</del></td><td><a href="https://e.example">https://e.example</a></td></tr></table>',
  ],
  'a table is no lazy line of a list': ['- a\n| b | c |\n|---|---|', '<ul><li>a\n| b | c |\n|---|---|</li></ul>'],
  'a heading underlined, and no table': ['a\n-', '<h2>a</h2>'],
  'a row of bars and dashes without a header': ['|---|---|', '<p>|---|---|</p>'],
  'what is struck out': ['~~Hi~~ Hello, ~there~ world', '<p><del>Hi</del> Hello, <del>there</del> world</p>'],
  'no striking out over paragraphs': ['This ~~has a\n\nnew paragraph~~.', '<p>This ~~has a</p><p>new paragraph~~.</p>'],
  'three tildes': ['This will ~~~not~~~ strike.', '<p>This will ~~~not~~~ strike.</p>'],
  'struck out with a blank inside': ['~~ a ~~', '<p>~~ a ~~</p>'],
  'strong in what is struck out': ['~~**a** b~~', '<p><del><strong>a</strong> b</del></p>'],
  'tildes of different length': ['~a~~ b', '<p>~a~~ b</p>'],
  tasks: [
    '- [ ] foo\n- [x] bar\n- [X] baz',
    '<ul><li><input type="checkbox">foo</li><li><input type="checkbox" checked>bar</li><li><input type="checkbox" checked>baz</li></ul>',
  ],
  'tasks inside tasks': [
    '- [x] foo\n  - [ ] bar\n- [ ] bim',
    '<ul><li><input checked>foo<ul><li><input>bar</li></ul></li><li><input>bim</li></ul>',
  ],
  'tasks with numbers': ['1. [ ] a\n2. [x] b', '<ol><li><input>a</li><li><input checked>b</li></ol>'],
  'no tasks': [
    '- [] a\n- [y] b\n- [x]c\n- a [x] d',
    '<ul><li>[] a</li><li>[y] b</li><li>[x]c</li><li>a [x] d</li></ul>',
  ],
  'an address in the text': [
    'Visit www.commonmark.org/help for more.',
    '<p>Visit <a href="http://www.commonmark.org/help">www.commonmark.org/help</a> for more.</p>',
  ],
  'an address at the end of a sentence': [
    'See https://a.example/b. And https://a.example/c?!',
    '<p>See <a href="https://a.example/b">https://a.example/b</a>. And <a href="https://a.example/c">https://a.example/c</a>?!</p>',
  ],
  'an address with brackets': [
    'www.google.com/search?q=Markup+(business)\n\n(www.google.com/search?q=Markup+(business))',
    '<p><a href="http://www.google.com/search?q=Markup+(business)">www.google.com/search?q=Markup+(business)</a></p><p>(<a href="http://www.google.com/search?q=Markup+(business)">www.google.com/search?q=Markup+(business)</a>)</p>',
  ],
  'brackets inside an address': [
    'www.google.com/search?q=(business))+ok',
    '<p><a href="http://www.google.com/search?q=(business))+ok">www.google.com/search?q=(business))+ok</a></p>',
  ],
  'a reference at the end of an address': [
    'www.google.com/search?q=commonmark&hl=en\n\nwww.google.com/search?q=commonmark&hl;',
    '<p><a href="http://www.google.com/search?q=commonmark&hl=en">www.google.com/search?q=commonmark&amp;hl=en</a></p><p><a href="http://www.google.com/search?q=commonmark">www.google.com/search?q=commonmark</a>&amp;hl;</p>',
  ],
  'an address before an angle bracket': [
    'www.commonmark.org/he<lp',
    '<p><a href="http://www.commonmark.org/he">www.commonmark.org/he</a>&lt;lp</p>',
  ],
  'an address in emphasis': [
    '**https://a.example/b**, *www.a.example*',
    '<p><strong><a href="https://a.example/b">https://a.example/b</a></strong>, <em><a href="http://www.a.example">www.a.example</a></em></p>',
  ],
  'an address in a word': ['xhttps://a.example', '<p>xhttps://a.example</p>'],
  'an address in a link': ['[https://a.example](/b)', '<p><a href="/b">https://a.example</a></p>'],
  'an address in code': ['`https://a.example`', '<p><code>https://a.example</code></p>'],
  'mail addresses': [
    'foo@bar.baz, a.b-c_d@a.b. a.b-c_d@a.b- a.b-c_d@a.b_',
    '<p><a href="mailto:foo@bar.baz">foo@bar.baz</a>, <a href="mailto:a.b-c_d@a.b">a.b-c_d@a.b</a>. a.b-c_d@a.b- a.b-c_d@a.b_</p>',
  ],
};
