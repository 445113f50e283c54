import { describe, expect, it } from 'vitest';
import { commandWord, matchCommands } from './commands';
import { PromptHistory } from './history';
import { fit, LONGEST_EDGE } from './images';
import { Composition } from './keys';
import { effortChoices, modeChoices, modelChoices } from './choices';

describe('an input method', () => {
  const key = (change: object) => ({ isComposing: false, keyCode: 13, timeStamp: 1000, ...change });
  it('owns the keys of a composition', () => {
    const composition = new Composition();
    expect(composition.owns(key({ isComposing: true }))).toBe(true);
    expect(composition.owns(key({ keyCode: 229 }))).toBe(true);
    expect(composition.owns(key({}))).toBe(false);
  });

  it('owns the Enter that WebKit sends right after the composition ended, and no later one', () => {
    const composition = new Composition();
    composition.end(990);
    expect(composition.owns(key({}))).toBe(true);
    expect(composition.owns(key({ timeStamp: 1200 }))).toBe(false);
  });
});

describe('history', () => {
  it('walks to older prompts and back to what was being typed', () => {
    const history = new PromptHistory(() => ['one', 'two']);
    expect(history.older('draft')).toBe('two');
    expect(history.older('two')).toBe('one');
    expect(history.older('one')).toBeNull();
    expect(history.newer()).toBe('two');
    expect(history.newer()).toBe('draft');
    expect(history.newer()).toBeNull();
  });

  it('has nothing to give where nothing was sent', () => {
    expect(new PromptHistory(() => []).older('')).toBeNull();
  });
});

describe('commands', () => {
  const all = ['compact', 'review', 'security-review'].map((name) => ({
    name,
    description: null,
    argument_hint: null,
  }));
  it('are offered for a word after a slash at the start of the text alone', () => {
    expect(['/', '/re', '/a b', 'see /re', ' /re', ''].map((text) => commandWord(text, text.length))).toEqual([
      '',
      're',
      null,
      null,
      null,
      null,
    ]);
  });

  it('that begin with the word come before those that contain it', () => {
    expect(matchCommands(all, 're').map((c) => c.name)).toEqual(['review', 'security-review']);
    expect(matchCommands(all, '')).toHaveLength(3);
  });
});

describe('images', () => {
  it('keep their shape when they are scaled down', () => {
    expect(fit(4000, 1000)).toEqual({ width: LONGEST_EDGE, height: 500 });
    expect(fit(10, 20)).toEqual({ width: 10, height: 20 });
    expect(fit(10_000, 1)).toEqual({ width: LONGEST_EDGE, height: 1 });
  });
});

describe('pickers', () => {
  it('name the mode that the CLI confirmed, also one that is not offered', () => {
    expect(modeChoices('bypassPermissions', 'supervised').at(-1)?.value).toBe('bypassPermissions');
  });

  it('offer the modes that suit the policy', () => {
    expect(modeChoices('default', 'supervised').map((m) => m.value)).toEqual(['default', 'acceptEdits', 'plan']);
    expect(modeChoices('default', 'rules')).toHaveLength(5);
  });

  it('find the model by its full name', () => {
    const list = [
      { value: 'default', display_name: 'Default', description: null },
      { value: 'opus', display_name: 'Opus', description: null },
    ];
    expect(modelChoices(list, 'claude-opus-4-5')).toMatchObject({ current: 'Opus', value: 'opus' });
    expect(modelChoices([], 'claude-x')).toMatchObject({ current: 'claude-x', value: null });
  });

  it('offer the efforts that the model in use supports', () => {
    const model = (value: string, effort_levels: string[] | null) => ({
      value,
      display_name: value,
      description: null,
      effort_levels,
    });
    const list = [model('default', ['low', 'xhigh']), model('haiku', []), model('opus', null)];
    const offered = (name: string | null, effort: string | null = null) =>
      effortChoices(list, name, effort).map((one) => one.value);
    expect(offered(null)).toEqual(['default', 'low', 'xhigh']);
    expect(offered('claude-haiku-4-5')).toEqual([]);
    expect(offered('claude-opus-4-5')).toEqual(['default', 'low', 'medium', 'high', 'max']);
    expect(offered('of a kind that nobody listed', 'xhigh')).toEqual([
      'default',
      'low',
      'medium',
      'high',
      'max',
      'xhigh',
    ]);
  });
});
