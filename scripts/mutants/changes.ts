import ts from 'typescript'

/** A small change to a source file: the text from `start` to `end` becomes `text`. */
export interface Mutant { start: number, end: number, text: string, line: number, name: string }

const { SyntaxKind: Kind } = ts
const OPERATORS: Partial<Record<ts.SyntaxKind, string>> = {
  [Kind.LessThanToken]: '<=',
  [Kind.LessThanEqualsToken]: '<',
  [Kind.GreaterThanToken]: '>=',
  [Kind.GreaterThanEqualsToken]: '>',
  [Kind.EqualsEqualsEqualsToken]: '!==',
  [Kind.ExclamationEqualsEqualsToken]: '===',
  [Kind.AmpersandAmpersandToken]: '||',
  [Kind.BarBarToken]: '&&',
  [Kind.MinusToken]: '+',
  [Kind.AsteriskToken]: '/'
}
const METHODS: Record<string, string> = { some: 'every', every: 'some', min: 'max', max: 'min' }

/** The changes to one node: which part, and what it becomes. */
function * changesOf (node: ts.Node): Generator<[part: ts.Node, text: string]> {
  if (ts.isBinaryExpression(node)) {
    const other = OPERATORS[node.operatorToken.kind]
    if (other) yield [node.operatorToken, other]
  }
  if (ts.isIfStatement(node) || ts.isWhileStatement(node)) yield [node.expression, 'false']
  if (ts.isIfStatement(node)) yield [node.expression, 'true']
  if (ts.isConditionalExpression(node)) {
    yield [node.condition, 'true']
    yield [node.condition, 'false']
  }
  if (ts.isPrefixUnaryExpression(node) && node.operator === Kind.ExclamationToken) yield [node, node.operand.getText()]
  if (ts.isNumericLiteral(node)) yield [node, String(Number(node.text.replaceAll('_', '')) + 1)]
  if (node.kind === Kind.TrueKeyword) yield [node, 'false']
  if (node.kind === Kind.FalseKeyword) yield [node, 'true']
  if (ts.isPropertyAccessExpression(node) && Object.hasOwn(METHODS, node.name.text)) {
    yield [node.name, METHODS[node.name.text]!]
  }
}

/** Conditions, bounds and guards of a source file, each changed in the ways in which people get them wrong. */
export function mutantsOf (file: string, source: string): Mutant[] {
  const parsed = ts.createSourceFile(file, source, ts.ScriptTarget.Latest, true)
  const mutants: Mutant[] = []
  const times = new Map<string, number>()
  // The second occurrence of a name is another change: recording the one says nothing of the other.
  const named = (name: string) => {
    const time = (times.get(name) ?? 0) + 1
    times.set(name, time)
    return time === 1 ? name : `${name} (${time})`
  }
  const within = (node: ts.Node): string => {
    const named = ts.findAncestor(node, (one) => ts.isFunctionDeclaration(one) || ts.isVariableStatement(one))
    const name = named && (ts.isFunctionDeclaration(named)
      ? named.name
      : (named as ts.VariableStatement).declarationList.declarations[0]?.name)
    return name?.getText() ?? ''
  }
  function visit (node: ts.Node) {
    if (ts.isTypeNode(node) || ts.isImportDeclaration(node)) return
    for (const [part, text] of changesOf(node)) {
      const [start, end] = [part.getStart(), part.getEnd()]
      // The smallest unit that shows what was changed: the expression around an operator, a number or a method.
      const whole = part === node && ts.isExpression(node.parent) ? node.parent : node
      const old = source.slice(whole.getStart(), whole.getEnd())
      const changed = source.slice(whole.getStart(), start) + text + source.slice(end, whole.getEnd())
      const short = (code: string) => code.split(/\s+/).join(' ').slice(0, 90)
      const [before, after] = ts.isIfStatement(node) || ts.isWhileStatement(node) || ts.isConditionalExpression(node)
        ? [`if ${short(part.getText())}`, text]
        : [short(old), short(changed)]
      const { line } = parsed.getLineAndCharacterOfPosition(start)
      mutants.push({ start, end, text, line: line + 1, name: named(`${file} ${within(node)}: ${before} → ${after}`) })
    }
    ts.forEachChild(node, visit)
  }
  visit(parsed)
  return mutants
}
