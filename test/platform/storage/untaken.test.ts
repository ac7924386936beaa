import path from 'node:path'
import t from 'tap'
import ts from 'typescript'

// Work requested in a transaction's body does nothing before it is run with `yield *`, and gives no warning either:
// work as a statement of its own, or used as its result, is a write that is lost or a condition that always holds.

const ROOT = path.resolve(import.meta.dirname, '../../..')
const PLANTED = path.join(ROOT, 'src/platform/storage/planted.ts')

/** A file with one fault of each kind, and with correct code. */
const FAULTS = `
import { settled, type Work } from './work.ts'
export function * body (write: () => Work<number>, list: () => Work<number[]>): Work<unknown> {
  write()
  if (write()) return 1
  const both = !write() || write() === undefined
  const said = \`\${write()}\`
  const told = JSON.stringify(write()) + console.log('', write())
  const kept = settled(1)
  yield * write()
  const rows = yield * list()
  return [both, said, told, yield * kept, ...rows, (yield * write()) ?? 0]
}
`

/** Where work is not taken in the program's files and this one, according to the compiler. */
function untaken (planted: string): string[] {
  const { config } = ts.readConfigFile(path.join(ROOT, 'tsconfig.json'), ts.sys.readFile) as { config: object }
  const { fileNames, options } = ts.parseJsonConfigFileContent(config, ts.sys, ROOT)
  const host = ts.createCompilerHost(options)
  const { fileExists, getSourceFile } = host
  host.fileExists = (name) => name === PLANTED || fileExists(name)
  host.getSourceFile = (name, version) => name === PLANTED
    ? ts.createSourceFile(name, planted, version)
    : getSourceFile(name, version)
  const own = fileNames.filter((name) => name.startsWith(`${ROOT}/src/`) && !name.includes('/browser/'))
  const program = ts.createProgram([...own, PLANTED], options, host)
  const checker = program.getTypeChecker()
  const isWork = (node: ts.Node) => {
    const type = checker.getTypeAtLocation(node)
    return (type.isUnion() ? type.types : [type]).some((one) =>
      one.symbol?.name === 'Work' ||
      (one.symbol?.name === 'Generator' && checker.typeToString(one).startsWith('Generator<Asked')))
  }
  const found: string[] = []
  for (const file of program.getSourceFiles()) {
    if (!file.fileName.startsWith(`${ROOT}/src/`)) continue
    const visit = (node: ts.Node) => {
      for (const work of [...takenFor(node), ...givenAway(node, checker)]) {
        if (!isWork(work)) continue
        const { line } = file.getLineAndCharacterOfPosition(work.getStart(file))
        found.push(`${path.relative(ROOT, file.fileName)}:${line + 1} ${work.getText(file)}`)
      }
      ts.forEachChild(node, visit)
    }
    visit(file)
  }
  return found
}

/** Expressions in a place where work is of no use. */
function takenFor (node: ts.Node): ts.Expression[] {
  if (ts.isExpressionStatement(node)) return ts.isYieldExpression(node.expression) ? [] : [node.expression]
  if (ts.isIfStatement(node) || ts.isWhileStatement(node)) return [node.expression]
  if (ts.isConditionalExpression(node)) return [node.condition]
  if (ts.isPrefixUnaryExpression(node)) return [node.operand]
  if (ts.isSpreadElement(node) || ts.isSpreadAssignment(node) || ts.isTemplateSpan(node)) return [node.expression]
  if (ts.isBinaryExpression(node) && COMPARING.has(node.operatorToken.kind)) return [node.left]
  return []
}

/** Arguments for parameters that accept anything. */
function givenAway (node: ts.Node, checker: ts.TypeChecker): readonly ts.Expression[] {
  if (!ts.isCallExpression(node)) return []
  const parameters = checker.getResolvedSignature(node)?.parameters ?? []
  return node.arguments.filter((_, at) => {
    const parameter = parameters[Math.min(at, parameters.length - 1)]
    const type = parameter && checker.getTypeOfSymbolAtLocation(parameter, node)
    const one = type && (checker.getIndexTypeOfType(type, ts.IndexKind.Number) ?? type)
    return one !== undefined && (one.flags & (ts.TypeFlags.Any | ts.TypeFlags.Unknown)) !== 0
  })
}

const { SyntaxKind } = ts
const COMPARING = new Set([
  SyntaxKind.AmpersandAmpersandToken, SyntaxKind.BarBarToken, SyntaxKind.QuestionQuestionToken,
  SyntaxKind.EqualsEqualsEqualsToken, SyntaxKind.ExclamationEqualsEqualsToken
])

/** Optional work is tested for being there. */
const REVIEWED = ['src/platform/storage/work.ts work']

t.test('work that a transaction asks for is taken everywhere', (t) => {
  const found = untaken(FAULTS).map((one) => one.replace(/:(\d+) /, ' '))
  const [planted, own] = [true, false].map((is) => found.filter((one) => one.includes('planted.ts') === is))
  t.strictSame(planted!.map((one) => one.split(' ').slice(1).join(' ')), [
    'write()', 'write()', 'write()', 'write()', 'write()', 'write()', 'write()'
  ], 'each planted fault is seen, and nothing that is right')
  t.strictSame(own!.filter((one) => !REVIEWED.includes(one)), [])
  t.end()
})
