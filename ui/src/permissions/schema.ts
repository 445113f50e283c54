// A JSON schema of an MCP server's question as the fields of a form, and what was filled in as the answer (PROTOCOL 6.7).
// Pure. A property that no field fits is asked for as JSON, with the reason; so is the whole answer where the schema is odd.
import { isRecord } from '../tools/detail';

export type FieldKind = 'text' | 'number' | 'boolean' | 'choice' | 'choices' | 'json';

/** Texts as they were typed; a tick; the values of what is ticked. */
export type FieldValue = string | boolean | string[];

export type FormField = {
  name: string;
  label: string;
  description: string | null;
  kind: FieldKind;
  required: boolean;
  /** What stands in the field before anybody touched it. */
  initial: FieldValue | undefined;
  /** `email`, `uri`, `date`, `date-time` are checked; others are only told. */
  format: string | null;
  integer: boolean;
  /** Of a number, a text's length, or how many may be ticked. */
  least: number | null;
  most: number | null;
  options: { value: string; label: string }[];
  /** Why it is asked for as JSON. */
  odd: string | null;
};

export type Form = { kind: 'fields'; fields: FormField[] } | { kind: 'json'; reason: string; schema: unknown };

/** What a schema of fields may have at its root. */
const ROOT = [
  '$schema',
  '$id',
  'type',
  'properties',
  'required',
  'title',
  'description',
  'additionalProperties',
  'property_order',
];

export function formOf(schema: unknown, order: string[]): Form {
  const json = (reason: string): Form => ({ kind: 'json', reason, schema });
  if (schema === null || schema === undefined) return json('The server sent no schema of the answer.');
  if (!isRecord(schema)) return json('The schema of the answer is no object.');
  if (schema.type !== undefined && schema.type !== 'object')
    return json(`The answer is not an object but ${words(schema.type)}.`);
  const odd = Object.keys(schema).find((key) => !ROOT.includes(key));
  if (odd !== undefined) return json(`The schema of the answer uses ${odd}, for which there is no form.`);
  if (schema.properties !== undefined && !isRecord(schema.properties))
    return json('The properties of the answer are no object.');
  const properties = schema.properties ?? {};
  const required = Array.isArray(schema.required) ? schema.required : [];
  const missing = required.find((name) => typeof name !== 'string' || !Object.hasOwn(properties, name));
  if (missing !== undefined) return json(`The answer needs ${words(missing)}, which the schema does not describe.`);
  const names = Object.keys(properties);
  const sorted = [...order.filter((name) => names.includes(name)), ...names.filter((name) => !order.includes(name))];
  return {
    kind: 'fields',
    fields: [...new Set(sorted)].map((name) => fieldOf(name, properties[name], required.includes(name))),
  };
}

function fieldOf(name: string, schema: unknown, required: boolean): FormField {
  const field: FormField = {
    name,
    label: name,
    description: null,
    kind: 'json',
    required,
    initial: undefined,
    format: null,
    integer: false,
    least: null,
    most: null,
    options: [],
    odd: null,
  };
  if (!isRecord(schema)) return { ...field, odd: 'Its schema is no object.' };
  field.label = text(schema.title) ?? name;
  field.description = text(schema.description);
  const odd = (why: string): FormField => ({
    ...field,
    odd: why,
    initial: schema.default === undefined ? undefined : JSON.stringify(schema.default, null, 2),
  });
  const mixed = ['$ref', 'allOf', 'not', 'if', 'const', 'contentEncoding'].find((key) => key in schema);
  if (mixed !== undefined) return odd(`Its schema uses ${mixed}, for which there is no field.`);
  const choices = optionsOf(schema);
  if (choices === 'odd') return odd('Its choices are not all texts.');
  if (choices !== null) {
    if (schema.type !== undefined && schema.type !== 'string')
      return odd(`Its type is ${words(schema.type)}, with choices.`);
    const initial = text(schema.default);
    return {
      ...field,
      kind: 'choice',
      options: choices,
      initial: choices.some((one) => one.value === initial) && initial !== null ? initial : undefined,
    };
  }
  switch (schema.type) {
    case 'string':
      return {
        ...field,
        kind: 'text',
        format: text(schema.format),
        least: number(schema.minLength),
        most: number(schema.maxLength),
        initial: typeof schema.default === 'string' ? schema.default : undefined,
      };
    case 'number':
    case 'integer':
      return {
        ...field,
        kind: 'number',
        integer: schema.type === 'integer',
        least: number(schema.minimum),
        most: number(schema.maximum),
        initial: typeof schema.default === 'number' ? String(schema.default) : undefined,
      };
    case 'boolean':
      return { ...field, kind: 'boolean', initial: typeof schema.default === 'boolean' ? schema.default : undefined };
    case 'array': {
      const items = isRecord(schema.items) ? optionsOf(schema.items) : null;
      if (items === null || items === 'odd') return odd('It is a list of other things than choices.');
      const given = Array.isArray(schema.default) ? schema.default : [];
      return {
        ...field,
        kind: 'choices',
        options: items,
        least: number(schema.minItems),
        most: number(schema.maxItems),
        initial:
          given.length > 0 ? items.filter((one) => given.includes(one.value)).map((one) => one.value) : undefined,
      };
    }
    case undefined:
      return odd('Its schema does not say what it is.');
    default:
      return odd(`Its type is ${words(schema.type)}, for which there is no field.`);
  }
}

/** `enum` with or without `enumNames`, or `oneOf`/`anyOf` of constants with titles. Null: no choices. */
function optionsOf(schema: Record<string, unknown>): { value: string; label: string }[] | 'odd' | null {
  if (Array.isArray(schema.enum)) {
    const names = Array.isArray(schema.enumNames) ? schema.enumNames : [];
    if (schema.enum.length === 0 || !schema.enum.every((value) => typeof value === 'string')) return 'odd';
    return schema.enum.map((value, i) => ({ value, label: text(names[i]) ?? value }));
  }
  const list = schema.oneOf ?? schema.anyOf;
  if (list === undefined) return null;
  if (!Array.isArray(list) || list.length === 0) return 'odd';
  const options = list.map((one: unknown) =>
    isRecord(one) && typeof one.const === 'string' ? { value: one.const, label: text(one.title) ?? one.const } : null,
  );
  return options.includes(null) ? 'odd' : options.filter((one) => one !== null);
}

/** What a person may put in, in words; null where anything goes. */
export function hintOf(field: FormField): string | null {
  const { least, most } = field;
  const range = (unit: string) => {
    if (least !== null && most !== null) return least === most ? `${least}${unit}` : `${least} to ${most}${unit}`;
    if (least !== null && least > 0) return `at least ${least}${unit}`;
    return most === null ? null : `at most ${most}${unit}`;
  };
  switch (field.kind) {
    case 'text': {
      const form = field.format === null ? null : (FORMATS[field.format]?.hint ?? `format ${field.format}`);
      return joined([form, range(' characters')]);
    }
    case 'number': {
      const bounds =
        least !== null && most !== null
          ? `${least} to ${most}`
          : least !== null
            ? `${least} or more`
            : most !== null
              ? `${most} or less`
              : null;
      return joined([field.integer ? 'a whole number' : bounds === null ? 'a number' : null, bounds]);
    }
    case 'choices':
      return range(' of them') ?? 'any number';
    default:
      return null;
  }
}

const FORMATS: Record<string, { hint: string; says: string; fits: (text: string) => boolean }> = {
  email: {
    hint: 'an e-mail address',
    says: 'This is not an e-mail address.',
    fits: (t) => /^[^\s@]+@[^\s@]+$/.test(t),
  },
  uri: {
    hint: 'an address such as https://example.org',
    says: 'This is not a whole address.',
    fits: (t) => /^[a-z][a-z\d+.-]*:\S+$/i.test(t),
  },
  date: { hint: 'a date such as 2026-03-02', says: 'This is not a date.', fits: (t) => isDate(t) },
  'date-time': {
    hint: 'such as 2026-03-02T14:05:00Z',
    says: 'This is not a date with a time and a zone.',
    fits: (t) => /^\d{4}-\d\d-\d\dT\d\d:\d\d(:\d\d(\.\d+)?)?(Z|[+-]\d\d:\d\d)$/i.test(t) && isDate(t.slice(0, 10)),
  },
};

function isDate(value: string): boolean {
  const found = /^(\d{4})-(\d\d)-(\d\d)$/.exec(value);
  if (!found) return false;
  const date = new Date(`${value}T00:00:00Z`);
  return !Number.isNaN(date.getTime()) && date.toISOString().startsWith(value);
}

/** The value that is sent for a field: undefined where nothing is. */
export type Read = { value: unknown } | { problem: string };

export function readField(field: FormField, given: FieldValue | undefined): Read {
  const value = given ?? field.initial;
  const none: Read = field.required ? { problem: 'This is needed.' } : { value: undefined };
  switch (field.kind) {
    case 'boolean':
      return { value: value === undefined && !field.required ? undefined : value === true };
    case 'choice':
      if (typeof value !== 'string' || value === '') return none;
      return field.options.some((one) => one.value === value) ? { value } : { problem: 'This is none of the choices.' };
    case 'choices': {
      const picked = field.options
        .filter((one) => Array.isArray(value) && value.includes(one.value))
        .map((o) => o.value);
      if (picked.length === 0 && !field.required && (field.least ?? 0) === 0)
        return { value: given === undefined && field.initial === undefined ? undefined : [] };
      if (field.least !== null && picked.length < field.least) return { problem: `Pick at least ${field.least}.` };
      if (field.most !== null && picked.length > field.most) return { problem: `Pick at most ${field.most}.` };
      return picked.length === 0 && (field.least ?? 1) > 0 ? none : { value: picked };
    }
    case 'number': {
      const said = typeof value === 'string' ? value.trim() : '';
      if (said === '') return none;
      const n = Number(said);
      if (!Number.isFinite(n)) return { problem: 'This is not a number.' };
      if (field.integer && !Number.isInteger(n)) return { problem: 'This is not a whole number.' };
      if (field.least !== null && n < field.least) return { problem: `It must be ${field.least} or more.` };
      if (field.most !== null && n > field.most) return { problem: `It must be ${field.most} or less.` };
      return { value: n };
    }
    case 'text': {
      const said = typeof value === 'string' ? value : '';
      if (said === '') return none;
      const length = [...said].length;
      if (field.least !== null && length < field.least)
        return { problem: `It has ${length} of at least ${field.least} characters.` };
      if (field.most !== null && length > field.most)
        return { problem: `It has ${length} characters; at most ${field.most} are taken.` };
      const format = field.format === null ? undefined : FORMATS[field.format];
      return format && !format.fits(said) ? { problem: format.says } : { value: said };
    }
    case 'json': {
      const said = typeof value === 'string' ? value.trim() : '';
      return said === '' ? none : readJson(said);
    }
  }
}

function readJson(said: string): Read {
  try {
    return { value: JSON.parse(said) as unknown };
  } catch (error) {
    return { problem: `This is not JSON: ${error instanceof Error ? error.message : String(error)}` };
  }
}

export type Answered = { content: Record<string, unknown> } | { problems: Map<string, string> };

/** The whole answer, or what is wrong with it by field. Without a form, the text stands under the name ''. */
export function answerOf(form: Form, given: Record<string, FieldValue | undefined>): Answered {
  if (form.kind === 'json') {
    const said = given[''];
    const read = readJson(typeof said === 'string' && said.trim() !== '' ? said : '{}');
    if ('problem' in read) return { problems: new Map([['', read.problem]]) };
    return isRecord(read.value)
      ? { content: read.value }
      : { problems: new Map([['', 'The answer must be a JSON object.']]) };
  }
  const problems = new Map<string, string>();
  const entries: [string, unknown][] = [];
  for (const field of form.fields) {
    const read = readField(field, given[field.name]);
    if ('problem' in read) problems.set(field.name, read.problem);
    else if (read.value !== undefined) entries.push([field.name, read.value]);
  }
  return problems.size > 0 ? { problems } : { content: Object.fromEntries(entries) };
}

/** Whether an address can be opened: the program behind the window opens no other. */
export function isOpenable(url: string): boolean {
  return /^https?:\/\/\S+$/i.test(url);
}

const text = (value: unknown): string | null => (typeof value === 'string' && value !== '' ? value : null);
const number = (value: unknown): number | null => (typeof value === 'number' && Number.isFinite(value) ? value : null);
const words = (value: unknown): string => (typeof value === 'string' ? value : JSON.stringify(value));
const joined = (parts: (string | null)[]): string | null => parts.filter((p) => p !== null).join(', ') || null;
