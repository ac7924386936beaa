import { finish } from '../../src/platform/storage/sqlite/database.ts'
import t from 'tap'
import { atOnce } from '../../scripts/bench/collection.ts'
import { confidenceOf } from '../../src/search/confidence.ts'
import { entries, pairsOf } from '../../src/search/scores.ts'
import { sqliteVocabulary } from '../../src/search/vocabulary.sqlite.ts'
import { segmentsIn } from '../../src/search/index/segments.sqlite.ts'
import { FORM, wordKeyOf } from '../../src/search/words/key.ts'
import { queryWords } from '../../src/search/words/query.ts'
import { Spellings, spellingOf } from '../../src/search/words/spelling.ts'
import { languageOf } from '../../src/search/words/words.ts'
import { hall, postingsAtOnce } from './helper.ts'

t.test('words of a query that no passage holds take no place from those that lead somewhere', async (t) => {
  // Was wrong: 40 unknown words, the most distinctive ones there are, left no place for the one that finds anything.
  const { train, found } = hall(t)
  train(1, 1, 'Refunds are paid within a week.')
  for (let source = 2; source < 30; source++) train(1, source, `Another refund of ours, number ${source}`)
  const unknown = Array.from({ length: 40 }, (_, at) => `quokka${at}x`).join(' ')
  t.same(found(1, `${unknown} week`), [1])
})

t.test('a long question is looked for by all of its words, and where it has more than 32, the order is the right one', async (t) => {
  // Was wrong: only the 32 rarest words of a paragraph were searched for, and what answered by the others was not
  // found.
  const { train, found } = hall(t)
  const rare = Array.from({ length: 40 }, (_, at) => `quokka${at}x`)
  for (const [at, word] of rare.entries()) train(1, at + 1, `The ${word} was seen once`)
  train(1, 50, 'Gift cards are valid for two years')
  train(1, 51, 'Cards are valid, and a gift for all')
  train(1, 52, 'Cards')
  t.same(found(1, `${rare.join(' ')} gift cards`, 60).slice(0, 2), [50, 51])
  t.equal(found(1, `${rare.join(' ')} gift cards`, 60).length, 43)
})

t.test('politeness around a question does not outrank it', async (t) => {
  // Was wrong: the opening hours were found, which nobody had asked about.
  const { train, found } = hall(t)
  train(1, 1, 'We hope to help you today: our team is here from nine to five, every day. Have a wonderful day!')
  train(1, 2, 'You have thirty days to send goods back.')
  for (let source = 3; source < 20; source++) train(1, source, `Product ${source} comes in a box with a manual.`)
  const question = 'How many days do I have to send goods back?'
  t.equal(found(1, question)[0], 2)
  t.equal(
    found(1, `Hello, I hope you can help me today. ${question} Thank you for your help and have a wonderful day!`)[0],
    2
  )
})

t.test('the sentence that asks counts most, by its mark or by how it begins, in any language', (t) => {
  const weightOf = (query: string, word: string) =>
    queryWords(query, [[null, 1]]).find(({ plain }) => plain === word)?.weight
  for (const [query, asked, beside] of [
    ['Good morning team! Where is parcel seven', 'parcel', 'morning'],
    ['Guten Morgen. Wann kommt mein Paket', 'paket', 'guten'],
    ['您好。什么时候到货？谢谢。', '时候', '谢谢'],
    ['شكرا لكم جميعا. متى يصل الطرد؟', 'الطرد', 'شكرا'],
    ['Καλημέρα σας. Πότε φτάνει το δέμα;', 'δεμα', 'καλημερα'],
    ['I love it. (Is it waterproof?) Bye.', 'waterproof', 'love']
  ] as const) { t.same([weightOf(query, asked), weightOf(query, beside)], [1, 0.3], query) }
  t.same(
    [weightOf('Parcel lost. Money back please.', 'parcel'), weightOf('Parcel lost? Money back?', 'money')],
    [1, 1],
    'nothing is set back where nothing or everything asks'
  )
  t.equal(weightOf('Howard wrote. The parcel is lost.', 'parcel'), 1)
  t.end()
})

t.test('stems meet only within their own language, and one text of another language costs nothing', async (t) => {
  // Was wrong: every stem of every language joined every query. `generalise` and `general` are one in English alone, as
  // are
  // `nacion` and `naciones` in Spanish alone.
  const { train, found } = hall(t)
  train(1, 1, 'The universities of the country are old, and there are many of them')
  train(1, 2, 'La universidad de la ciudad es una de las más antiguas que hay en el país')
  t.same(found(1, 'university'), [1])
  t.same(found(1, 'universidades'), [2])
  for (let source = 3; source < 20; source++) {
    train(1, source, `The son of the house number ${source}, and what he did there`)
  }
  train(1, 20, 'It is a sin, and he was sorry for it')
  t.same(found(1, 'sin'), [20], 'a Spanish text does not make it a word too common to look for')
})

t.test('a word is as rare as it is in all languages together', async (t) => {
  // Was wrong: each of its stems was as rare as that stem, so the word of many German texts outweighed the English one.
  const { train, found } = hall(t)
  for (let source = 1; source < 12; source++) {
    train(1, source, `Die Information Nummer ${source} ist in dem Regal und wird nicht verkauft`)
  }
  train(1, 20, 'The information is in the room over there')
  for (let source = 21; source < 24; source++) {
    train(1, source, `The manual number ${source} is in the drawer over there`)
  }
  t.same(found(1, 'information or manuals', 1), [21])
})

t.test('a mistyped word is taken for what it may have been meant, in any alphabet, and counts less than a word that was typed', async (t) => {
  // Was wrong: one letter wrong, and nothing was found.
  const { train, found, search, rank } = hall(t)
  train(1, 1, 'The warranty of the headphones ends after two years')
  train(1, 2, 'Parcels are delivered by a courier on weekdays')
  train(1, 3, 'Посылки доставляет курьер по будним дням')
  for (const typo of ['headphnes', 'haedphones', 'headphonees', 'hesdphones', 'Headpohnes']) {
    t.same(found(1, typo), [1], typo)
  }
  t.same(found(1, 'курьир'), [3])
  t.same(search(1, 'waranty', 1)[0]!.highlight.filter(({ marked }) => marked).map(({ text }) => text), ['warranty'])
  t.ok(rank(1, 'waranty', 1)[0]![1] < rank(1, 'warranty', 1)[0]![1])
  t.same(
    [found(1, 'X2000'), found(1, 'twq'), found(1, 'zzzzzzzz'), found(2, 'headphnes')],
    [[], [], [], []],
    'no numbers, nothing short, nothing far, and no words of another agent'
  )
  train(1, 4, 'We also sell turntables')
  t.same(found(1, 'turntabels'), [4], 'what is trained later is known, too')
})

t.test('German compounds meet their parts, in what is asked as in what is found', async (t) => {
  // Was wrong: a question about the `Rückgabefrist` found no text about the `Frist` for the `Rückgabe`, and one about
  // `Kosten` none about `Versandkosten`.
  const { train, found, search, rank } = hall(t)
  train(1, 1, 'Die Frist für die Rückgabe der Waren beträgt dreißig Tage, und das Geld wird dann erstattet')
  train(1, 2, 'Der Laden ist von Montag bis Freitag geöffnet, und am Samstag ist er geschlossen')
  for (let source = 3; source < 9; source++) {
    train(1, source, `Das Produkt Nummer ${source} ist in der Schachtel mit einer Anleitung`)
  }
  t.same(found(1, 'Rückgabefrist'), [1])
  t.same(found(1, 'Rückgabenfrist'), [1], 'with the letters that join them')
  const marked = search(1, 'Rückgabefrist', 1)[0]!.highlight.filter(({ marked }) => marked).map(({ text }) => text)
  t.same(marked, ['Frist', 'Rückgabe'])
  t.same(found(1, 'Schlossfreitag'), [2], 'one of the parts is better than nothing')
  train(1, 9, 'Bei der Bestellung werden die Versandkosten und die Lieferadresse vor dem Bezahlen angezeigt')
  t.same(found(1, 'Kosten'), [9])
  t.same(found(1, 'Welche Adresse?'), [9])
  t.same(search(1, 'Kosten', 1)[0]!.highlight.filter(({ marked }) => marked).map(({ text }) => text), ['Versandkosten'])
  train(1, 10, 'Was die Kosten betrifft, so werden sie bei der Bestellung vor dem Bezahlen angezeigt')
  t.same(found(1, 'Kosten'), [10, 9], 'the word itself counts more than a part')
  t.ok(rank(1, 'Versandkosten', 1)[0]![1] > rank(1, 'Kosten', 1)[0]![1])
  train(2, 20, 'The return period and the deadline for returns are thirty days, and then it is over')
  t.same(found(2, 'Frachtperiode perioddeadline'), [], 'in German only')
})

t.test('how words are spelt dies with their source, and what is damaged is not corrected', async (t) => {
  // Was wrong with spellings stored in plain text: the number of a word's spelling was in the file.
  const { db, tables, secrets, index, train, found, wipe, bytes } = hall(t)
  const spelling = Buffer.alloc(4)
  spelling.writeUInt32LE(spellingOf('axolotlism'))
  train(1, 1, 'On axolotlism')
  train(1, 2, 'On pangolins')
  db.pragma('wal_checkpoint(TRUNCATE)')
  t.equal(bytes().includes(spelling), false)
  t.same(found(1, 'axolotlisn'), [1])
  index.remove(1)
  wipe()
  t.same(found(1, 'axolotlisn'), [])
  t.equal(db.prepare('SELECT count(*) FROM passage_groups WHERE spellings IS NOT NULL').pluck().get(), 1)
  db.exec('UPDATE passage_groups SET spellings = zeroblob(length(spellings))')
  t.equal(atOnce(sqliteVocabulary(tables, secrets).of(1)).size, 0)
  t.same(found(1, 'pangolins'), [2])
})

t.test('spellings are read in steps, kept for as many agents as fit, and read anew when most of them are gone', (t) => {
  const { tables, secrets, index, train } = hall(t)
  for (let source = 1; source <= 40; source++) {
    train((source % 2) + 1, source, `Words such as ${'abcdefghij'[source % 10]!.repeat(4 + source)} of source`)
  }
  const vocabulary = sqliteVocabulary(tables, secrets, { most: 10, slice: 1, sliceMs: 0 })
  t.equal(vocabulary.of(1).next().done, false, 'not all at once')
  const [one, other] = [atOnce(vocabulary.of(1)), atOnce(vocabulary.of(2))]
  t.equal(atOnce(vocabulary.of(2)), other)
  t.not(atOnce(vocabulary.of(1)), one, 'forgotten for the other')
  const kept = atOnce(vocabulary.of(1))
  train(1, 99, 'Quokkas')
  t.equal(atOnce(vocabulary.of(1)), kept, 'what is new is added')
  t.ok(kept.has(spellingOf('quokkas')))
  for (let source = 2; source <= 40; source += 2) index.remove(source)
  t.notOk(atOnce(vocabulary.of(1)).has(spellingOf('words')), 'what is gone is forgotten')
  const many = new Spellings()
  for (let number = 1; number <= 5000; number++) many.add(number)
  many.add(7)
  t.same([many.size, many.has(5000), many.has(5001), many.has(0)], [5000, true, false, false])
  t.end()
})

t.test('words that stand together as they were asked for count more than the same words apart', async (t) => {
  // Was wrong: both passages had the same words, as often, so the first was found.
  const { train, found } = hall(t)
  train(1, 1, 'The gift that a card of any kind may be: whoever paid for the card has the gift.')
  train(1, 2, 'A gift card of any kind may be used: whoever paid has the gift card for the that.')
  for (let source = 3; source < 12; source++) train(1, source, `The number ${source} is another thing`)
  t.equal(found(1, 'gift card')[0], 2)
})

t.test('words of two clauses need not stand together, nor words with more than one between them', async (t) => {
  // Was wrong: where two things were listed, a text was preferred that had them side by side.
  const together = (query: string) =>
    pairsOf(queryWords(query, [['en', 1]])).map(({ first, second }) => `${first.plain} ${second.plain}`)
  t.same(together('gift cards, lamp bulbs'), ['gift cards', 'lamp bulbs'])
  t.same(together('gift cards; lamps! Bulbs (white) shelves. Boxes'), ['gift cards'])
  t.same(together('礼品卡，灯泡').includes('卡 灯泡'), false)
  t.same(together('Letters of Dr. Miller'), ['letters dr', 'dr miller'])
  t.same(together('cards of paper'), ['cards paper'])
  t.same(together('cards of the paper'), [])
})

t.test('no more passages are opened than may come among those that are shown', async (t) => {
  // Was wrong: twenty were opened for each search, to see whether words are adjacent in them that are not all there.
  const { train, ask, words } = hall(t)
  for (let source = 1; source <= 40; source++) {
    train(1, source, `Shelf ${source} of the store holds ${'lamps '.repeat(source % 7 + 1)}and ${source % 9} boxes`)
  }
  train(1, 41, 'The guarantee for lamps: a lamp guarantee lasts for two years, and lamps with a battery for one')
  train(1, 42, 'Whether there is a guarantee on a broken screen says the leaflet; lamps have none')
  const opened = (query: string, limit: number) => {
    const asked = ask(1, query)
    const hits = finish(words.show(asked, finish(words.rank(asked, limit * 3)), limit))
    return { sources: hits.map(({ source }) => source), opened: asked.opened.size }
  }
  t.match(opened('lamp guarantee', 1), { sources: [41], opened: 1 })
  t.match(opened('shelf boxes', 40).opened, 40, 'all of them where all are shown')
  for (const query of ['lamp guarantee', 'store holds lamps', 'battery lamps', 'broken screen guarantee']) {
    t.same(
      opened(query, 3).sources, opened(query, 42).sources.slice(0, 3),
      `${query}: in the same order as where all are opened`
    )
  }
})

t.test('a word that many passages hold is counted once until something is trained or gone', async (t) => {
  // Was slow: each search counted the commonest words again, a third of its time.
  const { tables, index, train, wipe } = hall(t)
  const keyOf = (word: string) => wordKeyOf(word, { language: 'en', form: FORM })
  const count = (postings: ReturnType<typeof postingsAtOnce>, agent: number, word: string) =>
    postings(agent).terms(keyOf(word)).reduce((sum, [, passages]) => sum + passages, 0)
  const unseen = (id: number, word: string) =>
    finish(segmentsIn(tables).add(1, id, [`${keyOf(word)}_9`], 'live'))
  for (let source = 1; source < 4; source++) train(1, source, `The lamp and the shelf of number ${source}`)
  train(1, 4, 'The chair')
  train(2, 5, 'The lamp of another agent')
  const terms = postingsAtOnce(tables, { many: 2, counts: 3 })
  t.same([count(terms, 1, 'lamp'), count(terms, 1, 'chair'), count(terms, 2, 'lamp')], [3, 1, 1])
  unseen(901, 'lamp')
  unseen(902, 'chair')
  t.same([count(terms, 1, 'lamp'), count(terms, 1, 'chair')], [3, 2], 'what few hold is always counted')
  train(1, 6, 'The lamp again')
  t.equal(count(terms, 1, 'lamp'), 5)
  index.remove(1)
  wipe()
  t.equal(count(terms, 1, 'lamp'), 4)
  unseen(903, 'lamp')
  t.equal(count(terms, 1, 'lamp'), 4)
  t.same([count(terms, 1, 'shelf'), count(terms, 1, 'number'), count(terms, 1, 'lamp')], [2, 2, 5], 'no more than fit')
})

t.test('a passage is as long as is usual in its script', (t) => {
  // Was wrong: Chinese and Korean passages of an ordinary length counted as three times too long.
  const weightOf = (text: string) =>
    Number.parseInt(
      entries(
        [{ text, start: 0, end: 0, heading: null, page: null, row: null, lastRow: null }], '', languageOf(text)
      )[0]!
        .words.split(' ')[0]!
        .at(-1)!,
      16
    )
  const english = weightOf('refund ' + 'of the other words '.repeat(27))
  for (const text of [
    '退款 ' + '我们的商店在城市的中心营业'.repeat(33),
    '환불 ' + '우리가게는도시의중심에있습니다 '.repeat(20),
    'เงิน ' + 'ร้านของเราอยู่ใจกลางเมือง'.repeat(24),
    'hàng ' + 'chúng tôi có thể trả cho bạn '.repeat(20)
  ]) {
    t.ok(Math.abs(weightOf(text) - english) <= 1, `${text.slice(0, 4)}: ${weightOf(text)}, in English ${english}`)
  }
  t.end()
})

t.test('confidence means the same in every agent, tells what is known from what is not, and stays between 0 and 1', async (t) => {
  // Was wrong with the score, which is higher for what a large agent does not know than for what a small one does.
  const { train, search } = hall(t)
  train(1, 1, 'Returns are accepted within 30 days of delivery.', 'Returns')
  for (let source = 1; source < 300; source++) {
    train(
      2,
      1000 + source,
      `Report ${source}: the reactor core was cooled with water at station ${source % 17}, as it was planned`,
      'Reactors'
    )
  }
  const sure = (agent: number, query: string) => search(agent, query, 1)[0]?.confidence ?? 0
  for (const [agent, query] of [
    [1, 'How many days do I have for returns after delivery?'],
    [1, 'returns accepted'],
    [2, 'At which station was the reactor core cooled?']
  ] as const) { t.ok(sure(agent, query) > 0.6, `${query}: ${sure(agent, query)}`) }
  for (const [agent, query] of [
    [1, 'Who won the football game of delivery companies in Paris?'],
    [2, 'Which water sports does the holiday resort on the island offer to guests?'],
    [1, 'quokkas']
  ] as const) { t.ok(sure(agent, query) < 0.35, `${query}: ${sure(agent, query)}`) }
  t.same(confidenceOf([], new Map(), { spans: [], words: 0, language: 'en', known: 0, rarest: 1 }), 0)
})

t.test('a paragraph of which a passage has only some words is told from a question about something else', async (t) => {
  // Was wrong: only the share of the words counted, and both paragraphs were as little known (0.06, 0.30) as the
  // others.
  const { train, search } = hall(t)
  train(1, 1, 'Parallel compilers schedule loop iterations on vector processors, and detect dependences between array ' +
    'subscripts to decide which iterations may run at the same time.')
  train(1, 2, 'Hashing with open addressing: linear probing clusters keys, double hashing spreads them. We derive the ' +
    'expected number of probes for an unsuccessful lookup in a table that is nearly full.')
  train(1, 3, 'Rights of access are kept in a matrix of users and files, and checked by the monitor.')
  for (let source = 4; source < 250; source++) {
    train(1, source, `Note ${source}: an algorithm of series ${source % 19} was tested on a machine and its time reported.`)
  }
  const sure = (query: string) => search(1, query, 10).reduce((most, { confidence }) => Math.max(most, confidence), 0)
  const known = [
    'I am interested in anything about optimising translators for supercomputers: how nested loop iterations get ' +
    'distributed over vector processors, how the analysis of array subscripts finds dependences that forbid such ' +
    'reordering, and what has been published about measuring the benefit in practice for numerical software.',
    'Textbooks claim that double hashing beats linear probing because clusters of keys grow quickly once storage ' +
    'fills up, so that the expected number of probes of an unsuccessful lookup explodes; evidence for or against.'
  ].map(sure)
  const foreign = [
    'Who sold the film rights of the novel?',
    'Which vector carries malaria?',
    'How many keys does a piano have?',
    'What did the monitor on the ship report about the weather?'
  ].map(sure)
  for (const one of known) t.ok(one >= 0.65, `known: ${one}`)
  for (const one of foreign) t.ok(one < 0.35, `not known: ${one}`)
})
