import fc from 'fast-check'
import t from 'tap'
import type { Expectation, QuestionRecord, Why } from '../../schema/checks.ts'
import { folded, isDecided, reasonsAgainst, verdictOf, type Examined } from '../../src/checks/judge.ts'
import { questionOf } from '../../src/checks/of-message.ts'
import { changedQuestion, newQuestion, NOTHING_EXPECTED } from '../../src/checks/questions.ts'
import { draftsIn, tableOf } from '../../src/checks/table.ts'
import { atOnce } from '../../src/platform/work/slices.ts'

const answer = (more: Partial<Examined> = {}): Examined => ({
  text: 'You have 30 days.', cited: new Set([7]), isUnknown: false, reason: null, action: null, chosen: [], fault: null, ...more
})
const whys = (expect: Partial<Expectation>, more: Partial<Examined> = {}, isThere = () => true) =>
  reasonsAgainst({ ...NOTHING_EXPECTED, ...expect }, answer(more), isThere)
const codes = (...given: Parameters<typeof whys>) => whys(...given).map(({ code }) => code)

t.test('an answer is right when it cites, says and leaves unsaid what is expected', async (t) => {
  t.strictSame(codes({ sources: [7], says: ['30 DAYS', 'you  have'], never: ['14 days'], unknown: false }), [])
  t.strictSame(codes({ sources: [7, 8] }), ['not_cited'])
  t.strictSame(codes({ says: ['14 days', '30 days'] }), ['not_said'])
  t.strictSame(codes({ never: ['30 days'] }), ['said'])
  t.strictSame(codes({ unknown: true }), ['known'])
  t.strictSame(codes({ unknown: false }, { isUnknown: true }), ['unknown'])
  t.strictSame(codes({ unknown: true }, { isUnknown: true }), [])
})

t.test('who is called, and what is proposed, is compared by its reason and name', async (t) => {
  t.strictSame(codes({ hands_off: 'any' }), ['not_handed_off'])
  t.strictSame(codes({ hands_off: 'any' }, { reason: 'not_known' }), [])
  t.strictSame(codes({ hands_off: 'visitor_asked' }, { reason: 'not_known' }), ['handed_off'])
  t.strictSame(codes({ hands_off: 'none' }, { reason: 'not_known' }), ['handed_off'])
  t.strictSame(codes({ hands_off: 'none' }), [])
  t.strictSame(codes({ action: 'ticket' }), ['no_action'])
  t.strictSame(codes({ action: 'ticket' }, { action: 'handoff' }), ['no_action'])
  t.strictSame(codes({ action: 'ticket' }, { action: 'ticket' }), [])
  t.strictSame(codes({}, { action: 'ticket' }), [], 'where none is expected any will do')
})

t.test('an action is chosen as expected where one of its calls has the values that are named', async (t) => {
  const chosen: Examined['chosen'] = [
    { name: 'track', arguments: { number: '1001', all: true } }, { name: 'track', arguments: { number: '1,002' } }
  ]
  t.strictSame(codes({ action: 'track' }, { chosen }), [])
  t.strictSame(codes({ action: 'cancel' }, { chosen }), ['no_action'])
  t.strictSame(codes({ action: 'track', arguments: { number: 1001 } }, { chosen }), [])
  t.strictSame(codes({ action: 'track', arguments: { number: '1002' } }, { chosen }), [], 'as numbers are written')
  t.strictSame(codes({ action: 'track', arguments: { number: '1002', all: true } }, { chosen }), ['wrong_arguments'])
  t.strictSame(codes({ action: 'track', arguments: { colour: 'red' } }, { chosen }), ['wrong_arguments'])
  t.strictSame(codes({ action: 'ticket', arguments: { number: '1' } }, { chosen, action: 'ticket' }), ['wrong_arguments'])
  const told = (...given: Parameters<typeof whys>) => whys(...given).map(({ message }) => message)
  t.strictSame(told({ action: 'ticket' }, {}), ['ticket is not chosen, but nothing.'])
  t.strictSame(told({ action: 'ticket' }, { action: 'handoff' }), ['ticket is not chosen, but handoff.'])
  t.strictSame(told({ action: 'ticket' }, { chosen, action: 'handoff' }), ['ticket is not chosen, but track, track, handoff.'])
  t.strictSame(told({ action: 'track', arguments: { colour: 'red' } }, { chosen }), ['track is chosen with {"number":"1,002"}.'])
  t.throws(() => newQuestion({ text: 'Hm?', expect: { says: ['x'], arguments: { a: 1 } } }), { code: 'VALIDATION_ERROR' })
})

t.test('what cannot be told is an error, whatever was said', async (t) => {
  t.strictSame(codes({ sources: [7], says: ['x'] }, {}, () => false), ['source_gone'])
  for (const fault of ['provider_down', 'limit', 'failed'] as const) t.strictSame(codes({ says: ['30'] }, { fault }), [fault])
})

t.test('two of three answers that are right pass, one is flaky, and no more are asked for than decide', async (t) => {
  const [right, wrong, gone]: Why[][] = [
    [], [{ code: 'not_said', message: '' }], [{ code: 'source_gone', message: '' }]
  ]
  const verdicts = [
    [right], [wrong], [gone], [right, right], [right, wrong, right], [right, wrong, wrong], [wrong, wrong, wrong]
  ]
  t.strictSame(verdicts.map((tries) => verdictOf(tries as Why[][])), [
    'pass', 'fail', 'error', 'pass', 'pass', 'flaky', 'fail'
  ])
  t.equal(verdictOf([right, right, gone] as Why[][]), 'error', 'one that tells nothing is enough')
  t.equal(verdictOf([[...wrong!, ...gone!]] as Why[][]), 'error')
  const open = [[right], [wrong], [right, wrong], [wrong, wrong]]
  t.ok(open.every((tries) => !isDecided(tries as Why[][])))
  t.ok([[gone], [right, right], [right, wrong, wrong]].every((tries) => isDecided(tries as Why[][])))
})

t.test('case, spaces, marks and the way to write a number do not matter', async (t) => {
  t.equal(folded('It **costs** 1,000.50 €  [1]\n– really'), 'it costs 1000.50 € - really')
  t.equal(folded('1.000'), folded('1,000'))
  t.equal(folded('1\u00a0000'), folded("1'000"))
  t.equal(folded('2,5 kg'), folded('2.5 KG'))
  t.not(folded('10,5'), folded('105'))
  const long = 'a '.repeat(200_000)
  const began = performance.now()
  folded(long)
  t.ok(performance.now() - began < 500, 'linear in the text')
})

t.test('a question that expects nothing is refused, also where a change leaves nothing', async (t) => {
  t.throws(() => newQuestion({ text: 'Hm?', expect: {} }), { code: 'VALIDATION_ERROR' })
  const question = newQuestion({ text: 'Hm?', expect: { says: ['30'] } })
  t.match(question, { enabled: true, blocking: true, language: null, turns: [], from_message: null })
  t.throws(() => changedQuestion(question, { expect: { says: [] } }), { code: 'VALIDATION_ERROR' })
  t.match(changedQuestion(question, { expect: { never: ['14'] } }).expect, { says: ['30'], never: ['14'] })
})

t.test('what is written as a table is read as the same questions, whatever is in them', async () => {
  const word = fc.string({ minLength: 1, maxLength: 12, unit: fc.constantFrom('a', 'B', '|', '\\', '"', ',', '=', '+', '-', "'", ' ', '\n', 'é') })
    .map((text) => text.trim()).filter((text) => text !== '')
  const question = fc.record({
    text: word,
    language: fc.constantFrom(null, 'de'),
    turns: fc.constant<QuestionRecord['turns']>([]),
    enabled: fc.boolean(),
    blocking: fc.boolean(),
    expect: fc.record({
      sources: fc.uniqueArray(fc.integer({ min: 1, max: 99 }), { maxLength: 3 }),
      says: fc.uniqueArray(word, { maxLength: 3 }),
      never: fc.uniqueArray(word, { maxLength: 3 }),
      unknown: fc.constantFrom(null, true, false),
      hands_off: fc.constantFrom(null, 'any' as const, 'not_known' as const),
      action: fc.constantFrom(null, 'ticket'),
      arguments: fc.constantFrom(null, { number: '1001', count: 2, all: true })
    }),
    actions: fc.array(fc.record({ name: fc.constantFrom('a', 'b_1'), result: word }), { maxLength: 2 })
  })
  fc.assert(fc.property(fc.array(question, { maxLength: 5 }), (questions) => {
    const read = atOnce(draftsIn(tableOf(questions))).map((one) => ({ turns: [], ...one }))
    return read.length === questions.length && read.every((one, at) => {
      const { text, language, expect, actions, enabled, blocking } = questions[at]!
      return JSON.stringify([one.text, one.language, one.expect, one.actions ?? [], one.enabled, one.blocking]) ===
        JSON.stringify([text, language, expect, actions, enabled, blocking])
    })
  }))
})

t.test('a table that is none is refused by its line, and no cell is a formula', async (t) => {
  const refused = (csv: string) => {
    try {
      atOnce(draftsIn(csv))
    } catch (error) {
      return (error as { details: Array<{ field: string }> }).details.map(({ field }) => field)
    }
    return []
  }
  t.strictSame(refused('question\nHm?'), ['csv'])
  t.strictSame(refused('text,wrong\nHm?,x'), ['csv'])
  t.strictSame(refused('text\n"unfinished'), ['csv'])
  t.strictSame(refused(`text\n${'Hm?\n'.repeat(1001)}`), ['csv'])
  t.strictSame(refused('text,sources,unknown\nHm?,x,maybe\n ,1,true'), [
    'csv[2].sources', 'csv[2].unknown', 'csv[3].text'
  ])
  t.strictSame(refused(`text,says,language,hands_off\nHm?,${Array.from({ length: 21 }, (_, n) => `s${n}|`).join('')},,`), ['csv[2].expect.says'])
  t.strictSame(refused('text,says,language,hands_off\nHm?,x,German,nobody'), ['csv[2].language', 'csv[2].expect.hands_off'])
  t.match(tableOf([{ ...newQuestion({ text: '=1+1', expect: { says: ['x'] } }), language: null }]), /"'=1\+1"/)
})

t.test('a table is read in pieces, and no line of it is long', async (t) => {
  // Was wrong: two megabytes of commas blocked the loop for 1.5 s, and 900,000 values of one cell were kept.
  const row = `"How long, and ""when""?\nExactly?","${'30 days|'.repeat(3)}"\r\n`
  const csv = 'text,says\r\n' + row.repeat(1000)
  const stops = [...draftsIn(csv)].length
  t.ok(stops >= 1000, `${stops} stops`)
  const read = atOnce(draftsIn(csv))
  t.equal(read.length, 1000)
  t.match(read.at(-1), { text: 'How long, and "when"?\nExactly?', expect: { says: ['30 days'] } })
  const fault = (csv: string) => {
    const work = draftsIn(csv)
    let turns = 0
    try {
      while (!work.next().done) turns++
    } catch (error) {
      return [turns, (error as { details: Array<{ message: string }> }).details[0]!.message]
    }
    return [turns, '']
  }
  t.match(fault('text' + ',a'.repeat(900_000)), [0, /may have 200000 characters/])
  t.match(fault('text,says\na,' + 'b|'.repeat(900_000)), [0, /may have 200000 characters/])
  t.match(fault('text,says\na,' + 'b|'.repeat(90_000)), [2, ''])
  t.match(fault('text,says\n"' + '""'.repeat(900_000)), [0, /may have 200000 characters/])
  t.match(fault('text\n' + 'a\n'.repeat(900_000)), [0, /1000 questions at most/])
})

t.test('an answer makes the question that it answers, without who asked', async (t) => {
  const citations = [{ source: 7 }, { source: 7 }] as never
  const cited = { role: 'agent' as const, status: 'complete' as const, citations, unknown: false }
  const said = [
    { role: 'visitor' as const, text: 'My name is Ada Byron, ada@example.com' }, { role: 'agent' as const, text: 'Hello!' },
    { role: 'system' as const, text: 'x' }, { role: 'visitor' as const, text: 'How long may I return order 4711 4711?' }
  ]
  const draft = questionOf(cited, said, { language: 'en', name: 'Ada Byron' })
  t.match(draft, { language: 'en', expect: { sources: [7], unknown: false }, turns: [{ role: 'visitor' }, { role: 'agent', text: 'Hello!' }] })
  t.notMatch(JSON.stringify(draft), /Ada|Byron|example|4711/)
  const unknown = questionOf({ ...cited, citations: [], unknown: true }, said, { language: null, name: null })
  t.match(unknown.expect, { unknown: true })
  for (const [message, before] of [[{ ...cited, role: 'visitor' }, said], [{ ...cited, status: 'failed' }, said], [cited, []]]) {
    t.throws(() => questionOf(message as never, before as never, { language: null, name: null }), { code: 'not_an_answer' })
  }
})
