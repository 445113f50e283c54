import { describe, expect, it } from 'vitest';
import { isMarkdown, readAnswer } from './blocks';
import { readFindings, severities } from './findings';
import { miscFacts, miscTools, partsOf } from './misc';
import { readCells } from './notebook';
import { marker, readFound } from './search';
import { hitCount, readHits } from './web';
import { readSteps, stepWords } from './workflow';

describe('what a search printed', () => {
  it('is files with their lines, and what stands beside them', () => {
    const text = ['a-b.rs-6-before', 'a-b.rs:7:hit: one', 'a-b.rs-8-after', '--', 'C:\\x\\b.rs:12:two', ''].join('\n');
    expect(readFound(text, null)).toEqual([
      {
        path: 'a-b.rs',
        count: null,
        lines: [
          { number: 6, text: 'before', beside: true },
          { number: 7, text: 'hit: one', beside: false },
          { number: 8, text: 'after', beside: true },
        ],
      },
      { path: 'C:\\x\\b.rs', count: null, lines: [{ number: 12, text: 'two', beside: false }] },
    ]);
  });
  it('is counts, or one file, where that was asked for', () => {
    expect(readFound('src/a.rs:3\nsrc/b.rs:1\n', 'src')).toEqual([
      { path: 'src/a.rs', lines: [], count: 3 },
      { path: 'src/b.rs', lines: [], count: 1 },
    ]);
    expect(readFound('7:one\n8-beside\n', '/w/a.rs')?.[0]).toMatchObject({
      path: '/w/a.rs',
      lines: [{ number: 7 }, { beside: true }],
    });
  });
  it('is the lines of one file, also where they look like places themselves', () => {
    for (const text of ['12:08:15:00 started\n13-08:15:02 waits\n--\n40:7', '100:12:34:56 error'])
      expect(readFound(text, '/w/app.log')).toMatchObject([{ path: '/w/app.log', count: null }]);
    expect(readFound('12:08:15 a\n12:09:15 b', '/w')?.map((file) => file.path)).toEqual(['12']);
    expect(readFound('2024-a.log:5:text', '/w')).toMatchObject([{ path: '2024-a.log', lines: [{ number: 5 }] }]);
  });
  it('is read in a time that does not grow with the square of its files', () => {
    const text = Array.from({ length: 40_000 }, (_, i) => `src/${i}.rs:1:x`).join('\n');
    expect(readFound(text, '/w')).toHaveLength(40_000);
  });
  it.each(['just words\nand more', 'a.rs:fn main', ''])('is nothing known in %j', (text) =>
    expect(readFound(text, null)).toBeNull(),
  );
  it('marks what was looked for, and never takes long over it', () => {
    expect(marker('fn ')('pub fn add')).toEqual([[4, 7]]);
    expect(marker('delay|wait')('a delay, a wait')).toHaveLength(2);
    for (const evil of ['(a+)+$', '(x+x+)+y', '(', '(a)\\1', '.*.*.*.*x', 'a{2,}a+a*a+b'])
      expect(marker(evil)('a'.repeat(900))).toEqual([]);
    expect(marker('a*')('bbb')).toEqual([]);
  });
});

it('a notebook is its cells with their outputs', () => {
  const text =
    '<cell id="c1">print(1)\nx</cell id="c1">\n\n1\n\n<cell id="m1"><cell_type>markdown</cell_type># Title</cell id="m1">';
  expect(readCells(text)).toEqual([
    { id: 'c1', type: 'code', language: null, source: 'print(1)\nx', output: '1' },
    { id: 'm1', type: 'markdown', language: null, source: '# Title', output: '' },
  ]);
  expect(readCells('import x')).toBeNull();
  expect(readCells('<cell id="a">never closed')).toBeNull();
});

it('a web answer is what was said and what was found', () => {
  const text =
    'Two pages.\n\n- [Reading [a] table](https://www.tides.example/reading)\n- [HW](https://b.example/x)\n\nMore.';
  expect(readHits(text)).toEqual([
    { text: 'Two pages.' },
    {
      hits: [
        { title: 'Reading [a] table', url: 'https://www.tides.example/reading', site: 'tides.example' },
        { title: 'HW', url: 'https://b.example/x', site: 'b.example' },
      ],
    },
    { text: 'More.' },
  ]);
  expect(hitCount(text)).toBe(2);
  expect(readHits('- [x](javascript:alert(1))')).toEqual([{ text: '- [x](javascript:alert(1))' }]);
});

describe('an answer of an MCP server', () => {
  it('is texts, values, pictures and resources', () => {
    const answer = [
      { type: 'text', text: 'hi' },
      { type: 'text', text: '{"name":"Alice"}' },
      { type: 'image', source: { type: 'base64', media_type: 'image/png', data: 'AA' } },
      { type: 'resource_link', uri: 'file:///a', name: 'a', mimeType: 'text/plain' },
      { type: 'resource', resource: { uri: 'x://b', text: 'whole' } },
      { type: 'audio', data: 'AA' },
    ];
    expect(readAnswer(answer).map((part) => part.kind)).toEqual([
      'text',
      'value',
      'image',
      'resource',
      'resource',
      'value',
    ]);
  });
  it('says a structured value once', () => {
    const value = { rows: 2 };
    expect(readAnswer({ content: '{"rows":2}', structuredContent: value })).toEqual([{ kind: 'value', value }]);
    expect(readAnswer({ content: [{ type: 'text', text: 'two rows' }], structuredContent: value })).toHaveLength(2);
  });
  it.each([null, undefined, ''])('is nothing: %j', (output) => expect(readAnswer(output)).toEqual([]));
  it.each(['{not json}', '[1, 2', 'plain'])('leaves %j a text', (text) =>
    expect(readAnswer(text)).toEqual([{ kind: 'text', text }]),
  );
  it('knows Markdown from the output of a program', () => {
    expect(isMarkdown('# Title\n\ntext')).toBe(true);
    expect(isMarkdown('- one\n- two')).toBe(true);
    expect(isMarkdown('\u001b[1m# not\u001b[0m')).toBe(false);
    expect(isMarkdown('total 4\n-rw-r--r-- 1 a b 3')).toBe(false);
  });
});

it('findings keep their places and all their fields', () => {
  const list = [
    { file: 'a.rs', line: 2, summary: 's', failure_scenario: 'f', severity: 'nit', category: 'overflow' },
    { summary: 'no place', severity: 'nit' },
  ];
  const found = readFindings({ findings: list }, null);
  expect(found[0]).toEqual({
    file: 'a.rs',
    line: 2,
    summary: 's',
    scenario: 'f',
    severity: 'nit',
    rest: { category: 'overflow' },
  });
  expect(found[1]).toMatchObject({ file: null, line: null, scenario: null });
  expect(severities(found)).toEqual([['nit', 2]]);
  expect(readFindings({}, 'odd')).toEqual([]);
});

it('a workflow is steps with their states', () => {
  const steps = readSteps([
    { label: 'one', state: 'done', tokens: 1201, toolCalls: 0, durationMs: 102, resultPreview: 'x' },
    {},
  ]);
  expect(steps).toEqual([
    { label: 'one', state: 'done', tokens: 1201, tools: 0, ms: 102, result: 'x' },
    { label: 'Step 2', state: '', tokens: null, tools: null, ms: null, result: null },
  ]);
  expect([stepWords('done').over, stepWords('start').over, stepWords('failed').failed]).toEqual([true, false, true]);
});

it.each(Object.keys(miscTools))('%s bears fields of any shape', (tool) => {
  for (const details of [
    null,
    {},
    'text',
    { input: null, output: null },
    { input: { findings: 5, skill: 3 }, output: 'no' },
    { input: [], output: [1] },
  ]) {
    const look = miscTools[tool];
    const words = [
      look?.arg?.(partsOf(details)),
      ...(look?.notes?.(partsOf(details)) ?? []),
      ...miscFacts(tool, details).map((f) => f.value),
    ];
    expect(words.join(' ')).not.toMatch(/undefined|\[object|NaN/);
  }
});
