import t from 'tap'
import { certaintyOf } from '../../src/search/sense/certainty.ts'
import { judge } from '../../src/search/sense/judge.ts'
import { isOfHours } from '../../src/search/sense/sight.ts'
import { analyse, weigh } from '../../src/search/sense/question.ts'
import { restated } from '../../src/search/sense/restate.ts'
import { withoutCourtesies } from '../../src/search/sense/talk/courtesies.ts'
import { isEveryday, spelledOut } from '../../src/search/sense/talk/ordinary.ts'
import type { Language } from '../../src/search/words/languages.ts'
import { queryWords } from '../../src/search/words/query.ts'
import { Spellings } from '../../src/search/words/spelling.ts'

/** A question of which the agent has only these words, weighted. */
function weighed (query: string, language: Language, there: string[] = []) {
  const question = analyse(query, queryWords(query, [[language, 1]]), [[language, 1]])
  const holding = ({ plain }: { plain: string }) => (there.includes(plain) ? 1 : 0)
  weigh(question, 20, { holding, holdingItself: holding, holdingConcept: () => 1 })
  return question
}
const unitOf = (query: string, language: Language, word: string) =>
  weighed(query, language).units.find(({ words }) => words.some(({ plain }) => plain === word))

t.test('whom a message is to and who wrote it are no part of its question', async (t) => {
  // Was wrong: names in greetings and closings counted as the subject, and no page has them.
  for (const [letter, question] of [
    ['Hello Maureen, do you have lessons on Sundays? Kind regards, D. Osei', /^do you have lessons on Sundays\?$/],
    ['Guten Tag Frau Ott, kommt jemand und schneidet die Hecke? Liebe Grüße, H. Brandt', /^kommt jemand und schneidet die Hecke\?$/],
    ['Bonjour Madame Petit, faut-il réserver ? Bien cordialement, Paul Morel', /^faut-il réserver \?$/],
    ['Buonasera Elisa! Quanto costa un album? Grazie mille, Teo', /^Quanto costa un album\?$/]
  ] as const) t.match(withoutCourtesies(letter), question)
  t.equal(withoutCourtesies('Which is the best Fiesta'), 'Which is the best Fiesta', 'what only sounds like an ending stays')
  t.equal(withoutCourtesies('Hi'), 'Hi', 'where nothing else is in it, it is left as it is')
})

t.test('shorthand is written out, as the language of the question has it', async (t) => {
  t.equal(spelledOut('Can I come tmrw, pls?', 'en').includes('tomorrow'), true)
  t.equal(spelledOut('Can I come tmrw?', 'de'), 'Can I come tmrw?')
  t.equal(spelledOut('Can I come tmrw?', null), 'Can I come tmrw?')
  t.equal(spelledOut('ya un parking aprem ?', 'fr'), spelledOut('ya un parking après-midi ?', 'fr'))
})

t.test('a word of ordinary talk that no page has says little against an answer', async (t) => {
  // Was wrong: it counted as the rarest of subjects, so that visitors who told a story got no answer.
  t.ok(isEveryday('furious', ['en']) && !isEveryday('trampoline', ['en']))
  const query = 'I am furious about the trampoline'
  t.ok(unitOf(query, 'en', 'furious')!.weight < unitOf(query, 'en', 'trampoline')!.weight / 4)
})

t.test('a number is the customer\'s own, unless it stands behind a thing as a part of its name', async (t) => {
  t.equal(unitOf('do you repair a Pixelette 15', 'en', '15')!.isTalk, false)
  t.equal(unitOf('we come with 15', 'en', '15')!.isTalk, true)
  t.equal(unitOf('I am 70, what do I pay', 'en', '70')!.age, 70)
})

t.test('a number is told by its name as by its digits', async (t) => {
  // Was wrong: the sofa with two seats was quoted for the one with three, with certainty.
  const question = weighed('Quanto costa il divano a tre posti?', 'it', ['divano', 'posti'])
  const [two, three] = ['Divano 2 posti\nPrezzo: 690 €', 'Divano 3 posti\nPrezzo: 890 €'].map((text) =>
    judge(question, { text, heading: null, language: 'it' }, () => 0, 0.5))
  t.ok(three!.fit > two!.fit)
})

t.test('times in a month are no opening hours, but for those from one time to another', async (t) => {
  // Was wrong: "in August all is full at 10" was the answer to when a place is open in August.
  t.notOk(isOfHours(new Set(['time']), ['month:7']))
  t.ok(isOfHours(new Set(['time', 'hours']), ['month:7']))
  t.ok(isOfHours(new Set(['time']), ['day:1']))
})

t.test('a word is not taken for a typo of one that there is not', async (t) => {
  // Was wrong: the start of a table's word with any ending was a word, so that a choir became a "chocir".
  const query = 'is there a choir'
  const steps = restated(query, queryWords(query, [['en', 1]]), { languages: ['en', 'fr'], spellings: new Spellings() })
  let step = steps.next()
  while (!step.done) step = steps.next()
  t.equal(step.value, query)
})

t.test('what is in another language than the question is as sure with no word in common', async (t) => {
  // Was wrong: without common words an answer was unsure, also where its one sentence says all that was asked.
  const question = weighed('¿Hay ascensor?', 'es')
  const found = judge(question, { text: 'There is a lift to all floors.', heading: null, language: 'en' }, () => 0, 0)
  const beside = { lead: found.fit, rivals: 0, elsewhere: 0 }
  t.ok(certaintyOf(found, beside) >= 0.5)
  const near = { ...found.evidence!, isForeign: 0 }
  t.ok(certaintyOf(found, beside) > certaintyOf({ ...found, evidence: near }, beside))
})

// Was wrong: a message without spaces was divided into words six times, at one stretch, to find what is polite in it.
t.test('a message is divided into words once, however often polite phrases are looked for', (t) => {
  let divided = 0
  const { segment } = Intl.Segmenter.prototype
  t.teardown(() => { Intl.Segmenter.prototype.segment = segment })
  Intl.Segmenter.prototype.segment = function (text) {
    divided++
    return segment.call(this, text)
  }
  const text = 'の'.repeat(900)
  t.equal(withoutCourtesies(text), text)
  t.equal(divided, 1)
  t.end()
})
