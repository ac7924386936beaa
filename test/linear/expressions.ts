import { globSync, readFileSync } from 'node:fs'
import { RegExpParser, visitRegExpAST, type AST } from '@eslint-community/regexpp'
import ts from 'typescript'
import type { Worst } from './cost.ts'

/** A regular expression of the source: its place, and its pattern; `undefined` where it is built at run time. */
export interface Expression { file: string, shown: string, expression: RegExp | undefined }

/** Every regular expression of these files: literals, `new RegExp`, and the patterns of schemas. */
export function expressionsIn (files: Array<[file: string, text: string]>): Expression[] {
  return files.flatMap(([file, text]) => {
    const kind = file.endsWith('x') ? ts.ScriptKind.TSX : ts.ScriptKind.TS
    const tree = ts.createSourceFile(file, text, ts.ScriptTarget.Latest, true, kind)
    const found: Expression[] = []
    const visit = (node: ts.Node) => {
      const expression = expressionOf(node)
      if (expression !== null) found.push({ file, shown: node.getText(), expression })
      ts.forEachChild(node, visit)
    }
    visit(tree)
    return found
  })
}

export function sourceFiles (): Array<[file: string, text: string]> {
  return globSync('{schema,src}/**/*.{ts,tsx,cjs}', { exclude: ['schema/migrations/**'] })
    .map((file) => [file, readFileSync(file, 'utf8')])
}

/** Null where a node is not an expression. */
function expressionOf (node: ts.Node): RegExp | undefined | null {
  if (ts.isRegularExpressionLiteral(node)) {
    const end = node.text.lastIndexOf('/')
    return new RegExp(node.text.slice(1, end), node.text.slice(end + 1))
  }
  if ((ts.isNewExpression(node) || ts.isCallExpression(node)) && node.expression.getText() === 'RegExp') {
    const [pattern, flags] = node.arguments ?? []
    if (!pattern || !ts.isStringLiteralLike(pattern)) return undefined
    return new RegExp(pattern.text, flags && ts.isStringLiteralLike(flags) ? flags.text : '')
  }
  if (ts.isPropertyAssignment(node) && node.name.getText() === 'pattern') {
    return ts.isStringLiteralLike(node.initializer) ? new RegExp(node.initializer.text, 'u') : undefined
  }
  return null
}

/** Runs that are bad for one expression or another, whatever it looks for. */
export const ALWAYS = [
  '.', ' ', '\n', '\t', 'a', 'a@', 'a.', 'a ', '[', '<', '(', '-', '0', '0 ', '漢', 'é', '\u0301', '" ', '\\', '[a](<'
]
/** Appended to it all, so that nothing that has begun can match to the end. */
const ENDS = ['', '\u0001', '\n!']

/**
 * The worst texts for an expression: runs of its own pieces, as they follow each other in it, after their required
 * prefix, and before something it does not expect.
 */
export function worstFor (expression: RegExp): Worst[] {
  const runs = new Map<string, [before: string, again: string]>()
  const add = (before: string, again: string) => {
    if (again !== '') runs.set(`${before}\0${again}`, [before, again])
  }
  for (const pieces of sequencesOf(expression)) {
    for (let from = 0; from < pieces.length; from++) {
      for (let to = from + 1; to <= Math.min(pieces.length, from + 3); to++) {
        const again = pieces.slice(from, to).join('')
        add('', again)
        add(pieces.slice(0, from).join(''), again)
      }
    }
    add('', pieces.join(''))
  }
  const ends = [...ENDS, ...strangersTo(expression)]
  return [...runs.values()].flatMap(([before, again]) =>
    ends.map((end) => (units: number) => before + again.repeat(Math.ceil(units / again.length)) + end))
}

/** What its negated classes exclude: it ends the matches they have begun. */
function strangersTo (expression: RegExp): string[] {
  const found = new Set<string>()
  visitRegExpAST(patternOf(expression), {
    onCharacterClassEnter ({ negate, raw }) {
      if (!negate) return
      const one = classOf(raw)
      const stranger = CHARACTERS.find((character) => !/\s/.test(character) && !one.test(character))
      if (stranger !== undefined) found.add(stranger)
    }
  })
  return [...found]
}

/** Whether anything in it can repeat without limit; otherwise its work at a position is bounded. */
export function goesOn (expression: RegExp): boolean {
  let found = false
  visitRegExpAST(patternOf(expression), { onQuantifierEnter: ({ max }) => { found ||= max === Infinity } })
  return found
}

function patternOf ({ source, flags }: RegExp): AST.Pattern {
  return new RegExpParser().parsePattern(source, 0, source.length, { unicode: flags.includes('u') })
}

/** Each way through an expression, as short texts that its parts match; of alternatives one differs from the first. */
function sequencesOf (expression: RegExp): string[][] {
  return alternatives(patternOf(expression).alternatives).map((pieces) => pieces.filter((piece) => piece !== ''))
}

const MOST_WAYS = 8

function alternatives (all: AST.Alternative[]): string[][] {
  return all.slice(0, MOST_WAYS).flatMap(({ elements }) => {
    const ways = wordsTogether(elements).map((part) => Array.isArray(part) ? [[part.join('')]] : waysThrough(part))
    const first = ways.map(([way = []]) => way)
    return [
      first.flat(),
      ...ways.flatMap((others, i) => others.slice(1).map((other) => first.with(i, other).flat()))
    ].slice(0, MOST_WAYS)
  })
}

/** Consecutive letters are one piece. */
function wordsTogether (elements: AST.Element[]): Array<string[] | AST.Element> {
  const parts: Array<string[] | AST.Element> = []
  for (const element of elements) {
    const last = parts.at(-1)
    if (element.type !== 'Character') parts.push(element)
    else if (Array.isArray(last)) last.push(String.fromCodePoint(element.value))
    else parts.push([String.fromCodePoint(element.value)])
  }
  return parts
}

function waysThrough (element: AST.Element): string[][] {
  switch (element.type) {
    case 'Group':
    case 'CapturingGroup':
      return alternatives(element.alternatives)
    case 'Assertion':
      return element.kind === 'lookahead' || element.kind === 'lookbehind' ? alternatives(element.alternatives) : [[]]
    case 'Quantifier':
      return waysThrough(element.element)
        .map((way) => Array.from({ length: Math.min(element.min || 1, 30) }, () => way).flat())
    case 'Character':
      return [[String.fromCodePoint(element.value)]]
    case 'CharacterSet':
    case 'CharacterClass':
      return membersOf(element.raw).map((member) => [member])
    default:
      return [['a']]
  }
}

const CHARACTERS = [...'\0a0 \n-_.:/<>"\'@%&;=()[]{}#*\\A漢é한ά\u0301\u0e33、。！\u{1f600}!$^|~`+,?ÿ\u0600\u05d0']

/** Two characters of a class, as different as it has. */
function membersOf (raw: string): string[] {
  const one = classOf(raw)
  return CHARACTERS.slice(1).filter((character) => one.test(character)).slice(0, 2)
}

function classOf (raw: string): RegExp {
  return new RegExp(`^${raw}$`, /\\p|\\u\{/i.test(raw) ? 'u' : '')
}
