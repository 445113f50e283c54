import { describe, expect, it } from 'vitest';
import { answerOf, formOf, hintOf, isOpenable, readField, type Form, type FormField } from './schema';

const object = (properties: Record<string, unknown>, required: string[] = []) => ({
  type: 'object',
  properties,
  required,
});
function fields(form: Form): FormField[] {
  if (form.kind !== 'fields') throw new Error(form.reason);
  return form.fields;
}
const only = (schema: unknown, required = true): FormField => {
  const [field] = fields(formOf(object({ a: schema }, required ? ['a'] : []), []));
  if (!field) throw new Error('no field');
  return field;
};

describe('the form of a schema', () => {
  it('has the fields in the order that the server listed them in', () => {
    const form = formOf(object({ a: { type: 'string' }, b: { type: 'string' }, c: { type: 'string' } }), [
      'c',
      'a',
      'x',
    ]);
    expect(fields(form).map((field) => field.name)).toEqual(['c', 'a', 'b']);
  });

  it.each([
    [{ type: 'string' }, 'text'],
    [{ type: 'string', enum: ['red', 'blue'] }, 'choice'],
    [{ enum: ['red', 'blue'] }, 'choice'],
    [{ type: 'string', oneOf: [{ const: 'r', title: 'Red' }] }, 'choice'],
    [{ type: 'number', minimum: 0 }, 'number'],
    [{ type: 'integer' }, 'number'],
    [{ type: 'boolean', default: true }, 'boolean'],
    [{ type: 'array', items: { type: 'string', enum: ['a', 'b'] } }, 'choices'],
    [{ type: 'array', items: { anyOf: [{ const: 'a', title: 'A' }] } }, 'choices'],
  ])('%j is asked for as %s', (schema, kind) => {
    expect(only(schema)).toMatchObject({ kind, odd: null });
  });

  it.each([
    [{}],
    ['text'],
    [null],
    [{ type: 'object', properties: {} }],
    [{ type: ['string', 'null'] }],
    [{ type: 'array', items: { type: 'string' } }],
    [{ $ref: '#/x' }],
    [{ type: 'string', allOf: [] }],
    [{ enum: [1, 2] }],
    [{ enum: [] }],
    [{ type: 'string', oneOf: [{ pattern: 'a' }] }],
    [{ type: 'integer', enum: ['1'] }],
  ])('%j is asked for as JSON, with the reason', (schema) => {
    const field = only(schema);
    expect(field.kind).toBe('json');
    expect(field.odd).toMatch(/\.$/);
  });

  it.each([
    [null],
    [undefined],
    ['x'],
    [[]],
    [{ type: 'string' }],
    [{ type: 'object', properties: [] }],
    [{ type: 'object', allOf: [] }],
    [{ $ref: '#/x' }],
    [object({}, ['a'])],
  ])('the whole answer to %j is asked for as JSON, with the reason', (schema) => {
    const form = formOf(schema, []);
    expect(form.kind === 'json' && form.reason).toMatch(/\.$/);
  });

  it('takes titles, descriptions, defaults and the names of choices from the schema', () => {
    expect(
      only({
        type: 'string',
        title: 'Colour',
        description: 'Of the roof',
        enum: ['r', 'b'],
        enumNames: ['Red', 'Blue'],
        default: 'b',
      }),
    ).toMatchObject({
      label: 'Colour',
      description: 'Of the roof',
      initial: 'b',
      options: [
        { value: 'r', label: 'Red' },
        { value: 'b', label: 'Blue' },
      ],
    });
  });

  it('says what may be put in', () => {
    expect(hintOf(only({ type: 'string', minLength: 2, maxLength: 40 }))).toBe('2 to 40 characters');
    expect(hintOf(only({ type: 'string', format: 'date' }))).toContain('2026-03-02');
    expect(hintOf(only({ type: 'integer', minimum: 1, maximum: 8 }))).toBe('a whole number, 1 to 8');
    expect(hintOf(only({ type: 'boolean' }))).toBeNull();
  });
});

describe('what was put in', () => {
  it.each([
    [{ type: 'string' }, 'a', 'a'],
    [{ type: 'string', format: 'email' }, 'a@b.example', 'a@b.example'],
    [{ type: 'string', format: 'uri' }, 'https://a.example/b', 'https://a.example/b'],
    [{ type: 'string', format: 'date' }, '2028-02-29', '2028-02-29'],
    [{ type: 'string', format: 'date-time' }, '2026-03-02T14:05:00+01:00', '2026-03-02T14:05:00+01:00'],
    [{ type: 'string', format: 'of another kind' }, 'anything', 'anything'],
    [{ type: 'string', maxLength: 2 }, '🚢🚢', '🚢🚢'],
    [{ type: 'number' }, ' 1.5e3 ', 1500],
    [{ type: 'integer', minimum: -2 }, '-2', -2],
    [{ type: 'boolean' }, false, false],
    [{ type: 'boolean' }, undefined, false],
    [{ type: 'array', items: { enum: ['a', 'b', 'c'] } }, ['c', 'a'], ['a', 'c']],
    [{ type: 'object' }, '{"x": 1}', { x: 1 }],
  ])('%j with %j is sent as %j', (schema, given, sent) => {
    expect(readField(only(schema), given)).toEqual({ value: sent });
  });

  it.each([
    [{ type: 'string' }, ''],
    [{ type: 'string' }, undefined],
    [{ type: 'string', minLength: 3 }, 'ab'],
    [{ type: 'string', maxLength: 1 }, '🚢🚢'],
    [{ type: 'string', format: 'email' }, 'a b@c'],
    [{ type: 'string', format: 'uri' }, 'example.org'],
    [{ type: 'string', format: 'date' }, '2026-02-30'],
    [{ type: 'string', format: 'date-time' }, '2026-03-02'],
    [{ type: 'number' }, 'ten'],
    [{ type: 'number' }, '1e999'],
    [{ type: 'integer' }, '1.5'],
    [{ type: 'number', minimum: 1 }, '0'],
    [{ type: 'number', maximum: 1 }, '2'],
    [{ enum: ['a'] }, 'b'],
    [{ type: 'array', items: { enum: ['a'] } }, []],
    [{ type: 'array', items: { enum: ['a', 'b'] }, minItems: 2 }, ['a']],
    [{ type: 'array', items: { enum: ['a', 'b'] }, maxItems: 1 }, ['a', 'b']],
    [{ type: 'object' }, '{x}'],
  ])('%j does not take %j, and says why', (schema, given) => {
    const read = readField(only(schema), given);
    expect('problem' in read && read.problem).toMatch(/\S/);
  });

  it.each([
    [{ type: 'string' }, ''],
    [{ type: 'number' }, ' '],
    [{ type: 'boolean' }, undefined],
    [{ enum: ['a'] }, undefined],
    [{ type: 'array', items: { enum: ['a'] } }, undefined],
    [{ type: 'object' }, ''],
  ])('%j that is not needed and left empty is not sent', (schema, given) => {
    expect(readField(only(schema, false), given)).toEqual({ value: undefined });
  });

  it('is the default where nobody touched the field, and empty where somebody emptied it', () => {
    const field = only({ type: 'string', default: 'main' }, false);
    expect(readField(field, undefined)).toEqual({ value: 'main' });
    expect(readField(field, '')).toEqual({ value: undefined });
  });

  it('names every field that is wrong, and sends nothing then', () => {
    const form = formOf(object({ a: { type: 'string' }, b: { type: 'integer' }, c: { type: 'string' } }, ['a']), []);
    const answer = answerOf(form, { b: 'x', c: 'fine' });
    expect('problems' in answer && [...answer.problems.keys()]).toEqual(['a', 'b']);
    expect(answerOf(form, { a: 'x', b: '2' })).toEqual({ content: { a: 'x', b: 2 } });
  });

  it('may be called like a part of every object', () => {
    const form = formOf(JSON.parse('{"type":"object","properties":{"__proto__":{"type":"string"}}}'), []);
    const given = JSON.parse('{"__proto__":"x"}') as Record<string, string>;
    expect(JSON.stringify(answerOf(form, given))).toBe('{"content":{"__proto__":"x"}}');
  });

  it('is a JSON object where there is no form', () => {
    const form = formOf(null, []);
    expect(answerOf(form, { '': '{"a":1}' })).toEqual({ content: { a: 1 } });
    expect(answerOf(form, {})).toEqual({ content: {} });
    for (const wrong of ['[1]', '{a}', '"x"']) expect('problems' in answerOf(form, { '': wrong })).toBe(true);
  });

  it('opens web addresses alone', () => {
    expect(['https://a.example', 'http://a.example'].every(isOpenable)).toBe(true);
    expect(['file:///etc/passwd', 'javascript:alert(1)', 'https://', 'a.example'].some(isOpenable)).toBe(false);
  });
});
