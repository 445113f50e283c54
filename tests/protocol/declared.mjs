// What the official SDK declares of the protocol, read from its type files by the TypeScript compiler. Knows nothing of our
// own table.
import ts from 'typescript';

/** Kinds of names, in the order in which they are told. */
export const KINDS = [
  'message',
  'request to the CLI',
  'request of the CLI',
  'hook event',
  'permission mode',
  'result',
  'assistant error',
];

/** The declarations that are read, by their names in the type file. */
const MESSAGES = 'StdoutMessage';
const REQUESTS = 'SDKControlRequestInner';
const RESULTS = 'SDKResultMessage';
const HOOK_EVENTS = 'HOOK_EVENTS';
const NAMES = { 'permission mode': 'PermissionMode', 'assistant error': 'SDKAssistantMessageError' };

/** A declaration that is gone or of another form: the reader has to be changed, or it would find nothing to tell. */
export class Unreadable extends Error {}

/**
 * All names in a type file, as a map from kind to set. The declarations do not say which side sends a request: `fromCli`
 * names those of the CLI, the others count as ours.
 */
export function declared(file, fromCli) {
  const options = { noLib: true, types: [], skipLibCheck: true, moduleResolution: ts.ModuleResolutionKind.Bundler };
  const program = ts.createProgram([file], options);
  const checker = program.getTypeChecker();
  const source = program.getSourceFile(file);
  if (!source) throw new Unreadable(`${file} cannot be read`);
  const symbols = new Map();
  const gather = (node) => {
    if (ts.isTypeAliasDeclaration(node) || ts.isInterfaceDeclaration(node) || ts.isVariableDeclaration(node)) {
      symbols.set(node.name.getText(), checker.getSymbolAtLocation(node.name));
    }
    ts.forEachChild(node, gather);
  };
  gather(source);

  const named = (name) => {
    const symbol = symbols.get(name);
    if (!symbol) throw new Unreadable(`${name} is not declared in ${file}`);
    return symbol;
  };
  const members = (type, name) => {
    if (type.flags & ts.TypeFlags.Any) throw new Unreadable(`${name} cannot be resolved in ${file}`);
    return type.isUnion() ? type.types : [type];
  };
  const union = (name) => members(checker.getDeclaredTypeOfSymbol(named(name)), name);
  const literals = (type, name) =>
    members(type, name).map((member) => {
      if (!member.isStringLiteral()) throw new Unreadable(`${name} is no list of names in ${file}`);
      return member.value;
    });
  const property = (type, name) => {
    const symbol = checker.getPropertyOfType(type, name);
    return symbol ? literals(checker.getTypeOfSymbolAtLocation(symbol, source), name) : [];
  };

  const found = new Map(KINDS.map((kind) => [kind, new Set()]));
  for (const message of union(MESSAGES)) {
    const types = property(message, 'type');
    if (types.length === 0) throw new Unreadable(`a member of ${MESSAGES} has no type`);
    for (const type of types) {
      const subtypes = type === 'system' ? property(message, 'subtype') : [];
      if (type === 'system' && subtypes.length === 0) throw new Unreadable('a system message has no subtype');
      const names = type === 'system' ? subtypes.map((subtype) => `system/${subtype}`) : [type];
      names.forEach((name) => found.get('message').add(name));
    }
  }
  for (const request of union(REQUESTS)) {
    for (const subtype of property(request, 'subtype')) {
      found.get(fromCli.has(subtype) ? 'request of the CLI' : 'request to the CLI').add(subtype);
    }
  }
  for (const result of union(RESULTS)) property(result, 'subtype').forEach((name) => found.get('result').add(name));
  for (const [kind, name] of Object.entries(NAMES)) {
    literals(checker.getDeclaredTypeOfSymbol(named(name)), name).forEach((value) => found.get(kind).add(value));
  }
  // Without the standard library a tuple has no type, so its words are read as they stand.
  const events = named(HOOK_EVENTS).valueDeclaration?.type;
  const tuple = events && ts.isTypeOperatorNode(events) ? events.type : events;
  if (!tuple || !ts.isTupleTypeNode(tuple)) throw new Unreadable(`${HOOK_EVENTS} is no list of names in ${file}`);
  for (const element of tuple.elements) found.get('hook event').add(element.literal.text);
  for (const [kind, names] of found) {
    if (names.size === 0 && kind !== 'request of the CLI') throw new Unreadable(`${file} declares no ${kind}`);
  }
  return found;
}
