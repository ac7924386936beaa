import t from 'tap'
import { isLinear } from './cost.ts'
import { ALWAYS, expressionsIn, goesOn, sourceFiles, worstFor, type Expression } from './expressions.ts'

/** Those that are slow for some text and may be: only the operator, or we, write what they read. */
const OPERATORS: Record<string, string> = {
  'src/kernel/settings.ts': 'the address of a mailbox in the settings',
  'src/platform/storage/postgres/dialect.ts': 'our statements; what a stranger writes is a value of theirs',
  'src/platform/storage/postgres/schema.ts': 'our migrations'
}

/** Files that build expressions at run time, each with the reason why none of them is slow. */
const MADE: Record<string, string> = {
  'schema/actions.ts': 'no expression: a field that is called pattern; see src/actions/definitions/pattern.ts',
  'schema/common.ts': 'an e-mail address: runs of one class between marks that are not in it, from end to end',
  'schema/conversations.ts': 'ids, of a fixed length',
  'src/satisfaction/page.ts': 'ids, of a fixed length',
  'schema/feed-kinds.ts': 'no expression: a field that is called pattern; addresses, hosts and names of ours, from the beginning',
  'src/access/keys.ts': 'keys: one run of one class behind letters of ours',
  'src/actions/definitions/pattern.ts': 'no groups, at most 2 counts that are free, from the beginning of 200 characters',
  'src/cli/config/directory.ts': 'names of the files of ours, whole',
  'src/cli/users.ts': 'the e-mail addresses of schema/common.ts, which is tried',
  'src/crawling/frontier.ts': 'endings of names: words of ours before the end',
  'src/crawling/robots.ts': 'no expression: a rule of robots.txt, which is matched star by star',
  'src/config-as-code/drift.ts': 'addresses of ours with numbers in them, whole',
  'src/config-as-code/files/format.ts': 'no expression: a schema that is called pattern',
  'src/config-as-code/files/read.ts': 'the pattern of keys: 64 characters at most, from the beginning',
  'src/console/browser/pages/actions/parameters.tsx': 'no expression: the same field, as it is filled in',
  'src/conversations/answering/small-talk/person.ts': 'words of ours, few times over, in a clause of 160 letters',
  'src/conversations/handoff/address.ts': 'words of ours between parts of bounded length, five at most; tried in test/handoff/address.test.ts',
  'src/learning/mask.ts': "a visitor's names, escaped, as whole words: nothing repeats in it",
  'src/platform/http/bodies/json.ts': 'those of schemas, which are tried where they stand',
  'src/platform/links.ts': 'a copy of RUN, which is tried',
  'src/platform/net/smtp.ts': 'the e-mail address of schema/common.ts',
  'src/platform/storage/sqlite/migrate.ts': 'our migrations',
  'src/reading/formats/office/numbers.ts': 'the tags behind <li> are at most 20; one run of digits',
  'src/reading/formats/rtf/rtf.ts': 'a copy of TOKEN, which is tried',
  'src/reading/links.ts': 'a closing tag: letters alone',
  'src/reading/mail.ts': 'a field of a report: one pass over its lines',
  'src/reading/pairs.ts': 'words of ours, whole',
  'src/search/sense/talk/courtesies.ts': 'words of ours; what repeats are words of ours behind "could you"',
  'src/search/sense/talk/own-case.ts': 'words of ours around one word, in 300 characters',
  'src/search/sense/kinds.ts': 'words of ours around numbers of bounded length',
  'src/search/sense/lexicon.ts': 'phrases of ours, whole',
  'src/search/sense/talk/wordings.ts': 'words of ours around one word of bounded length',
  'src/search/sense/told.ts': 'words of ours',
  'src/search/sense/sight.ts': 'words of ours, whole',
  'src/search/words/query.ts': 'words of ours at the beginning',
  'src/search/words/words.ts': 'two classes of one character, which are tried',
  'src/widget/identity.ts': 'the e-mail address of schema/common.ts',
  'src/widget/routes/files.ts': 'the id of schema/widget.ts, which is tried'
}

/** A text for which an expression is too slow. */
function slowOn (expression: RegExp): string | undefined {
  if (!goesOn(expression)) return undefined
  const isAtPlace = expression.sticky
  const all = new RegExp(expression.source, expression.flags.replace(/[gy]/g, '') + (isAtPlace ? 'y' : 'g'))
  const treat = (text: string) => text.replace(all, '')
  const again = ALWAYS.find((again) => !isLinear(treat, (units) => again.repeat(units / again.length) + '\u0001'))
  return again ?? worstFor(expression).find((worst) => !isLinear(treat, worst, 25_600))?.(40)
}

function slowOf (expressions: Expression[]): string[] {
  const known = new Map<string, string | undefined>()
  return expressions.flatMap(({ file, expression }) => {
    if (!expression) return []
    const key = String(expression)
    if (!known.has(key)) known.set(key, slowOn(expression))
    const text = known.get(key)
    return text === undefined ? [] : [`${file}: ${key} on ${JSON.stringify(text)}`]
  })
}

const expressions = expressionsIn(sourceFiles())

t.test("each expression that meets a stranger's text takes no longer than the text is long", async (t) => {
  t.ok(expressions.length > 500, `${expressions.length} expressions are seen`)
  const slow = slowOf(expressions.filter(({ file }) => !(file in OPERATORS)))
  t.strictSame(slow, [], 'none is slow for its worst text')
  for (const file of Object.keys(OPERATORS)) {
    t.ok(slowOf(expressions.filter((one) => one.file === file)).length > 0, `${file} is listed for a reason`)
  }
  const made = new Set(expressions.filter(({ expression }) => !expression).map(({ file }) => file))
  t.strictSame([...made].sort(), Object.keys(MADE).sort(), 'what is made at run time has been looked at')
})

t.test('each planted slow expression is seen, and none that is quick', async (t) => {
  // Was wrong, each of them: 10 s for 99,000 dots, 4 s for 60,000, 10 s for a visitor's text, 170 ms for line breaks.
  const slow = [
    '/[.,;:?!]+$/', '/[\\p{L}\\p{N}._%+-]+@[\\p{L}\\p{N}-]+(?:\\.[\\p{L}\\p{N}-]+)+/gu', '/,\\s+|\\s+(?=\\()/',
    '/\\s*\\n\\s*/g', '/<meta\\s[^>]*charset[^>]*>/i', '/charset\\s*=\\s*["\']?\\s*(\\w+)/', '/^(a+)+$/',
    '/^#+[ \\t]+(.*?)[ \\t#]*$/', '/(?:a|[ab])+c/', '/.*\\//', '/\\[([^\\]]*)\\]\\(/'
  ]
  const quick = [
    '/(?<!\\s)\\s+(?=\\()/', '/<[^<>]*>/g', '/^\\s*\\S+/', '/[^ -~]+/g', '/\\d{1,15}/', '/[ab]+(?:@[ab]+)?/g'
  ]
  const planted = (lines: string[]) =>
    expressionsIn(lines.map((line, i) => [`src/planted-${i}.ts`, `export const found = ${line}.test(text)`]))
  const seen = slowOf(planted(slow))
  t.equal(seen.length, slow.length, seen.join('\n'))
  t.strictSame(slowOf(planted(quick)), [])
  t.strictSame(
    expressionsIn([
      ['src/a.ts', "new RegExp('[.]+$', 'g'); new RegExp('x' + y); Type.String({ pattern: '^a*$' })"],
      ['src/b.tsx', 'const a = <p>{/x+/.test(b)}</p>']
    ]).map(({ expression }) => String(expression)),
    ['/[.]+$/g', 'undefined', '/^a*$/u', '/x+/'],
    'wherever they are written'
  )
})
