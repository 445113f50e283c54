import { describe, expect, it } from 'vitest';
import type { NormalizedPayload, PermissionReason, PermissionRequest } from '../bindings/bindings';
import { readQuestions } from '../tools/questions';
import { answeredInput, answerOf, answersOf, choose, chooseOther, noChoice } from './answers';
import { applyEdits, editable } from './editing';
import { divisible, without } from './hunks';
import { suggestionWords } from './suggestions';
import { cardHead, what, where, who, why } from './words';

const folder = '/home/dev/project';

describe('a suggestion in words', () => {
  const words = (s: unknown) => {
    const { label, scope } = suggestionWords(s, folder);
    return scope === null ? label : `${label} (${scope})`;
  };
  const rules = (list: unknown[], over: object = {}) => ({
    type: 'addRules',
    rules: list,
    behavior: 'allow',
    destination: 'localSettings',
    ...over,
  });

  it.each([
    [rules([{ toolName: 'Bash', ruleContent: 'npm test' }]), 'Always allow npm test (this project, local settings)'],
    [rules([{ toolName: 'Bash', ruleContent: 'git log:*' }]), 'Always allow git log * (this project, local settings)'],
    [
      rules([
        { toolName: 'Bash', ruleContent: 'mkdir -p build' },
        { toolName: 'Bash', ruleContent: 'touch build/out.txt' },
      ]),
      'Always allow mkdir -p build and touch build/out.txt (this project, local settings)',
    ],
    [
      rules([{ toolName: 'Read', ruleContent: '//etc/**' }], { destination: 'session' }),
      'Always allow reading /etc/** (this session)',
    ],
    [
      rules([{ toolName: 'Edit', ruleContent: '//home/dev/project/src/**' }]),
      'Always allow edits in src/** (this project, local settings)',
    ],
    [
      rules([{ toolName: 'WebFetch', ruleContent: 'domain:a.example' }], { destination: 'userSettings' }),
      'Always allow fetching from a.example (all projects)',
    ],
    [rules([{ toolName: 'mcp__lab__ask' }]), 'Always allow lab: ask (this project, local settings)'],
    [rules([{ toolName: 'Bash' }]), 'Always allow every Bash (this project, local settings)'],
    [
      rules([{ toolName: 'Bash', ruleContent: 'rm:*' }], { behavior: 'deny', destination: 'projectSettings' }),
      'Always deny rm * (this project, shared settings)',
    ],
    [
      rules([{ toolName: 'Bash', ruleContent: 'rm:*' }], { behavior: 'ask' }),
      'Always ask for rm * (this project, local settings)',
    ],
    [
      rules([{ toolName: 'Bash', ruleContent: 'x' }], { type: 'removeRules' }),
      'No longer allow x (this project, local settings)',
    ],
    [
      rules([{ toolName: 'Bash', ruleContent: 'x' }], { type: 'replaceRules' }),
      'Always allow only x (this project, local settings)',
    ],
    [{ type: 'setMode', mode: 'acceptEdits', destination: 'session' }, 'Accept edits from now on (this session)'],
    [
      { type: 'setMode', mode: 'bypassPermissions', destination: 'session' },
      'Ask for nothing from now on (this session)',
    ],
    [
      { type: 'setMode', mode: 'surprise', destination: 'session' },
      'Permission mode surprise from now on (this session)',
    ],
    [
      { type: 'addDirectories', directories: ['/home/dev/project'], destination: 'session' },
      'Allow this folder (this session)',
    ],
    [
      { type: 'addDirectories', directories: ['/srv/data'], destination: 'session' },
      'Allow the folder /srv/data (this session)',
    ],
    [
      { type: 'removeDirectories', directories: ['/srv/data'], destination: 'session' },
      'No longer allow the folder /srv/data (this session)',
    ],
  ])('%j', (given, expected) => expect(words(given)).toBe(expected));

  it.each([
    null,
    'text',
    {},
    { type: 'addRules' },
    rules([]),
    rules([{ nothing: 1 }]),
    rules([{ toolName: 'Bash', ruleContent: 'ls' }, 7]),
    { type: 'setMode' },
    { type: 'addDirectories', directories: [] },
    { type: 'grantEverything', destination: 'session' },
  ])('that is not understood is never made to sound harmless: %j', (given) =>
    expect(words(given)).toMatch(/^Allow, with a change this version does not know/),
  );
});

const reason = (over: Partial<PermissionReason> = {}): PermissionReason => ({
  display_name: null,
  description: null,
  decision_reason: null,
  decision_reason_type: null,
  blocked_path: null,
  agent_id: null,
  title: null,
  requires_user_interaction: false,
  ...over,
});
const bash = (command: string, over: Partial<PermissionRequest> = {}): PermissionRequest => ({
  pending_id: 'p1',
  tool_call_id: 't1',
  tool_name: 'Bash',
  tool_title: command,
  action_type: 'command',
  input: { command, description: 'd', timeout: 5 },
  suggestions: [],
  data: reason(),
  normalized: {
    kind: 'shell_exec',
    shell_exec: {
      command,
      work_dir: null,
      description: 'List files',
      timeout: 120_000,
      background: true,
      output: null,
    },
  },
  ...over,
});

describe('who, what, where and why', () => {
  it('of a command', () => {
    const request = bash('a \\\n b\n');
    expect(cardHead(request, folder)).toMatchObject({ title: 'Allow this command?', arg: 'List files' });
    expect(who(request, null).words).toBe('This session');
    expect(who(request, 'Explore').words).toBe('Subagent “Explore”');
    expect(who(bash('x', { data: reason({ agent_id: 'a' }) }), null).words).toBe('A subagent of this session');
    expect(what(request).words).toBe('Bash, 2 lines, in the background, at most 2 min');
    expect(where(request, folder)).toEqual({ words: '', code: folder });
  });
  it.each([
    [
      reason({
        decision_reason_type: 'hook',
        decision_reason: 'This session is supervised: what can change something is asked for.',
      }),
      'supervised',
      'Policy supervised asks before everything that can change something',
    ],
    [
      reason({ decision_reason_type: 'hook', decision_reason: 'no pushing on Fridays' }),
      'supervised',
      'A hook asks: no pushing on Fridays',
    ],
    [reason({ decision_reason_type: 'rule' }), 'rules', 'A rule in the settings asks'],
    [
      reason({ decision_reason_type: 'workingDir', decision_reason: 'Path is outside allowed working directories' }),
      'rules',
      'Path is outside allowed working directories',
    ],
    [
      reason({ decision_reason_type: 'other', decision_reason: 'A variable cannot be checked' }),
      'rules',
      'A variable cannot be checked',
    ],
    [reason(), 'rules', 'No rule allows it, so the CLI asks'],
  ] as const)('why: %j under %s', (data, policy, expected) =>
    expect(why(bash('x', { data }), policy).words).toBe(expected),
  );
  it('names a blocked path', () =>
    expect(why(bash('x', { data: reason({ blocked_path: '/etc/x' }) }), 'rules')).toEqual({
      words: 'Blocked path:',
      code: '/etc/x',
    }));
});

describe('editing before allowing', () => {
  it('sends the whole input with the command changed', () => {
    const request = bash('rm -rf x');
    expect(applyEdits(request.input, editable(request), ['rm -rf y'])).toEqual({
      input: { command: 'rm -rf y', description: 'd', timeout: 5 },
      changed: true,
    });
  });
  it('changes nothing where nothing was typed, or the same', () => {
    const request = bash('ls');
    expect(applyEdits(request.input, editable(request), [])).toEqual({ input: request.input, changed: false });
    expect(applyEdits(request.input, editable(request), ['ls'])).toEqual({ input: request.input, changed: false });
  });
  it('keeps CR LF line ends, which a text field would lose', () => {
    const input = { file_path: 'a', content: 'one\r\ntwo\r\n' };
    const fields = editable(bash('', { tool_name: 'Write', input }));
    expect(fields[0]?.text).toBe('one\ntwo\n');
    expect(applyEdits(input, fields, ['one\ntwo\n'])).toEqual({ input, changed: false });
    expect(applyEdits(input, fields, ['one\n2\n'])).toEqual({
      input: { file_path: 'a', content: 'one\r\n2\r\n' },
      changed: true,
    });
  });
  it('reaches each edit of a MultiEdit', () => {
    const input = {
      file_path: 'a',
      edits: [
        { old_string: '1', new_string: '2' },
        { old_string: '3', new_string: '4' },
      ],
    };
    const fields = editable(bash('', { tool_name: 'MultiEdit', input }));
    expect(applyEdits(input, fields, [undefined, '5'])).toEqual({
      input: {
        file_path: 'a',
        edits: [
          { old_string: '1', new_string: '2' },
          { old_string: '3', new_string: '5' },
        ],
      },
      changed: true,
    });
  });
  it('of any other tool is its input as JSON, and says what is wrong with it', () => {
    const input = { a: 1 };
    const fields = editable(bash('', { tool_name: 'mcp__x__y', input }));
    expect(applyEdits(input, fields, ['{"a":2}'])).toEqual({ input: { a: 2 }, changed: true });
    expect(applyEdits(input, fields, ['{'])).toHaveProperty('problem');
    expect(applyEdits(input, fields, ['[1]'])).toHaveProperty('problem');
  });
  it('offers the plan, the new text and the new source', () => {
    const labels = (tool_name: string, input: unknown) => editable(bash('', { tool_name, input })).map((f) => f.label);
    expect(labels('ExitPlanMode', { plan: 'x' })).toEqual(['Plan']);
    expect(labels('ExitPlanMode', {})).toEqual([]);
    expect(labels('Edit', { old_string: '', new_string: 'x' })).toEqual(['New text']);
    expect(labels('NotebookEdit', { new_source: 'x' })).toEqual(['New source']);
    expect(labels('AskUserQuestion', { questions: [] })).toEqual([]);
  });
});

describe('answers', () => {
  const questions = readQuestions([
    { question: 'One?', header: 'h', multiSelect: false, options: [{ label: 'A', description: 'a' }, { label: 'B' }] },
    { question: 'Many?', multiSelect: true, options: [{ label: 'C' }, { label: 'D' }, 'E', 4] },
  ]);
  const [one, many] = questions as [(typeof questions)[0], (typeof questions)[0]];

  it('are keyed by the question, labels joined in the order of the options', () => {
    const choices = [choose(one, noChoice(), 'B'), choose(many, choose(many, noChoice(), 'D'), 'C')];
    expect(answersOf(questions, choices)).toEqual({ 'One?': 'B', 'Many?': 'C, D' });
  });
  it('are not whole while a question has none', () => {
    expect(answersOf(questions, [choose(one, noChoice(), 'A')])).toBeNull();
    expect(answersOf(questions, [])).toBeNull();
  });
  it('may be words of one’s own, alone or beside options', () => {
    expect(answerOf(one, { labels: [], other: ' mine ', useOther: true })).toBe('mine');
    expect(answerOf(many, { labels: ['C'], other: 'mine', useOther: true })).toBe('C, mine');
    expect(answerOf(one, { labels: [], other: ' ', useOther: true })).toBeNull();
  });
  it('one option excludes another where only one may be chosen', () => {
    expect(choose(one, { labels: ['A'], other: 'x', useOther: true }, 'B')).toEqual({
      labels: ['B'],
      other: 'x',
      useOther: false,
    });
    expect(chooseOther(one, choose(one, noChoice(), 'A'), true).labels).toEqual([]);
    expect(choose(many, choose(many, noChoice(), 'C'), 'C').labels).toEqual([]);
  });
  it('go back in the whole input', () =>
    expect(answeredInput({ questions: [1], metadata: 2 }, { 'One?': 'A' })).toEqual({
      questions: [1],
      metadata: 2,
      answers: { 'One?': 'A' },
    }));
  it('of odd questions are no error', () => {
    expect(readQuestions([null, 3, { question: 'x' }, { options: [null] }] as unknown[])).toEqual([
      { text: 'x', header: null, multiple: false, options: [] },
      { text: '', header: null, multiple: false, options: [] },
    ]);
  });
});

it('every kind of payload can be asked about', () => {
  const payloads: NormalizedPayload[] = [
    { kind: 'modify_file', modify_file: { file_path: '/x/a', mutations: [] } },
    { kind: 'read_file', read_file: { file_path: '/x/a', offset: null, limit: null, output: null } },
    {
      kind: 'http_request',
      http_request: { url: null, method: null, query: 'q', response: null, status: null, is_error: false },
    },
    { kind: 'mcp_tool', mcp_tool: { server: 's', tool: 't', input: {}, output: null } },
    { kind: 'generic', generic: { name: 'n', input: {}, output: null } },
  ];
  for (const action_type of [
    'command',
    'file_write',
    'file_read',
    'network',
    'mcp_tool',
    'plan',
    'question',
    'other',
  ] as const) {
    for (const normalized of payloads) {
      const request = bash('', { normalized, action_type });
      expect(cardHead(request, folder).title).not.toBe('');
      expect(what(request).words).not.toBe('');
      expect(where(request, folder).words + (where(request, folder).code ?? '')).not.toBe('');
    }
  }
});

describe('hunk by hunk', () => {
  // Twelve lines; the second is changed, two are put in after the sixth, the last is removed, and the file ends otherwise.
  const diff =
    '@@ -1,3 +1,3 @@\n a\n-b\n+B\n c\n@@ -6,2 +6,4 @@\n f\n+x\n+y\n g\n@@ -11,2 +13,1 @@\n k\n-l\n\\ No newline at end of file\n';
  const before = 'a\nb\nc\nd\ne\nf\ng\nh\ni\nj\nk\nl';
  const after = 'a\nB\nc\nd\ne\nf\nx\ny\ng\nh\ni\nj\nk\n';
  const write = (content: string, text = diff): PermissionRequest =>
    bash('', {
      tool_name: 'Write',
      input: { file_path: '/w/a', content },
      normalized: {
        kind: 'modify_file',
        modify_file: {
          file_path: '/w/a',
          mutations: [{ type: 'replace', content, old_content: null, new_content: null, diff: text, start_line: 2 }],
        },
      },
    });

  it('takes back what is left out, and nothing else', () => {
    const hunks = divisible(write(after));
    expect(hunks).toHaveLength(3);
    expect(without(after, hunks, new Set())).toBe(after);
    expect(without(after, hunks, new Set([1, 2, 3]))).toBe(before);
    expect(without(after, hunks, new Set([2]))).toBe('a\nB\nc\nd\ne\nf\ng\nh\ni\nj\nk\n');
    expect(without(after, hunks, new Set([1, 3]))).toBe('a\nb\nc\nd\ne\nf\nx\ny\ng\nh\ni\nj\nk\nl');
  });
  it('keeps CR LF', () => {
    const crlf = (s: string) => s.replaceAll('\n', '\r\n');
    const text = diff.replace(/^([ +-].*)$/gm, '$1\r');
    const hunks = divisible(write(crlf(after), text));
    expect(without(crlf(after), hunks, new Set([1, 2]))).toBe(crlf('a\nb\nc\nd\ne\nf\ng\nh\ni\nj\nk\n'));
  });
  it('is not offered where the diff is not that of the content, nor for a single hunk', () => {
    expect(divisible(write(after.replace('x', 'z')))).toEqual([]);
    expect(divisible(write('a\nB\nc\n', '@@ -1,3 +1,3 @@\n a\n-b\n+B\n c\n'))).toEqual([]);
    expect(divisible(bash('x'))).toEqual([]);
  });
});
