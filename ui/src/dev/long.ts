// A conversation of any length for the timeline to show: prompts, answers, commands, edits, groups of reads and searches, and
// subagents in subagents.
import type { Event, NormalizedPayload } from '../bindings/bindings';
import { bash, edit, grep, read, Script, turn } from './story';

const agent = (description: string, output: string | null): NormalizedPayload => ({
  kind: 'subagent_task',
  subagent_task: {
    description,
    prompt: `Look at ${description} and say what breaks.`,
    subagent_type: 'Explore',
    status: output === null ? null : 'completed',
    agent_id: null,
    duration_ms: output === null ? null : 84_000,
    total_tokens: output === null ? null : 31_400,
    tool_use_count: output === null ? null : 9,
    output,
  },
});

const diff = (i: number) =>
  `--- a/src/part_${i}.rs\n+++ b/src/part_${i}.rs\n@@ -${i} +${i} @@\n-    retry(${i});\n+    retry_later(${i});\n`;

/** That many rows of the main thread, and some below them. */
export function longStory(rows: number): Event[] {
  const s = new Script(rows + 100);
  for (let i = 0; i < rows; i++) {
    const [id, path] = [`toolu_${i}`, `src/part_${i}.rs`];
    const of20 = i % 20;
    if (of20 === 0)
      s.say(
        {
          type: 'user_message',
          text: `Prompt ${i / 20 + 1}: look at part ${i} of the delivery code.`,
          uuid: `u${i}`,
          attachments: [],
          synthetic: false,
        },
        1,
      );
    else if (of20 === 19) s.say({ type: 'complete', data: turn({ total_cost_usd: i / 100 }) });
    else if (of20 % 5 === 0)
      s.say(
        {
          type: 'message_chunk',
          message_id: `m${i}`,
          text: `Part ${i} is in order. ${'It keeps its promise. '.repeat(i % 11)}`,
        },
        1,
      );
    else if (of20 % 5 < 3 && of20 < 8) s.tool(id, 'Read', path, read(path, i));
    else if (of20 === 4) s.tool(id, 'Grep', 'retry', grep(`retry_${i}`, [path]));
    else if (of20 === 9) s.tool(id, 'Edit', path, edit(path, diff(i)));
    else if (of20 === 11) explore(s, id, i);
    else if (of20 === 13)
      s.tool(id, 'Bash', 'cargo test', bash(`cargo test part_${i}`, `error: part ${i}\n`, 101), 'error');
    else s.tool(id, 'Bash', 'cargo check', bash(`cargo check -p part_${i}`, `Finished in ${i} ms\n`, 0));
  }
  return s.events;
}

/** A subagent that asks another one. */
function explore(s: Script, id: string, i: number): void {
  const call = { tool_call_id: id, tool_name: 'Task', tool_title: `Part ${i}` };
  s.say({ type: 'tool_call', ...call, tool_status: 'running', normalized: agent(`part ${i}`, null) });
  for (let n = 0; n < 3; n++) s.tool(`${id}_${n}`, 'Read', `src/${n}.rs`, read(`src/${n}.rs`, 40), 'complete', 0.2, id);
  const inner = { tool_call_id: `${id}_in`, tool_name: 'Task', tool_title: `Tests of part ${i}` };
  s.say({ type: 'tool_call', ...inner, tool_status: 'running', normalized: agent(`tests of part ${i}`, null) }, 0, id);
  s.tool(`${id}_run`, 'Bash', 'cargo test', bash('cargo test', 'ok\n', 0), 'complete', 2, `${id}_in`);
  s.say({ type: 'message_chunk', message_id: `${id}_m`, text: 'All tests pass.' }, 1, `${id}_in`);
  s.say(
    {
      type: 'tool_update',
      ...inner,
      tool_status: 'complete',
      normalized: agent(`tests of part ${i}`, 'They **pass**.'),
    },
    1,
    id,
  );
  s.say({
    type: 'tool_update',
    ...call,
    tool_status: 'complete',
    normalized: agent(`part ${i}`, 'Nothing breaks: `retry` is called in one place.'),
  });
}
