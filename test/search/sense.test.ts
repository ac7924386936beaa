import t from 'tap'
import { languageOfQuestion } from '../../src/search/sense/talk/asking.ts'
import { withoutCourtesies } from '../../src/search/sense/talk/courtesies.ts'
import { compare, inOrder } from '../../src/search/sense/asked.ts'
import { certaintyOf, mostOf, type Beside, type Evidence } from '../../src/search/sense/certainty.ts'
import { judge } from '../../src/search/sense/judge.ts'
import { boundsAge, holdsAge, kindsIn } from '../../src/search/sense/kinds.ts'
import { broader, concepts, conceptsIn, tokensOf, tongues } from '../../src/search/sense/lexicon.ts'
import { analyse, weigh } from '../../src/search/sense/question.ts'
import { isOfOwnCase } from '../../src/search/sense/talk/own-case.ts'
import { sight } from '../../src/search/sense/sight.ts'
import { isRow, piecesOf, sentenceOfRow } from '../../src/search/sense/sentences.ts'
import { isOfOtherModel } from '../../src/search/sense/told.ts'
import { restated } from '../../src/search/sense/restate.ts'
import { isKnown, type Language } from '../../src/search/words/languages.ts'
import { type QueryWord, queryWords } from '../../src/search/words/query.ts'
import { Spellings, spellingOf } from '../../src/search/words/spelling.ts'

/** Beside a passage that is the only one. */
const alone = ({ fit }: { fit: number }) => ({ lead: fit, rivals: 0, elsewhere: 0 })

/** Each word and concept stands somewhere else too. */
const EVERYWHERE: Parameters<typeof weigh>[2] = { holding: () => 1, holdingItself: () => 1, holdingConcept: () => 1 }

/** How an English passage is judged for a question; `words`: how sure its words alone are. */
function judged (query: string, text: string, heading: string | null = null, words = 0, there = EVERYWHERE) {
  const question = analyse(query, queryWords(query, [['en', 1]]), [['en', 1]])
  weigh(question, 10, there)
  const found = judge(question, { text, heading, language: 'en' }, () => 0, words)
  const quoted = found.quotes.map(([start, end]) => text.slice(start, end))
  return { ...found, confidence: Math.min(mostOf(found.evidence), certaintyOf(found, alone(found))), quoted }
}

/** Whether a question is taken for one about a concept. */
function isAbout (question: string, language: Language, concept: string): boolean {
  const { units } = analyse(question, queryWords(question, [[language, 1]]), [[language, 1]])
  return units.some(({ primary, concepts }) => primary === concept || concepts.has(concept))
}

t.test('a question finds what it means, in other words and another language', async (t) => {
  const text = 'We refund the price within five days. Parcels leave our house on Mondays.'
  for (const question of ['Can I have my money back?', 'Wann bekomme ich mein Geld zurück?', '¿Me devuelven el dinero?']) {
    const [alone, under] = [judged(question, text), judged(question, text, 'Refunds')]
    t.ok(alone.confidence >= 0.5, `may help: ${question}: ${alone.confidence}`)
    t.ok(under.confidence >= 0.65, `is sure under a heading that says so: ${question}: ${under.confidence}`)
    t.match(alone.quoted.join(), /refund/)
  }
  t.ok(judged('Do you rent skis?', text).confidence < 0.35)
})

t.test('to have one\'s data deleted is understood in each language that has words for it', async (t) => {
  // Was wrong: "usuńcie moje dane", "slet mine oplysninger" and the like asked for nothing that is known.
  const asked: Record<string, string[]> = {
    en: ['delete my data'],
    de: ['löscht meine Daten', 'Meine Daten bitte löschen'],
    fr: ['supprimez mes données', 'effacez mes données'],
    es: ['borren mis datos', 'elimina mis datos'],
    it: ['eliminate i miei dati', 'rimuovete i miei dati'],
    nl: ['verwijder mijn gegevens', 'wis mijn gegevens', 'kunnen jullie mijn gegevens wissen?'],
    pt: ['apaguem os meus dados', 'quero excluir meus dados'],
    pl: ['usuńcie moje dane', 'usuncie moje dane', 'proszę skasować moje dane', 'proszę o usunięcie moich danych'],
    sv: ['radera mina uppgifter', 'ta bort mina uppgifter', 'hur tar ni bort mina personuppgifter?'],
    da: ['slet mine data', 'slet venligst mine oplysninger'],
    cs: ['smažte moje údaje', 'odstraňte mé osobní údaje'],
    ru: ['удалите мои данные', 'прошу удалить мои персональные данные'],
    uk: ['видаліть мої дані'],
    tr: ['verilerimi silin', 'kişisel verilerimi siler misiniz?'],
    ja: ['私のデータを削除してください', '個人情報を消してほしい'],
    zh: ['删除我的数据', '请删除我的个人信息'],
    ko: ['내 정보를 삭제해 주세요', '제 데이터를 지워 주세요'],
    th: ['ลบข้อมูลของฉัน']
  }
  t.strictSame(Object.keys(asked).toSorted(), tongues().toSorted())
  for (const [language, all] of Object.entries(asked)) {
    const spoken = [[isKnown(language) ? language : null, 1]] as const
    for (const query of all) {
      const { units } = analyse(query, queryWords(query, spoken), spoken)
      const held = new Set(units.flatMap(({ concepts }) => [...concepts.keys()]))
      t.ok(held.has('delete') && held.has('privacy'), `${query}: ${[...held].join()}`)
    }
  }
})

t.test('a row is quoted whole, and never for a thing that it lacks', async (t) => {
  // Was wrong: 30 of 48 questions about tables were answered with a value of another row.
  const rows = 'Product: Aurora kettle\nPrice: 49 €\nDelivery: 3 weeks\n\nProduct: Borealis lamp\nPrice: 30 €\nDelivery: 2 days'
  t.strictSame(judged('How much is the Aurora kettle?', rows).quoted, ['Product: Aurora kettle\nPrice: 49 €\nDelivery: 3 weeks'])
  t.ok(judged('How much is the Solstice toaster?', rows).confidence < 0.35)
  t.equal(sentenceOfRow('Product: Aurora kettle\nPrice: 49 €\nDelivery: 3 weeks'), 'Aurora kettle: Price 49 €, Delivery 3 weeks')
  t.notOk(isRow('Open: daily'))
})

t.test('who asks for the prices alone is told all rows that fit, who asks for one is told that', async (t) => {
  // Was wrong: "Prices?" was answered with the first row of the list.
  const rows = ['Service: Cut\nPrice: 45 €', 'Service: Colouring\nPrice: 70 €', 'Service: Perm\nPrice: 90 €']
  const text = `Service | Price\n\n${rows.join('\n\n')}`
  t.strictSame(judged('Prices?', text).quoted, rows)
  t.strictSame(judged('How much is colouring?', text).quoted, [rows[1]])
  const many = judged('Prices?', Array.from({ length: 40 }, (_, i) => `Service: Number ${i}\nPrice: ${i} €`).join('\n\n')).quoted
  t.ok(many.length > 5 && many.join('').length <= 600)
})

t.test('for whom something is asked says little of what is asked', async (t) => {
  // Was wrong: "for my daughter" made nothing known of what a sure answer was there for.
  const row = 'Course: Sea horse\nPrice: 189 €\nLessons: 10 of 45 minutes'
  for (const [plain, whose] of [
    ['How much is Sea horse?', 'How much is Sea horse for my daughter?'],
    ['Was kostet Sea horse?', 'Was kostet Sea horse für meine kleine Tochter?'],
    ['Combien coûte Sea horse ?', 'Combien coûte Sea horse pour notre fille ?']
  ] as const) {
    const [sure, also] = [judged(plain, row).confidence, judged(whose, row).confidence]
    t.ok(also >= 0.35, `${whose}: ${also}, and ${sure} without`)
  }
  t.ok(judged('Is there a course for my daughter?', 'Our courses for children begin in May.').fit >
    judged('Is there a course for my daughter?', 'Our courses for seniors begin in May.').fit, 'but it counts')
})

t.test('a row that has the very thing is sure by itself', async (t) => {
  // Was wrong: where the row of a list of prices had the very thing, it only may have helped, or nothing was said.
  const row = 'Item: Aurora kettle\nPrice: 49 €\nRemarks: while stocks last'
  const { confidence } = judged('How much is the Aurora kettle?', row, null, 0.7)
  t.ok(confidence >= 0.65, `${confidence}`)
  t.ok(judged('How much is the Solstice kettle?', row, null, 0.7).confidence < 0.65, 'but not of another thing')
})

t.test('a price list says prices too where only the head of a column names the currency', async (t) => {
  // Was wrong: the row of the very item was taken for one without a price, and another price was quoted as sure.
  for (const head of ['Price (€)', 'Price (GBP)', 'Preis in Euro', 'Cena (zł)', '5-11 weeks (EUR)']) {
    const row = `Item: Aurora kettle\n${head}: 49,50\nRemarks: while stocks last`
    t.ok(kindsIn(row).has('price'), head)
    const asked = 'How much is the Aurora kettle?'
    const [named, other] = [judged(asked, row), judged(asked, 'The visit costs 30 €.')]
    t.ok(named.fit > 0.9 && named.fit > other.fit, `${head}: ${named.fit}`)
  }
  t.ok(kindsIn('Work: tune\nDuration (min): 45').has('duration'))
  for (const none of ['Kurs: 3', 'Euro 2024: the schedule', 'Seats: 40', 'Coins we take: 5 kinds']) t.notOk(kindsIn(none).has('price'), none)
})

t.test('where a hotel is, is answered by its address', async (t) => {
  const first = judged('Where is the hotel?', 'The hotel has a garden.\n\nThe hotel stands at 14 Mill Lane, Bristol.')
  t.match(first.quoted.join(), /14 Mill Lane/)
})

t.test('what shipping costs is the price under its heading, and a long section is quoted with the sentence that has it', async (t) => {
  t.match(judged('What are the shipping costs?', 'Within Norway it is 9 €.', 'Shipping').quoted, ['Within Norway it is 9 €.'])
  const filler = 'The studio is on the ground floor, and the courtyard behind it is open to all who come. '.repeat(5)
  const { quoted } = judged('How much is the pottery course?', `Every pottery course lasts a whole day. ${filler}It is 90 €.`)
  t.match(quoted.join(' '), /pottery course[\s\S]*90 €/)
})

t.test('under a heading that says so is worth more among others, and so is a longer passage', async (t) => {
  const question = 'Can I have my money back?'
  const [plain, headed] = [judged(question, 'We refund it.'), judged(question, 'We refund it.', 'Refunds')]
  t.ok(headed.worth > plain.worth)
  t.ok(judged(question, 'We refund it. Ask at the desk.').worth > plain.worth)
  t.equal(judged(question, '').worth, 0)
})

t.test('what is asked for is a kind of thing that the sentence holds, and a section is told by its heading', async (t) => {
  const text = 'Refunds\n\nAsk at the desk.\n\nIt takes five working days.'
  t.match(judged('How long does a refund take?', text, 'Returns › Refunds').quoted, ['Ask at the desk.\n\nIt takes five working days.'])
  for (const [kind, one] of [
    ['price', 'It is 9,50 €'], ['duration', 'tre giorni'], ['time', 'from 10 am'], ['phone', '0437 555 210'],
    ['email', 'a@b.example'], ['address', '14 Mill Lane, Bristol'], ['address', 'Piazza Garibaldi'], ['temperature', '220 °C']
  ] as const) t.ok(kindsIn(one).has(kind), one)
  t.notOk(kindsIn('since 1924 we bake').has('address'))
  const wants = 'When are you open? What is your phone number, your e-mail and address, and how long is it valid?'
  t.ok(judged(wants, 'Call 0437 555 210 or write to a@b.example. We sit at 14 Mill Lane, Bristol. Open Monday, 9 am.').fit > 0)
})

t.test('a long section is quoted by its best sentence and the one beside it that says more', async (t) => {
  const filler = 'Our house was built by hand and by many friends of ours over a number of quiet summers. '.repeat(3)
  const text = `Shipping costs £4.90. It takes three days. ${filler}`
  t.match(judged('How much is shipping and how long does shipping take?', text).quoted[0], /£4\.90.*three days/)
  const apart = `Shipping costs £4.90. ${filler}Shipping takes three days.`
  t.match(judged('How much is shipping and how long does it take?', apart).quoted.join(' '), /£4\.90/)
})

t.test('what another passage answers as well is not sure, and may help', async (t) => {
  // Was wrong: of two passages about a guided tour, the one about a harvest day was quoted as certain.
  const found = judged('How much is the tour?', 'The tour costs 9 €.', 'Tours', 0.7)
  t.ok(certaintyOf(found, alone(found)) >= 0.65)
  const beside = certaintyOf(found, { lead: 0, rivals: 1, elsewhere: 0.7 })
  t.ok(beside < 0.65 && beside >= 0.35, `${beside}`)
})

t.test('a heading of two sentences and the term of a definition are not quoted as answers', async (t) => {
  // Was wrong: "The car does not start." and "Vegetable plugs" were whole answers.
  const start = 'The car does not start. What now?\n\nMostly it is the battery. Bring it in: the test is free.'
  t.strictSame(judged('my car does not start', start, 'Questions › The car does not start. What now?').quoted,
    ['Mostly it is the battery. Bring it in: the test is free.'])
  const terms = 'When we have it\n\nVegetable plugs\n\nFrom mid-April. Six tomatoes are £3.95.\n\nSpring bulbs\n\nFrom late August on.'
  t.strictSame(judged('When do you have vegetable plugs?', terms, 'When we have it').quoted,
    ['From mid-April. Six tomatoes are £3.95.'])
  t.strictSame(piecesOf('Towels\n\nSoap\n\nShampoo', 'en').map(({ isLabel }) => isLabel), [false, false, false])
})

t.test('what stands in a table and below it is quoted with both', async (t) => {
  // Was wrong: "Are you open on Boxing Day?" was answered by the row of bank holidays, with certainty.
  const text = 'Day: Sunday\nShop: 10 am to 4 pm\n\nDay: Holidays\nShop: 11 am to 3 pm\n\nOn holidays in December we are closed.'
  t.match(judged('Are you open on holidays?', text, 'Opening times').quoted.toSorted(), [/^Day: Holidays/, /^On holidays/])
})

t.test('a question about the place itself is not answered by a part of it', async (t) => {
  // Was wrong: "what time do you open" was answered by the hours of a club, with certainty.
  const club = 'Wednesdays from 5 pm to 6.30 pm, in the small hall.'
  const own = 'Monday to Friday from 10 am to 10 pm, Saturday and Sunday from 9 am to 8 pm.'
  for (const question of ['what time do you open', 'when are you open?', 'a qué hora abren']) {
    const [part, all] = [judged(question, club, 'Courses › Squad'), judged(question, own, 'Welcome › When you can come')]
    t.ok(part.confidence < 0.65 && all.confidence >= 0.65, `${question}: ${part.confidence}, ${all.confidence}`)
  }
  t.ok(judged('when is the squad?', club, 'Courses › Squad', 0.7).confidence >= 0.65, 'a part that is asked about is told')
})

t.test('what is asked in words of another language, or of another kind, is understood', async (t) => {
  for (const [question, text] of [
    ['Wie hoch ist die Kaution?', 'We ask for a deposit of £50, which you get back.'],
    ['Avez-vous des douches ?', 'There are showers in both changing rooms.'],
    ['Ho perso il mio ombrello', 'We keep lost property for four weeks at reception.'],
    ['Heeft u een kinderzitje?', 'Child seats fit on every bike.'],
    ['who owns the place', 'The hall was founded by two sisters, who still run it.'],
    ['Jest parking?', 'You can park behind the building.'],
    ['open at 7 on Tuesday?', 'Tuesday to Friday we are open from 6 am to 9 pm.'],
    ['are you open in May', 'We are open daily from April to October, 9 am to 5 pm.']
  ] as const) t.ok(judged(question, text).fit >= 0.6, `${question}: ${judged(question, text).fit}`)
  t.ok(judged('who owns the place', 'You may bring your own food.').fit < 0.6, 'own food is nobody\'s place')
  t.ok(judged('Do you sell helmets?', 'We hire out helmets.').fit < 0.6, 'what is hired out is not sold')
})

t.test('how many is answered by the number beside the thing, and an age by a range that it lies in', async (t) => {
  const text = 'You may keep books for 21 days. You can borrow six books at a time.'
  t.match(judged('how many books can I borrow', text).quoted.join(), /six books/)
  const rows = ['Ages 5 to 7 meet on Saturdays.', 'Ages 8 to 15 meet on Wednesdays.']
  const [young, old] = rows.map((row) => judged('my daughter is 6, is there a club for children?', row).fit) as [number, number]
  t.ok(young > old)
  t.ok(holdsAge('à partir de 14 ans', 15) && holdsAge('moins de 15 ans', 10) && !holdsAge('from 16 years', 12))
})

t.test('lists and hours by day are no rows of a table', async (t) => {
  // Was wrong: an item was left out of a list that was quoted as a row, and a day out of the hours.
  t.notOk(isRow('- Child seat: £2 a day\n- Helmet: free'))
  t.notOk(isRow('Montag: 9–18 Uhr\nDienstag: 10–19 Uhr'))
  t.notOk(isRow('April tot oktober: elke dag van 9.00 uur.\nNovember tot maart: dicht.'))
  // Was wrong: a row with a price for each season was none, and its prices stood under the next row's name.
  t.ok(isRow('Mobil-home 4 personnes\nBasse saison: 58 €\nJuillet et août: 95 €'))
  t.ok(isRow('Product: Kettle\nPrice: 49 €'))
})

t.test('courtesies are no part of a question, in any language', async (t) => {
  // Was wrong: after them an answered question was not answered.
  for (const [polite, plain] of [
    ['Hello there, I was just wondering if you could kindly tell me what shipping costs? Many thanks!', /^what shipping costs\?/],
    ['Guten Tag, können Sie mir bitte sagen, was der Versand kostet? Vielen Dank im Voraus', /^was der Versand kostet\?/],
    ['Buenos días, ¿me podría decir cuánto cuesta el envío? Gracias', /cuánto cuesta el envío\?/],
    ['Bonjour, pourriez-vous me dire combien coûte la livraison ? Merci', /^combien coûte la livraison \?/],
    ['Buongiorno, vorrei sapere quanto costa la spedizione. Grazie mille', /^quanto costa la spedizione/],
    // Was wrong: so much of these was left that nothing was found.
    ['Hallo, ich hätte da mal eine Frage, und zwar: was kostet der Versand? Vielen Dank schon mal!', /^was kostet der Versand\?$/],
    ['Hola, disculpen la molestia, quería preguntarles cuánto cuesta el envío. Gracias', /^cuánto cuesta el envío\.$/],
    ['Goedemiddag, ik had even een vraagje: wat kost de verzending? Groetjes Jan', /^wat kost de verzending\?$/]
  ] as const) t.match(withoutCourtesies(polite), plain)
  t.equal(withoutCourtesies('Hello'), 'Hello')
  t.equal(withoutCourtesies('please '.repeat(200)).length, 1400, 'a long message is left as it is')
})

t.test('Was wrong: who was politer than the table was told less: "si vous pourriez avoir l\'amabilité de me dire" was of the question', (t) => {
  for (const [polite, plain] of [
    ['I was hoping you might be able to let me know how long the passport is valid', 'how long the passport is valid'],
    ['I would be very grateful if somebody could inform me how long the passport is valid.', 'how long the passport is valid.'],
    ["Bonjour, je me demandais si vous pourriez avoir l'amabilité de me dire combien de temps le passeport est valable, merci d'avance", 'combien de temps le passeport est valable,'],
    ['Pourriez-vous avoir la gentillesse de m’indiquer où se trouve la mairie ?', 'où se trouve la mairie ?'],
    ['Bonjour, je me permets de vous écrire afin de savoir quand ouvre la mairie, cordialement', 'quand ouvre la mairie,'],
    ['Könnten Sie mir bitte kurz mitteilen, wann das Rathaus öffnet?', 'wann das Rathaus öffnet?'],
    ['Ich wollte mich mal erkundigen, wann das Rathaus öffnet', 'wann das Rathaus öffnet'],
    ['ich hätte gerne gewusst, wann das Rathaus öffnet', 'wann das Rathaus öffnet'],
    ['Sería tan amable de decirme cuándo abre el museo', 'cuándo abre el museo'],
    ['Potrebbe gentilmente dirmi quando apre il museo? Grazie mille in anticipo', 'quando apre il museo?']
  ] as const) t.equal(withoutCourtesies(polite).replaceAll(/\s+/g, ' ').trim(), plain, polite)
  t.end()
})

t.test('Was wrong: an address with the number behind the name of the road was none', (t) => {
  for (const text of ['Kiln Lane 3, Totnes.', 'Mill Road 12', 'rue de la Loi 16, 1000 Bruxelles', 'Avenue Louise 54', 'Place de l’Église 2']) {
    t.ok(kindsIn(text).has('address'), text)
  }
  for (const text of [
    'The lane 3 times', 'We are on High Street 10 am to 5 pm', 'Nous avons de la place pour 20 personnes', 'Place des enfants 12 ans', 'Swim Lane 3.50 £'
  ]) t.notOk(kindsIn(text).has('address'), text)
  const text = 'Kiln Lane 3, Totnes. Open Wednesday to Saturday, 11 am to 5 pm. Dogs may come in.'
  t.ok(judged("What's the address?", text, 'Visit us').confidence >= 0.35)
  t.end()
})

t.test('days between two days are meant, and countries lie somewhere', async (t) => {
  const days = (text: string) => conceptsIn(text, tokensOf(text), ['en']).map(({ concept }) => concept)
  t.ok(days('Tuesday to Saturday').includes('day:4'))
  t.notOk(days('Tuesday and Saturday').includes('day:4'))
  t.same(broader('country:FR'), ['eu', 'abroad'])
  t.same(broader('country:US'), ['abroad'])
  t.equal(languageOfQuestion('wann kommt', tokensOf('wann kommt'), []), 'de')
})

t.test('what comes first although nobody would be told of it gives way to what is surer', async (t) => {
  // Was wrong: nothing was known about deliveries, as the first of two passages was about paying, and unsure.
  const sense = { question: { language: 'en' }, weight: 1 }
  const order = (...sure: number[]) => inOrder(sense, sure.map((confidence, at) => ({
    text: '', score: 1, worth: -at, confidence, language: 'en'
  }))).map(({ confidence }) => confidence)
  t.strictSame(order(0.3, 0.2, 0.6, 0.9), [0.6, 0.3, 0.2, 0.9], 'one of the next two')
  t.strictSame(order(0.3, 0.6, 0.6), [0.6, 0.3, 0.6], 'the better of what is as sure')
  t.strictSame(order(0.3, 0.44, 0.2), [0.3, 0.44, 0.2], 'what is hardly surer does not')
  t.strictSame(order(0.36, 0.9), [0.36, 0.9], 'what may help stays first')
  t.strictSame(order(), [])
})

t.test('a word that is two things is told by what stands beside it', async (t) => {
  // Was wrong: "How do I store the cheese?" was answered with the shop, and a service wash was taken for repairs.
  const meant = (text: string) => conceptsIn(text, tokensOf(text), ['en']).map(({ concept }) => concept)
  for (const text of ['How do I store the cheese?', 'Can you store my bike?', 'It is best stored in the dark']) {
    t.ok(meant(text).includes('storage'), text)
  }
  t.ok(meant('Where is your store?').includes('shop'))
  t.notOk(meant('Where is your store?').includes('storage'))
  for (const text of ['Can you service my bike?', 'I want to have it serviced']) t.ok(meant(text).includes('repair'), text)
  for (const text of ['Service wash', 'Room service', 'Our services']) t.notOk(meant(text).includes('repair'), text)
  // Was wrong: books to borrow were appointments in German, whose verb for booking begins alike.
  const german = (text: string) => conceptsIn(text, tokensOf(text), ['de']).map(({ concept }) => concept)
  for (const text of ['Kann ich die Bücher nachts abgeben?', 'Habt ihr dieses Buch?']) {
    t.strictSame(german(text).filter((one) => one === 'book' || one === 'appointment'), ['book'], text)
  }
  for (const text of ['Kann ich das buchen?', 'Ist das buchbar?', 'Meine Buchung']) t.ok(german(text).includes('appointment'), text)
})

t.test('everyday words for what happens at a small place are known, in many languages', async (t) => {
  // Was wrong: 36 of 131 lost questions shared no word and no concept with the passage that answers them.
  for (const [question, text] of [
    ['What should I wear?', 'Please come in long trousers and closed shoes, and put on layers.'],
    ['What happens if it is stormy?', 'We do not ride in thunderstorms.'],
    ['Que se passe-t-il en cas d’orage ?', 'We do not ride in thunderstorms.'],
    ['One leg is wobbly', 'We glue joints that have come loose.'],
    ['My wife cannot climb stairs', 'There is level access to the ground floor.'],
    ['Wo kann ich mein Auto abstellen?', 'There are four parking spaces behind the house.'],
    ['¿Qué ropa llevo?', 'Dress warmly, in layers.'],
    ['Je suis malade', 'In case of illness bring a note from your doctor.'],
    ['Quel jour pour les poubelles ?', 'Bins are emptied on Tuesdays.'],
    ['¿Planchan camisas?', 'Shirts are ironed for £2.50 apiece.'],
    ['Há escadas?', 'There are stairs, and no lift.']
  ] as const) t.ok(judged(question, text).fit >= 0.45, `${question}: ${judged(question, text).fit}`)
})

t.test('from what age something is, is told in any words', async (t) => {
  // Was wrong: "plus de 6 ans" was no answer to "à partir de quel âge", which asked for a time of day besides.
  const told = ['plus de 6 ans', '23 or over', 'ab 6 Jahren', 'a partir de los 4 años', 'vanaf 4 jaar', '6 years and up']
  for (const text of told) t.ok(boundsAge(text), text)
  for (const text of ['from £20', 'from 5 pm', 'depuis 10 ans', 'seit 20 Jahren', 'à partir de 12 €']) t.notOk(boundsAge(text), text)
  const asked = analyse('À partir de quel âge ?', queryWords('À partir de quel âge ?', [['fr', 1]]), [['fr', 1]])
  t.notOk(asked.wants.has('time'))
  t.ok(judged('From what age?', 'Riders must be 12 or over.').fit > 0.8)
})

t.test('an amount in a table without a currency is a price', async (t) => {
  // Was wrong: a row with "from 120,00" had no price, so that it was not offered to who asked for one.
  for (const text of ['Item: Coat\nCleaned: 21,00', 'Item: Dress\nCleaned: from 120,00\nIroned: -', 'Item: Coat\nPrice: 21']) {
    t.ok(kindsIn(text).has('price'), text)
  }
  for (const text of ['Day: Monday\nOpen: 9.00', 'Item: Coat\nSize: 21']) t.notOk(kindsIn(text).has('price'), text)
})

t.test('months in which something is open are its opening times', async (t) => {
  // Was wrong: whether it is open in October was not answered by from when to when it is in a year.
  t.ok(judged('Are you open in June?', 'From 15 April to 30 September.').fit > 0.8)
})

t.test('when a place itself is on holiday is another thing than public holidays', async (t) => {
  // Was wrong: who asked whether it is closed for holidays in August was told, with certainty, of public holidays.
  const away = 'We are closed for our summer break in August.'
  const feast = 'On public holidays we open from 8 am to 1 pm.'
  for (const question of ['Habt ihr Betriebsferien?', '¿Cierran por vacaciones?', 'Siete in ferie?']) {
    t.ok(judged(question, away).fit > judged(question, feast).fit, question)
  }
})

t.test('what has all that was asked is offered, though others say as much', async (t) => {
  // Was wrong: "Quanto devo lasciare di acconto?" had no answer, as three passages spoke of deposits.
  const evidence: Evidence = {
    words: 0,
    heading: 0,
    sentence: 1,
    partly: 0,
    kind: 1,
    price: 0,
    sale: 0,
    time: 0,
    count: 0,
    ofPlace: 0,
    isForeign: 0,
    isOfOtherDays: 0,
    isPartial: 0,
    isRefused: false,
    isGeneral: false
  }
  const sure = (fit: number, { rivals = 2, elsewhere = 0, ...more }: Partial<Evidence & Beside> = {}) =>
    certaintyOf({ fit, evidence: { ...evidence, ...more } }, { lead: 0, rivals, elsewhere })
  t.ok(sure(1) >= 0.35 && sure(1) < 0.45, `${sure(1)}`)
  for (const one of [sure(0.8), sure(1, { partly: 1 }), sure(1, { elsewhere: 0.9 })]) t.ok(one < 0.35, `${one}`)
  t.ok(sure(1, { rivals: 0 }) > sure(1), 'where no other does, it is surer')
})

t.test('what customers fear, and who else may drive, is known in many languages', async (t) => {
  for (const [question, text] of [
    ['Ich bin Angstpatient', 'We offer laughing gas.'],
    ['¿Puede haber un segundo conductor?', 'An additional driver is £6 a day.'],
    ['Peut-on manger dehors ?', 'There are twelve tables on our terrace.'],
    ['Posso provarlo prima di comprare?', 'You may try it at home for a month.'],
    ['Kann man die ins Ausland mitnehmen?', 'You may not take it out of the country.'],
    ['Ik heb nog nooit gedanst', 'No experience needed.']
  ] as const) t.ok(judged(question, text).fit >= 0.45, `${question}: ${judged(question, text).fit}`)
})

t.test('a verb and a month of the same letters are told apart', async (t) => {
  // Was wrong: "May we eat our own food?" was a question about the month of May.
  const meant = (text: string) => conceptsIn(text, tokensOf(text), ['en']).map(({ concept }) => concept)
  t.notOk(meant('May we eat our own food?').includes('month:4'))
  for (const text of ['are you open in May', 'from May to June', 'until May']) t.ok(meant(text).includes('month:4'), text)
})

t.test('to call off is no call, and quand même asks for no time', async (t) => {
  // Was wrong: an answer without a telephone number was taken for half of one.
  const wants = (query: string, language: 'en' | 'fr') =>
    [...analyse(query, queryWords(query, [[language, 1]]), [[language, 1]]).wants]
  t.strictSame(wants('How do I call off a lesson?', 'en'), [])
  t.strictSame(wants('What number can I call?', 'en'), ['phone'])
  // Was wrong: who asked whether telephones are mended was told, with certainty, that there is no call centre.
  t.strictSame(wants('do you fix phones', 'en'), [])
  t.notOk(wants('Dois-je quand même payer ?', 'fr').includes('when'))
  t.ok(wants('Quand payer ?', 'fr').includes('when'))
})

t.test('a part of a longer phrase is another thing', async (t) => {
  // Was wrong: "Faites-vous des cartes cadeaux ?" was answered, with certainty, with which bank cards are accepted.
  const cards = 'Credit cards from 5 €, cash, no cheques.'
  t.ok(judged('Do you have gift cards?', cards).confidence < 0.65)
  t.ok(judged('Do you take credit cards?', cards).confidence > judged('Do you have gift cards?', cards).confidence)
})

t.test('a row that lacks the thing asked for is not offered for its other words', async (t) => {
  // Was wrong: the price of a screen for one phone was offered for another, as most words were the same.
  const query = 'How much is a screen for Pixelette?'
  const words = queryWords(query, [['en', 1]])
  const question = analyse(query, words, [['en', 1]])
  weigh(question, 10, { holding: () => 1, holdingItself: () => 0, holdingConcept: () => 1 })
  const passage = { text: 'Repair: Screen Aurorette\nPrice: £119\nTakes: 1 hour', heading: null, language: 'en' } as const
  const found = judge(question, passage, () => 0, 0.8)
  const confidence = Math.min(mostOf(found.evidence), certaintyOf(found, alone(found)))
  t.ok(confidence < 0.35, `${confidence}`)
})

t.test('short and impatient courtesies are no part of a question either', async (t) => {
  // Was wrong: only long and formal ones were stripped.
  for (const [polite, plain] of [
    ['hey quick q, are you open on sunday', /^are you open on sunday/],
    ['Hallo, ich wollte mal fragen ob ihr sonntags auf habt', /ihr sonntags auf habt$/],
    ['Wissen Sie zufällig, ob es einen Aufzug gibt?', /^es einen Aufzug gibt\?/],
    ['Bonjour, juste une petite question : savez-vous si je peux venir ?', /^je peux venir \?/],
    ['solo una domanda, sapete se avete il wifi', /^avete il wifi/],
    ['vraagje, weet u toevallig of er parkeerplaats is?', /^er parkeerplaats is\?/]
  ] as const) t.match(withoutCourtesies(polite), plain)
})

t.test('a short question without words of asking is told by its letters', async (t) => {
  // Was wrong: "¿Planchan camisas?" was read in the language of the pages, and nothing was found.
  for (const [text, language] of [['¿Planchan camisas?', 'es'], ['Plätze übrig?', 'de'], ['Czyścicie dywany?', 'pl']] as const) {
    t.equal(languageOfQuestion(text, tokensOf(text), [['en', 10]]), language, text)
  }
  t.equal(languageOfQuestion('shirts', tokensOf('shirts'), [['en', 10]]), 'en')
})

t.test('what tells a thing from another of its kind is asked for', async (t) => {
  // Was wrong: "How much is a small colony?" was answered, with certainty, with what looking at a colony costs.
  const text = 'The colony is looked at for 8 €.'
  const [small, any] = ['How much is a small colony?', 'How much is the colony?'].map((one) => judged(one, text, 'Your colony'))
  t.ok(small!.confidence < any!.confidence, `${small!.confidence}, ${any!.confidence}`)
})

t.test('the table names only concepts that it has, in languages that are written so', async (t) => {
  for (const [name, { under, near }] of concepts()) {
    const named = [under, ...(near ?? '').split(', ').map((one) => one.split(' ')[0])].filter(Boolean)
    t.ok(named.every((one) => concepts().has(one!) || /^(?:address|duration|day:\d|month:\d{1,2})$/.test(one!)), name)
  }
  t.ok(tongues().length >= 14)
  t.same(piecesOf('1. Write to us. "Really?" we said.', 'en').map(({ asks }) => asks).includes(true), false)
})

/** What a question becomes where the agent has these words, and which of them it takes for mistyped. */
function restatedFor (query: string, language: Language, own = '') {
  const spellings = new Spellings()
  for (const word of own.split(' ')) spellings.add(spellingOf(word))
  const steps = restated(query, queryWords(query, [[language, 1]]), { languages: [language, 'en'], spellings })
  let step = steps.next()
  while (!step.done) step = steps.next()
  return step.value
}

t.test('a mistyped word that stands nowhere is taken for one of the table', async (t) => {
  // Was wrong: only the agent's own words were considered, and corrected words were no concept.
  for (const [typed, meant, language] of [
    ['do you have a resturant', 'do you have a restaurant', 'en'],
    ['is there a laudnry', 'is there a laundry', 'en'],
    ['gibt es Parklpätze', 'gibt es parkplatze', 'de'],
    ['¿tienen bicicltas?', '¿tienen bicicletas?', 'es'],
    ['quiero un vono de diez clases', 'quiero un bono de diez clases', 'es'],
    ['can i cancle', 'can i cancel', 'en']
  ] as const) t.equal(restatedFor(typed, language), meant)
  t.equal(restatedFor('waht is a widget', 'en'), 'what is a widget', 'words of asking are mistyped too')
  t.equal(restatedFor('do you sell kettels', 'en', 'kettles'), 'do you sell kettels', 'the agent has the word: it is found by its spelling')
})

t.test('another word is no mistyped one', async (t) => {
  for (const query of ['do you sell milk shakes', 'are there lasers', 'who is the prime minister', 'do you sell tents']) {
    t.equal(restatedFor(query, 'en'), query)
  }
  t.equal(restatedFor(`do you sell ${'x'.repeat(30)}`, 'en'), `do you sell ${'x'.repeat(30)}`)
})

t.test('compounds that stand nowhere are the words that they are made of', async (t) => {
  // Was wrong: except in German a compound that no page has was one unknown word.
  t.equal(restatedFor('verkopen jullie tuinstoelen', 'nl', 'tuin stoelen'), 'verkopen jullie tuin stoelen')
  t.equal(restatedFor('har ni barncyklar', 'sv', 'cyklar'), 'har ni barn cyklar')
  t.equal(restatedFor('Wo ist der Schwimmkurspreis?', 'de', 'schwimmkurs'), 'Wo ist der schwimmkurs preis?')
  t.equal(restatedFor('onko teillä saunapyyhe', 'fi', 'sauna pyyhe'), 'onko teillä sauna pyyhe')
  t.equal(restatedFor('do you have gardenchairs', 'en', 'garden chairs'), 'do you have gardenchairs', 'not in English')
})

t.test('sat and sun are days only beside what says so', async (t) => {
  const days = (text: string) => conceptsIn(text, tokensOf(text), ['en']).filter(({ concept }) => concept.startsWith('day:'))
  for (const day of ['open on sat?', 'sat morning', 'till sun', 'sun 10-4', 'sat']) t.not(days(day).length, 0, day)
  for (const none of ['we sat in the yard', 'a terrace in the sun', 'sun cream']) t.equal(days(none).length, 0, none)
  t.strictSame(new Set(days('on weekdays').map(({ concept }) => concept)), new Set([1, 2, 3, 4, 5].map((day) => `day:${day}`)))
})

t.test('days on which this and that takes place are no opening hours', async (t) => {
  // Was wrong: "what time do you close" was answered by a timetable, with certainty.
  const timetable = 'Chess runs on Monday and Wednesday at 7 pm. Bridge is on Tuesday, Thursday and Friday at 6 pm. Darts are on Saturday at 3 pm.'
  const own = 'We are there from 10 am to 10 pm on weekdays and from noon to 8 pm at weekends.'
  const [games, hours] = [judged('what time do you close', timetable, 'Games'), judged('what time do you close', own, 'When to come')]
  t.ok(hours.confidence > games.confidence && games.confidence < 0.65, `${games.confidence}, ${hours.confidence}`)
  const byDay = 'Monday: 9 am to 5 pm\nTuesday: 9 am to 5 pm\nWednesday: 9 am to 1 pm\nThursday: 9 am to 5 pm\nFriday: 9 am to 3 pm'
  t.ok(judged('what time do you close', byDay, 'When to come').confidence >= 0.65)
})

t.test('where it is, asks for the address; when a season ends, for its months', async (t) => {
  for (const question of ['where is it?', 'wo ist das denn', 'c’est où']) {
    t.match(judged(question, 'We have a garden.\n\nYou find us at 14 Mill Lane, Bristol.').quoted.join(), /14 Mill Lane/, question)
  }
  t.ok(judged('when are you open', 'We are open from 1 April to 15 October.', 'The year').confidence >= 0.35)
})

t.test('what was asked about by a name that is nowhere is not answered for its other words', async (t) => {
  // Was wrong: "Do you have a shop in Leeds?" was answered by the hours of the only shop.
  const text = 'The shop is open from Tuesday to Saturday, 9 am to 6 pm.'
  const confidence = (query: string) => {
    const words = queryWords(query, [['en', 1]])
    const question = analyse(query, words, [['en', 1]])
    const held = (word: { plain: string }) => (text.toLowerCase().includes(word.plain) ? 1 : 0)
    weigh(question, 10, { holding: held, holdingItself: held, holdingConcept: () => 1 })
    const found = judge(question, { text, heading: 'Opening hours', language: 'en' }, () => 0, 0)
    return Math.min(mostOf(found.evidence), certaintyOf(found, alone(found)))
  }
  t.ok(confidence('Do you have a shop in Leeds?') < 0.35)
})

t.test('words that are others once their marks are gone stand for nothing', async (t) => {
  // Was wrong: Swedish "har" was hair, Spanish "unas" nails, Danish "tage" fog, Italian "persona" something lost.
  for (const [language, text, not] of [
    ['sv', 'vad har ni', 'hair'], ['da', 'hvad har I', 'hair'], ['es', 'hay unas mesas', 'nails'], ['es', 'dónde se puede', 'donate'],
    ['da', 'kan jeg tage', 'weather'], ['it', 'per persona', 'lost'], ['sv', 'kan man', 'men'], ['nl', 'mag ik komen', 'bowl'],
    ['de', 'wie lange', 'size'], ['fr', 'sur la table', 'safety'], ['en', 'can I train here', 'transport']
  ] as const) {
    t.notOk(conceptsIn(text, tokensOf(text), [language], true).some(({ concept }) => concept === not), `${text}: ${not}`)
  }
})

t.test('what customers say is known in every larger language of the table', async (t) => {
  const all = 'en de fr es it nl pt sv da pl cs'.split(' ') as Language[]
  const missing = [...concepts()].flatMap(([name, row]) =>
    all.filter((language) => !(language in row)).map((language) => `${name} ${language}`))
  t.ok(missing.length < 30, missing.join(', '))
  for (const [language, question, concept] of [
    ['it', 'ho ricevuto un articolo sbagliato', 'wrongitem'], ['nl', 'er ontbreekt iets', 'missing'], ['sv', 'finns den kvar i lager', 'stock'],
    ['pt', 'é à prova de água?', 'waterproof'], ['da', 'er prisen inklusive morgenmad', 'included'], ['pl', 'czy to jest nietoksyczne i bezpieczne', 'safety'],
    ['de', 'brauche ich eine Vollmacht', 'proxy'], ['fr', 'je suis au chômage', 'lowincome'], ['es', 'no estoy en casa', 'nothome'],
    ['it', 'ho il lavandino intasato', 'drain'], ['en', 'do you come out to the house', 'homevisit'], ['de', 'haben Sie auch Rotwein', 'wine'],
    ['en', 'who has to sign', 'signature'], ['it', 'farlo', null], ['es', 'quiero hacerlo', null]
  ] as const) {
    const { units } = analyse(question, queryWords(question, [[language, 1]]), [[language, 1]])
    const isThere = concept === null
      ? units.length === 0
      : units.some(({ primary, concepts }) => primary === concept || concepts.has(concept))
    t.ok(isThere, question)
  }
})

t.test('core concerns are told in every larger language, and in new words', async (t) => {
  for (const [language, question, concept] of [
    // Was wrong: each of these was nothing of the table, or another thing.
    ['nl', 'waar kan ik mijn auto kwijt?', 'parking'], ['pl', 'nie mogę przyjść w środę', 'cancel'], ['cs', 'Můžu platit kartou?', 'card'],
    ['da', 'Kan jeg flytte min tid?', 'reschedule'], ['sv', 'jag kan inte komma', 'cancel'], ['fr', 'on ne peut plus venir', 'cancel'],
    ['it', 'ho scordato la borsa', 'lost'], ['en', 'is there an audio guide?', 'audioguide'], ['es', '¿Hasta cuándo dura la exposición?', 'exhibition'],
    ['de', 'machen Sie Mittagspause?', 'hours'], ['en', 'do you cut wood to size?', 'cuttosize'], ['fr', 'vous fournissez le matériel ?', 'provided'],
    ['pt', 'têm desconto para irmãos?', 'sibling'], ['de', 'wie lange dauert die Eingewöhnung?', 'settlingin'], ['en', 'can you digitise my slides?', 'digitising']
  ] as const) {
    t.ok(isAbout(question, language, concept), question)
  }
})

t.test('what customers ask in sixty trades is known in each larger language', async (t) => {
  for (const [language, question, concept] of [
    // Was wrong: each of these was nothing of the table, or another thing.
    ['en', 'my tap is dripping', 'tap'], ['de', 'bei mir ist eine Sicherung rausgeflogen', 'electrician'], ['fr', 'vous posez du papier peint ?', 'wallpaper'],
    ['es', '¿hacen mudanzas?', 'removals'], ['it', 'quanto costa la foratura, ho bucato', 'puncture'], ['nl', 'hoe diep is het bad', 'pooldepth'],
    ['pt', 'preciso de touca?', 'bathingcap'], ['pl', 'jestem po egzaminie teoretycznym', 'theorytest'], ['sv', 'kan min kanin få tid', 'rabbits'],
    ['da', 'klipper I kløer på hunde?', 'claws'], ['cs', 'potřebuje pes náhubek?', 'aggressive'], ['de', 'kann ich mit dem Laptop arbeiten', 'laptopwork'],
    ['en', 'are the bottles on deposit, can I return empties', 'bottledeposit'], ['fr', 'peut-on cueillir des fraises soi-même, en libre cueillette ?', 'pickyourown'],
    ['es', 'me he quedado fuera de casa', 'locksmith'], ['it', 'si è accesa la spia motore', 'warninglight'], ['nl', 'wat is het eigen risico', 'damagexcess'],
    ['pt', 'fazem encadernação de teses?', 'binding'], ['pl', 'chcę zastrzec kartę', 'blockcard'], ['sv', 'är bastun blandad, finns det en damdag', 'mixedsauna'],
    ['da', 'hvor er den nærmeste hæveautomat', 'atm'], ['cs', 'chci nechat pokřtít dítě', 'baptism'], ['en', 'do you serve oat milk', 'oatmilk'],
    ['de', 'ist der Film in Originalfassung mit Untertiteln', 'subtitles'], ['fr', 'combien coûte la cotisation annuelle', 'membershipfee'],
    ['es', 'necesito el certificado de antecedentes penales', 'criminalrecord'], ['it', 'mi sono trasferito da poco', 'residence'],
    ['nl', 'hebben jullie een beamer', 'projector'], ['pt', 'posso trazer pipocas', 'ownsnacks'], ['pl', 'od której jest cisza nocna', 'noise']
  ] as const) {
    t.ok(isAbout(question, language, concept), question)
  }
})

t.test('of what is said of one thing of a kind no other is answered', async (t) => {
  // Was wrong: small animals were one concept, and who asked for one was told of another as if it were sure.
  for (const animal of ['guinea pigs', 'parrots', 'hamsters', 'snakes']) {
    const { confidence } = judged(`do you treat ${animal}`, 'We treat rabbits.', 'Animals', 0.9)
    t.ok(confidence < 0.65, `${animal}: ${confidence}`)
  }
  t.ok(judged('do you treat rabbits', 'We treat rabbits.', 'Animals', 0.9).confidence >= 0.65)
  t.ok(judged('do you have soy milk', 'Plant milk costs 40 cents more.').confidence >= 0.35)
})

t.test('what only sentences beside the question say counts less than what is asked', async (t) => {
  // Was wrong: a wheelchair was asked about, and nothing answered, as no passage says anything of a mother.
  const query = 'My mother Elfriede is a keen gardener. Is there a lift?'
  const weighed = (query: string) => {
    const question = analyse(query, queryWords(query, [['en', 1]]), [['en', 1]])
    weigh(question, 10, { holding: () => 0, holdingItself: () => 0, holdingConcept: () => 1 })
    return new Map(question.units.map(({ primary, words, weight }) => [primary ?? words[0]!.plain, weight]))
  }
  const [beside, alone] = [weighed(query), weighed('My mother Elfriede is a keen gardener')]
  t.ok(beside.get('elfriede')! < alone.get('elfriede')! / 2)
  t.equal(beside.get('accessibility'), weighed('Is there a lift?').get('accessibility'))
  const asked = weighed('I have a question. Is there a lift at the pool?')
  t.equal(asked.get('accessibility'), beside.get('accessibility'), 'what is asked loses nothing')
})

t.test('to pay by card is not to pay in any way', async (t) => {
  // Was wrong: two passages about who pays for what stood beside the answer, as good as the one about cards.
  const query = 'Can I pay by card?'
  const [card, other] = [judged(query, 'We take cards.'), judged(query, 'You pay for the parcel that you return.')]
  t.ok(card.fit > other.fit + 0.1, `${card.fit} ${other.fit}`)
})

t.test('a list of prices for some work need not name it in each row', async (t) => {
  // Was wrong: what it costs to shorten trousers was not answered by the row "Trouser hem": it was another thing's.
  const row = 'Job: Trousers\nPrice: 8 €\nRemarks: by Friday'
  t.ok(judged('How much is it to shorten trousers?', row).confidence > judged('How much is it to shorten curtains?', row).confidence + 0.1)
  const kettle = 'Product: Aurora kettle\nPrice: 49 €'
  t.ok(judged('How much is it to repair the Solstice toaster?', kettle).confidence < 0.35, 'another thing is still another')
})

t.test('tomorrow is no express delivery, a mountain nothing to install and a bouquet no booking', async (t) => {
  // Was wrong: "j'ai un empêchement demain" was half a question about express parcels.
  for (const [language, text, not] of [
    ['fr', 'un empêchement demain', 'express'], ['it', 'domani ho la febbre', 'express'], ['es', 'no puedo ir mañana', 'express'],
    ['en', 'a mountain bike', 'install'], ['nl', 'mijn boeket', 'appointment']
  ] as const) {
    t.notOk(conceptsIn(text, tokensOf(text), [language], true).some(({ concept }) => concept === not), `${text}: ${not}`)
  }
})

t.test('where somebody is asks for no time', async (t) => {
  // Was wrong: "¿Dónde estáis?" was not answered with the address, as it had no time of day.
  for (const [language, query] of [['es', '¿Dónde estáis?'], ['en', 'Where are you?'], ['de', 'Wo seid ihr?']] as const) {
    t.strictSame([...analyse(query, queryWords(query, [[language, 1]]), [[language, 1]]).wants], ['address'], query)
  }
  const query = '¿Cuándo estáis?'
  t.ok(analyse(query, queryWords(query, [['es', 1]]), [['es', 1]]).wants.has('time'))
})

t.test('a road may have an article, and canals and dikes are roads', async (t) => {
  // Was wrong: where a place is was not answered, as its road was none.
  for (const road of ['via delle Rose 18', 'Calle de la Luna 3', 'rua do Sol', "Via dell'Orto 2", 'Herengracht 12', 'Am Fischmarkt 3']) {
    t.ok(kindsIn(`Wir sind hier: ${road}.`).has('address'), road)
  }
  for (const none of ['via e-mail', 'via de website', 'la calle es larga']) t.notOk(kindsIn(none).has('address'), none)
})

t.test('times of day need no mark where the words beside them tell, and ages and amounts are none', async (t) => {
  // Was wrong: when breakfast is was answered by a sentence beside "Served from 8 till 9.15", which had no time.
  for (const text of [
    'Served from 8 till 9.15 in the dining room', 'We are here 9 until 5', 'open from 9.30 to 4', 'Please leave by 10 on the day you go',
    'in bed by ten, so', 'Frühstück um acht', 'hasta las diez', 'à 10 heures', 'dalle nove', 'om tien uur'
  ]) t.ok(kindsIn(text).has('time'), text)
  t.ok(kindsIn('Served from 8 till 9.15').has('hours'))
  for (const text of [
    'Children from 3 to 12', 'für Kinder von 3 bis 12', 'reduced by 10%', 'from 4 to 8 people', 'until 10 people have come', 'for ten of us'
  ]) t.notOk(kindsIn(text).has('time') || kindsIn(text).has('hours'), text)
  for (const [language, query] of [['en', 'What time is breakfast?'], ['it', 'A che ora è la colazione?'], ['de', 'Um wie viel Uhr ist Frühstück?']] as const) {
    t.ok(analyse(query, queryWords(query, [[language, 1]]), [[language, 1]]).wants.has('time'), query)
  }
})

t.test('a row that names the thing may say in other words what is done to it', async (t) => {
  // Was wrong: what it costs to mend a puncture was answered, surely, by what is charged for keeping a bicycle.
  const [row, other] = ['Job: Repair puncture\nPrice: 9 €', 'Job: Quote\nPrice: free\nRemarks: if mending it takes longer']
  const query = 'How much is it to mend a puncture?'
  t.ok(judged(query, row).fit > judged(query, other).fit + 0.3)
  t.ok(judged('Do you sell scooters?', 'Job: Repair scooter\nPrice: 9 €').fit < judged('Do you sell scooters?', 'Item: Scooter\nPrice: 90 €').fit)
})

t.test('who is of an age is meant where the age is, and how much, said last, is the price', async (t) => {
  // Was wrong: what something costs for a boy of 15 was not answered by the row "up to 17 years".
  const query = 'What does a cleaning cost for a child of 15 years?'
  t.ok(judged(query, 'Service: Cleaning up to 17 years\nPrice: 55 €').fit > judged(query, 'Service: Cleaning from 18 years\nPrice: 95 €').fit)
  // Was wrong: "wynajem sali ile" asked how many of something.
  for (const [language, query] of [['pl', 'wynajem sali ile'], ['es', 'alquilar la sala, ¿cuánto?'], ['fr', 'la salle, combien ?']] as const) {
    const { wants } = analyse(query, queryWords(query, [[language, 1]]), [[language, 1]])
    t.ok(wants.has('price') && !wants.has('count'), query)
  }
  const free = 'When do I get free delivery?'
  t.strictSame([...analyse(free, queryWords(free, [['en', 1]]), [['en', 1]]).wants], [], 'from what amount on, and not when')
})

/** How well a text of one language answers a question in another. */
const judgedIn = (query: string, asked: Language, text: string, language: Language) => {
  const question = analyse(query, queryWords(query, [[asked, 1]]), [[asked, 1]])
  weigh(question, 10, { holding: () => 1, holdingItself: () => 0, holdingConcept: () => 1 })
  return judge(question, { text, heading: null, language }, () => 0, 0)
}

t.test('what other people of a language call a thing is no other row', async (t) => {
  // Was wrong: "How much is a cholesterol test?" was not answered by a row in Spanish, as that had no word "test".
  const row = 'Servicio: Análisis de colesterol\nPrecio: 12 €'
  const asked = 'How much is a cholesterol test?'
  t.ok(judgedIn(asked, 'en', row, 'es').fit > 1.5 * judgedIn(asked, 'en', row.replace('Análisis', 'Analysis'), 'en').fit)
})

t.test('the day that is asked for, a part of the day and weekdays are answered by when something is', async (t) => {
  // Was wrong: on which day the mayor sees people was answered by the address of the town hall as well.
  for (const [language, query] of [['fr', 'Quel jour peut-on voir le maire ?'], ['de', 'An welchem Tag kommt der Müll?'], ['en', 'Which day is it?']] as const) {
    t.ok(analyse(query, queryWords(query, [[language, 1]]), [[language, 1]]).wants.has('when'), query)
  }
  // Was wrong: "por la tarde" was to be late, and "in the week" a word that no page had.
  for (const [language, query] of [['es', '¿A qué hora abren por la tarde?'], ['en', 'what time do you open in the week']] as const) {
    const { units } = analyse(query, queryWords(query, [[language, 1]]), [[language, 1]])
    t.ok(units.every(({ primary, concepts }) => primary === 'hours' || (concepts.get('hours') ?? 0) >= 0.8), query)
  }
})

t.test('another thing of the same kind answers little, and what time something is asks for no opening hours', async (t) => {
  // Was wrong: whether a hairdresser does manicures was answered by what plucking eyebrows costs, as both are beauty.
  const eyebrows = 'We shape eyebrows and lashes.'
  t.ok(judged('Do you do manicures?', eyebrows).fit < 0.5)
  t.ok(judged('Do you do lashes?', eyebrows).fit > judged('Do you do manicures?', eyebrows).fit + 0.3)
  // Was wrong: "a che ora si fa colazione" was half a question about when the house is open.
  const query = 'a che ora si fa colazione'
  const { units, wants } = analyse(query, queryWords(query, [['it', 1]]), [['it', 1]])
  t.ok(wants.has('time') && units.every(({ primary, share }) => primary !== 'hours' || share < 1))
  t.ok(kindsIn('La serviamo dalle 8 alle 10: torte').has('hours'))
})

t.test('a word of a language that no page is in weighs little where no table knows it', async (t) => {
  // Was wrong: "How much is the grape juice per bottle?" was not answered by a row about "Traubensaft".
  const shareIn = (pages: Language) => {
    const query = 'How much is the grape juice per carafe?'
    const { units } = analyse(query, queryWords(query, [[pages, 1]]), [[pages, 1]])
    return units.find(({ words }) => words.some(({ plain }) => plain === 'carafe'))?.share
  }
  t.equal(shareIn('en'), 1)
  t.ok(shareIn('de')! < 0.5)
})

t.test('a way to pay that is asked for by its name is no other one', async (t) => {
  // Was wrong: whether one may pay with Satispay was surely answered by the coin that a locker takes.
  for (const [language, query, text] of [
    ['it', 'si può pagare con satispay', 'Per gli armadietti serve una moneta da 1 €.'],
    ['en', 'Can I pay with Apple Pay?', 'The lockers take one pound coins.'],
    ['de', 'Kann ich mit Apple Pay zahlen?', 'Wir nehmen nur Bargeld.']
  ] as const) {
    const named = judgedIn(query, language, text, language).fit
    t.ok(named < 0.6, `${query} ${named}`)
  }
  t.ok(judgedIn('Kann ich bar zahlen?', 'de', 'Wir nehmen nur Bargeld.', 'de').fit > 0.6)
})

/** How sure a passage is in an agent that has these words nowhere. */
function surenessWithout (
  nowhere: string[], query: string, text: string, heading: string | null, words: number
): number {
  const question = analyse(query, queryWords(query, [['en', 1]]), [['en', 1]])
  const holding = ({ plain }: { plain: string }) => nowhere.includes(plain) ? 0 : 1
  weigh(question, 10, { holding, holdingItself: holding, holdingConcept: () => 1 })
  const found = judge(question, { text, heading, language: 'en' }, () => 0, words)
  return Math.min(mostOf(found.evidence), certaintyOf(found, alone(found)))
}

t.test('Was wrong: what stands nowhere, or in another row, was answered with what has the other words of the question', async (t) => {
  const booking = 'Book online or ring us. A deposit of £20 secures your pitch.'
  t.ok(surenessWithout(['yurt'], 'can we book a yurt', booking, 'Booking', 0.6) < 0.35)
  t.ok(surenessWithout([], 'can we book a pitch', booking, 'Booking', 0.6) >= 0.35)
  t.ok(surenessWithout(['dollars'], 'do you take dollars from tourists', 'We take a tourist tax.', null, 0.7) < 0.35)
  const row = 'Treatment: Consultation\nDog: £48\nCat: £45'
  t.ok(surenessWithout(['hamster'], 'how much is a hamster consultation', row, 'Fees', 0.8) < 0.35)
  t.ok(surenessWithout([], 'how much is a cat consultation', row, 'Fees', 0.8) >= 0.65)
})

t.test('Was wrong: a table whose first column has no name was cut into its cells', async (t) => {
  const row = 'Grass pitch, tent\nLow season: £21\nHigh season: £27'
  t.ok(isRow(row))
  t.equal(sentenceOfRow(row), 'Grass pitch, tent: Low season £21, High season £27')
  t.strictSame(judged('how much is a pitch for a tent in high season', `${row}\n\nDog\nLow season: £2\nHigh season: £2`).quoted, [row])
  for (const block of ['Opening hours\nMonday: 9 to 5', 'We are here for you.\nTelephone: 020 7946 0000', 'Come by.']) t.notOk(isRow(block), block)
})

t.test('Was wrong: who is paid was a way to pay, and a brand of card was any card', async (t) => {
  t.ok(judged('can I pay by bank transfer', 'Those who arrive on foot pay £11 each.', 'Hikers').fit < 0.6)
  t.ok(judged('can I pay by bank transfer', 'Pay by card or bank transfer.', 'Payment', 0.6).confidence >= 0.65)
  t.ok(judged('Do you take American Express?', 'We take cash and cards.', null, 0.3).confidence < 0.65)
  t.ok(judged('Do you take American Express?', 'We take cards, but no Amex.', 'Payment', 0.3).confidence >= 0.65)
})

t.test('Was wrong: by the name of a column each row was what only one of them is, and the first of them was quoted', (t) => {
  const rows = ['single kayak', 'double kayak', 'canoe'].map((boat, at) => `Kayak or canoe: ${boat}\nper day: ${20 + at} €`)
  const { quoted } = judged('what does a canoe cost per day', `Kayak or canoe | per day\n\n${rows.join('\n\n')}`, 'Boats')
  t.match(quoted, [/: canoe/])
  t.end()
})

t.test('Was wrong: of several rows that may be meant the first was stated as the answer', (t) => {
  const table = (...names: string[]) => names.map((name, at) => `Service: ${name}\nPrice: £${20 + at}`).join('\n\n')
  const hair = table("Women's haircut", "Men's haircut", "Kids' haircut", 'Beard trim')
  const asked = judged('How much is a haircut?', hair)
  t.equal(asked.quoted.length, 3, 'each haircut is told')
  t.ok(asked.confidence >= 0.65)
  t.match(judged("How much is a men's haircut?", hair).quoted, [/^Service: Men's/])
  // None of them is it: "How much is a perm?" was surely answered by a haircut, a tetanus shot by one against flu.
  const shots = table('Yellow fever vaccination', 'Rabies vaccination', 'Check-up')
  for (const [question, text] of [['How much is a perm?', hair], ['How much is a tetanus shot?', shots]] as const) {
    const there = { holding: () => 1, holdingItself: () => 0, holdingConcept: () => 1 }
    t.ok(judged(question, text, null, 0, there).confidence < 0.65, question)
  }
  const free = 'Service: Flu vaccination\nPrice: free\n\nService: Rabies vaccination\nPrice: £30'
  t.equal(judged('How much is a vaccination?', free).quoted.length, 2, 'what is free is told beside what has a price')
  t.end()
})

t.test('Was wrong: the row of a thing with another name was surely what was asked for: a manicure for a pedicure', (t) => {
  const table = (...names: string[]) => names.map((name, at) => `Name: ${name}\nPrice: £${20 + at}`).join('\n\n')
  const there = (...words: string[]) => ({
    ...EVERYWHERE, holdingItself: ({ plain }: QueryWord) => words.includes(plain) ? 1 : 0
  })
  for (const [question, name, other, ...words] of [
    ['How much is a pedicure?', 'Manicure', 'Massage'], ['How much is apple juice?', 'Orange juice', 'Cheesecake', 'juice'],
    ['How much is a coffee?', 'Espresso', 'Cheesecake'], ['How much is a cake?', 'Cheesecake', 'Espresso']
  ] as const) {
    const { confidence, quoted } = judged(question, table(name, other), null, 0, there(...words))
    t.ok(confidence < 0.65, `${question}: ${confidence}`)
    t.match(quoted, [new RegExp(name)], 'it may help')
  }
  // What is done to a thing, and what is sent, are said in many words.
  for (const [question, name, word] of [
    ['How much is it to fix a puncture?', 'Puncture repair', 'puncture'], ['How much is postage?', 'Shipping', 'x']
  ] as const) t.ok(judged(question, table(name, 'New bell'), null, 0, there(word)).confidence >= 0.65, question)
  t.end()
})

t.test('Was wrong: a row that shares only what a thing is made of was surely that thing: a leather wallet for a bag', (t) => {
  const table = (...names: string[]) => names.map((name, at) => `Name: ${name}\nPrice: £${20 + at}`).join('\n\n')
  const there = (name: string) => ({
    ...EVERYWHERE, holdingItself: ({ plain }: QueryWord) => name.includes(plain) ? 1 : 0
  })
  for (const [question, name, elsewhere, heading] of [
    ['How much is a leather bag?', 'Leather wallet', 'leather bag', 'Prices'],
    ['How much is a leather bag?', 'Leather wallet', 'leather bag', 'Leather goods'],
    ['How much is a leather bag?', 'Cotton bag', 'leather bag', 'Prices'],
    ['How much is a silver ring?', 'Silver chain', 'silver ring', 'Prices'],
    ['How much is a ring of silver?', 'Ring of gold', 'silver ring', 'Prices'],
    ['How much is a linen dress?', 'Linen shirt', 'linen dress', 'Prices']
  ] as const) {
    const { confidence } = judged(question, table(name, 'Umbrella'), heading, 0.8, there(elsewhere))
    t.ok(confidence < 0.65, `${question} ${name}: ${confidence}`)
  }
  for (const [question, name, elsewhere, heading] of [
    ['How much is a leather bag?', 'Bag, brown leather', 'leather bag', 'Prices'],
    ['How much is a silver ring?', 'Ring, silver', 'silver ring', 'Prices'],
    ['How much is a coffee?', 'Espresso', 'coffee', 'Coffee']
  ] as const) {
    const { confidence } = judged(question, table(name, 'Umbrella'), heading, 0.8, there(elsewhere))
    t.ok(confidence >= 0.65, `${question} ${name}: ${confidence}`)
  }
  const isJoined = (query: string, language: Language) =>
    analyse(query, queryWords(query, [[language, 1]]), [[language, 1]]).units.some((unit) => unit.isJoined)
  t.ok(isJoined('¿Cuánto cuesta un anillo de plata?', 'es'))
  t.notOk(isJoined('quanto custa tirar um dente do siso', 'pt'), 'what is done to a thing has many names')
  t.end()
})

t.test('Was wrong: the head of a table with a number in it was quoted as an answer', (t) => {
  const text = 'Boat | from 14 days\n\nBoat: canoe\nfrom 14 days: 19 €\n\nBoat: kayak\nfrom 14 days: 17 €'
  t.match(judged('from how many days on is a boat cheaper?', text).quoted, [/^Boat: /])
  t.end()
})

t.test('Was wrong: what is so for cats was sure for who asked about a dog, of which the agent speaks elsewhere', (t) => {
  const found = judged('must my dog be vaccinated', 'Cats must be vaccinated and neutered.', 'Cats', 0.9)
  t.ok(found.confidence < 0.65, String(found.confidence))
  t.ok(judged('must my cat be vaccinated', 'Cats must be vaccinated and neutered.', 'Cats', 0.9).confidence >= 0.65)
  t.ok(judged('may I bring my dog', 'Pets are welcome. You may bring them.', null, 0.9).confidence >= 0.65)
  t.end()
})

t.test('Was wrong: Sonn- und Feiertage were no Sunday', (t) => {
  const days = (text: string, tongue: string) =>
    conceptsIn(text, tokensOf(text), [tongue]).map(({ concept }) => concept)
  t.ok(days('Sonn- und Feiertage: geschlossen', 'de').includes('day:0'))
  t.ok(days('Op zon- en feestdagen gesloten', 'nl').includes('day:0'))
  t.ok(days('Sön- och helgdagar stängt', 'sv').includes('day:0'))
  t.ok([...sight('Op zon- en feestdagen gesloten', 'nl', 'nl').concepts].includes('holidays'), 'and holidays all the same')
  t.notOk(days('Zit in de zon', 'nl').includes('day:0'))
  t.end()
})

t.test('Was wrong: what a night costs was asked of anything that has a price', (t) => {
  const { units } = analyse('how much is a night', queryWords('how much is a night', [['en', 1]]), [['en', 1]])
  t.ok(units.some(({ concepts }) => concepts.has('room')))
  t.notOk(conceptsIn('open at night', tokensOf('open at night'), ['en']).some(({ concept }) => concept === 'night'))
  t.end()
})

t.test('Was wrong: when in the middle of a question asked for a time', (t) => {
  const wants = (query: string) => analyse(query, queryWords(query, [['en', 1]]), [['en', 1]]).wants
  t.notOk(wants('What discount is there when a repair is too expensive?').has('when'))
  t.ok(wants('When does the course begin?').has('when'))
  t.ok(wants('and when does it end').has('when'))
  t.end()
})

t.test('Was wrong: after what something is so was not when it is', (t) => {
  const sentence = 'After five wrong attempts the account is locked.'
  t.ok(judged('When is the account locked?', sentence, null, 0.9).confidence >= 0.65)
  t.ok(judged('When is the account locked?', 'The account is locked.', null, 0.9).confidence < 0.65)
  t.end()
})

t.test('Was wrong: in a list of what is washed only what says so again had a price', (t) => {
  const rows = 'Service: Wash up to 5 kg\nPrice: 9 €\n\nService: Quilt\nPrice: 22 €\n\nService: Rug\nPrice: 12 €'
  const found = judged('how much is it to wash a quilt', rows, null, 0.6)
  t.match(found.quoted, [/Quilt/])
  t.ok(found.confidence >= 0.35, String(found.confidence))
  t.end()
})

t.test('Was wrong: under the name of the place its address was that of a part of it', (t) => {
  const text = 'You find us at 18 Cuba Street, beside the market.'
  const confidence = (heading: string) => judged('Where are you?', text, heading, 0.1).confidence
  t.ok(confidence('Sparkle Laundry') >= 0.35, String(confidence('Sparkle Laundry')))
  t.ok(confidence('Sparkle Laundry') > confidence('Sparkle Laundry › Café'))
  t.end()
})

t.test('Was wrong: of Mo–Fr and lun–ven no day was known, and the 00 of an hour was a toilet', (t) => {
  const days = (text: string, tongue: string) => conceptsIn(text, tokensOf(text), [tongue])
    .map(({ concept }) => concept).filter((one) => /^day:|toilet/.test(one)).toSorted().map((one) => one.replace('day:', '')).join('')
  for (const [tongue, text, known] of [
    ['de', 'Mo–Fr 9:00–18:30, Sa 9:30–14:00', '123456'], ['de', 'Mo, Mi und Fr 8-12 Uhr', '135'], ['de', 'So geschlossen', '0'],
    ['fr', 'lun-ven 9h-18h', '12345'], ['nl', 'ma t/m vr 9.00-17.00 uur', '12345'], ['pl', 'pn-pt 8:00-16:00', '12345'],
    ['es', 'lun a vie 9:00', '12345'], ['sv', 'mån–fre 10–18', '12345'],
    ['de', 'so 5 Tage dauert es', ''], ['de', 'Fr. 9.50', ''], ['fr', 'la mer à 5 minutes', ''], ['da', 'man kan 9 gange', '']
  ] as const) t.equal(days(text, tongue), known, text)
  t.end()
})

t.test('Was wrong: how big a deposit is was asked for its size, and how many there are for a quantity beside', async (t) => {
  const unitsOf = (query: string) => {
    const { units, wants } = analyse(query, queryWords(query, [['en', 1]]), [['en', 1]])
    return [units.map(({ primary }) => primary), [...wants]]
  }
  t.strictSame(unitsOf('how big is the deposit'), [['deposit'], ['price']])
  t.strictSame(unitsOf('how many courses are there'), [['course'], ['count']])
  t.strictSame(unitsOf('how big is the room')[1], [])
})

t.test('Was wrong: that a service is free was what a thing costs', async (t) => {
  const cancelling = 'Lessons can be cancelled free of charge up to 48 hours before. After that we charge three quarters of the price.'
  t.ok(judged('How much is a lesson?', cancelling, 'Cancelled lessons', 0.8).confidence < 0.65)
  t.ok(judged('What does it cost to cancel a lesson?', cancelling, 'Cancelled lessons', 0.8).confidence >= 0.65)
})

t.test('Was wrong: how long something takes was missed in a row that says it beside the price', async (t) => {
  const row = 'Service: Inspection\nPrice: 169 €\nTime: 3 hours'
  t.ok(judged('How long does an inspection take?', row, 'Prices', 0.5).confidence >= 0.35)
})

t.test('Was wrong: where the customer\'s own order is was surely answered by how orders are delivered', async (t) => {
  const text = 'We deliver your order from Monday to Saturday in Leeds. Orders cost £5.50 to deliver.'
  const asked = [
    'Where is my order?', 'where are my flowers', 'Has my order been shipped?', 'My order has not arrived yet', 'I have not received my order',
    'When will my order arrive?', 'Still waiting for my order'
  ]
  for (const question of asked) {
    t.ok(judged(question, text, 'Delivery of orders', 1).confidence < 0.65, question)
    t.equal(judged(question, `${question}\nYou find it by the link in our mail.`, question, 1).evidence!.isGeneral, false)
  }
  t.equal(judged('When do you deliver orders?', text, 'Delivery of orders', 1).evidence!.isGeneral, false)
  for (const [language, one] of [
    ['de', 'Wo bleibt meine Bestellung?'], ['de', 'Meine Bestellung ist noch nicht da'], ['de', 'Ich habe noch nichts erhalten'],
    ['fr', 'Où est ma commande ?'], ['fr', 'Je n’ai toujours rien reçu'], ['es', '¿Dónde está mi pedido?'], ['es', 'No me ha llegado el paquete'],
    ['it', 'Dov’è il mio ordine?'], ['it', 'dove è il mio pacco'], ['pt', 'Onde está a minha encomenda?'], ['nl', 'Waar blijft mijn bestelling?'],
    ['sv', 'Var är min beställning?'], ['da', 'Hvor er min ordre?'], ['no', 'Hvor er pakken min?'], ['fi', 'Missä tilaukseni on?'],
    ['pl', 'Gdzie jest moje zamówienie?'], ['cs', 'Kde je moje objednávka?'], ['ro', 'Unde este comanda mea?'], ['hu', 'Hol van a csomagom?'],
    ['tr', 'Siparişim nerede?'], ['ru', 'Где мой заказ?'], ['uk', 'Де моє замовлення?'], ['bg', 'Къде е поръчката ми?'],
    ['el', 'Πού είναι η παραγγελία μου;'], ['ar', 'أين طلبي؟'], ['he', 'איפה ההזמנה שלי?'], ['ja', '注文した商品がまだ届いていません'],
    ['zh', '我的快递到哪了'], ['ko', '제 주문은 어디 있나요?'], ['id', 'Di mana pesanan saya?'], ['vi', 'Đơn hàng của tôi đâu rồi?'], ['th', 'พัสดุอยู่ไหน']
  ] as const) t.ok(isOfOwnCase(one, language), one)
  for (const [language, one] of [
    ['en', 'Where are you?'], ['en', 'Can I cancel my order?'], ['de', 'Wo ist der Laden?'], ['de', 'Kann ich meine Bestellung ändern?'], ['fr', 'Où êtes-vous ?'],
    ['es', '¿Dónde está la tienda?'], ['ru', 'Где вы?'], ['ja', '店はどこですか']
  ] as const) t.notOk(isOfOwnCase(one, language), one)
})

t.test('Was wrong: what is off the price was no answer to how much the discount is, if it is a share', async (t) => {
  const text = 'If the repair costs more than half of the price, we offer a new machine at a discount of forty percent.'
  t.ok(judged('What discount is offered on a new machine?', text, null, 0.9).evidence!.kind > 0.9)
  t.equal(judged('How much is a new machine?', text, null, 0.9).evidence!.kind, 0.6)
})

t.test('Was wrong: a price that stands in the same text was taken for that of a thing which is only named there', async (t) => {
  const text = 'A city bike is £50 a day. A deposit of £200 is kept meanwhile. Those who like to walk go with a guide; a boat ' +
    'goes along the river too.'
  for (const question of ['How much is the boat?', 'What does the guide cost?']) {
    const { confidence, evidence } = judged(question, text, 'Hire', 0.9)
    t.ok(evidence!.kind <= 0.6, question)
    t.ok(confidence < 0.35, `is not even offered: ${question}: ${confidence}`)
  }
  t.ok(judged('How much is a city bike?', text, 'Hire', 0.9).confidence >= 0.65)
  t.equal(judged('How much is the boat?', text, 'The boat', 0.9).evidence!.kind, 0.94, 'under a heading about it, it is of it')
  const next = 'We run a boat to the island. It costs £12 there and back.'
  t.ok(judged('How much is the boat?', next, 'Hire', 0.9).evidence!.kind > 0.9, 'what the next sentence tells')
  const items = '- Bicycles, £12 a day\n- A boat along the river\n- Laundry: £6'
  t.ok(judged('How much is the boat?', items, 'Services', 0.9).confidence < 0.35, 'the item behind is of another thing')
  const free = 'From the ferry you take bus 28. Parking is free behind the shed.'
  t.ok(judged('What does the ferry cost?', free, 'Contact', 0.9).confidence < 0.35, 'something else is free')
})

t.test('Was wrong: that there is such a thing was offered to who asked for its price or time, though none is told', async (t) => {
  const text = 'The caves can be seen with a guide. There is a market in the village on Saturdays. The museum is worth a visit.'
  t.ok(judged('How much are the caves?', text, 'Around us', 0.9).confidence < 0.35)
  t.ok(judged('What time does the market start?', text, 'Around us', 0.9).confidence < 0.65, 'a day is no time of day')
  t.ok(judged('How long does the museum take?', text, 'Around us', 0.9).confidence < 0.35)
  t.ok(judged('Is there a market?', text, 'Around us', 0.9).confidence >= 0.35, 'that there is one, is told')
  const included = 'The app is included in the basic fee.'
  t.ok(judged('How much is the app?', included, 'The app', 0.9).confidence >= 0.35, 'what is included needs no amount')
  const hangs = 'The price of a wall depends on its height; ask us for a quote.'
  t.ok(judged('How much is a wall?', hangs, 'Walls', 0.9).confidence >= 0.35, 'what the price hangs on is told')
})

t.test('Was wrong: when something takes place was surely answered by the times of what stands beside it', async (t) => {
  const text = 'Pilates: Mondays 6pm and Wednesdays 9am. Bring a mat, please. Yoga is taught by our neighbours.'
  t.ok(judged('When is yoga?', text, 'Classes', 0.9).confidence < 0.65)
  t.ok(judged('When is pilates?', text, 'Classes', 0.9).confidence >= 0.65)
})

t.test('Was wrong: the price of one thing was sure for who asked for another of which the text has only a word', async (t) => {
  const text = 'Civil weddings take place on Saturdays. The hall costs £150.'
  const { evidence, confidence } = judged('How much is a wedding passport?', text, 'Weddings', 1)
  t.ok(evidence!.isPartial)
  t.ok(confidence < 0.65)
  t.notOk(judged('How much is a wedding?', text, 'Weddings', 1).evidence!.isPartial)
})

t.test('Was wrong: a thing that is only lent, or sold by others, was offered to who wants to buy it', async (t) => {
  const text = 'We sell bands and rollers at the desk. Crutches can be borrowed from the hospital.'
  t.ok(judged('Do you sell crutches?', text, 'Good to know', 0.9).confidence < 0.35)
  t.ok(judged('Do you sell rollers?', text, 'Good to know', 0.9).confidence >= 0.35)
})

t.test('Was wrong: the row of another thing was offered where only a word of what is done to it is the same', async (t) => {
  const row = 'Service: Exchange of a tube\nPrice: £25\nTakes: 20 minutes'
  t.ok(judged('How much is the exchange of a sprocket?', row, null, 0.6).confidence < 0.35)
  t.ok(judged('How much is the exchange of a tube?', row, null, 0.6).confidence >= 0.35)
})

t.test('Was wrong: a word within the phrase of another concept stood for itself: an identity card paid', async (t) => {
  const seen = (text: string) => [...sight(text, 'it', 'it').concepts]
  t.notOk(seen("La carta d'identità costa 22 €").includes('card'))
  t.ok(seen('Si paga con la carta').includes('card'))
  t.ok([...sight('Free shipping from 60 €', 'en', 'en').concepts].includes('shipping'), 'what is of its kind stays')
})

t.test('Was wrong: days of the week in the forms that sentences have were no days', async (t) => {
  for (const [tongue, text, day] of [
    ['pl', 'w niedzielę', 0], ['pl', 'w środę', 3], ['pl', 'w sobotę', 6], ['cs', 've středu', 3], ['cs', 'v neděli', 0],
    ['ru', 'в среду', 3], ['ru', 'в субботу', 6], ['uk', 'у п’ятницю', 5], ['uk', 'в неділю', 0]
  ] as const) {
    t.ok(conceptsIn(text, tokensOf(text), [tongue]).some(({ concept }) => concept === `day:${day}`), text)
  }
  t.notOk(conceptsIn('środek', tokensOf('środek'), ['pl']).some(({ concept }) => concept.startsWith('day:')))
})

t.test('Was wrong: Turkish words that soften before an ending, and Turkish times of day, were not known', async (t) => {
  for (const [text, concept] of [['köpeğimle gelebilir miyim', 'dog'], ['telefon numaranız', 'phone']] as const) {
    t.ok(conceptsIn(text, tokensOf(text), ['tr']).some((one) => one.concept === concept), text)
  }
  for (const text of ["Mutfak 22.15'te kapanır", 'saat 15.00’e kadar', 'Saat 9 gibi']) t.ok(kindsIn(text).has('time'), text)
  t.notOk(kindsIn('Oran 2.15 oldu').has('time'))
})

t.test('a verb in two parts is the one that it is', async (t) => {
  // Was wrong: "Wie melde ich mein Kind an?" was about reporting, and was surely answered by what is to be reported.
  const inText = (text: string, tongue: string) =>
    conceptsIn(text, tokensOf(text), [tongue], true).map(({ concept }) => concept)
  t.ok(inText('Wie melde ich mein Kind an?', 'de').includes('enrol'))
  t.ok(inText('wie melden wir unsere tochter an', 'de').includes('enrol'))
  t.ok(inText('Windeln bringt ihr selbst mit.', 'de').includes('bring'))
  t.ok(inText('hoe meld ik mijn zoon aan', 'nl').includes('enrol'))
  t.notOk(inText('Bitte melden Sie uns Allergien.', 'de').includes('enrol'), 'another verb')
  t.notOk(inText('Melde dich. Wer ist das? An', 'de').includes('enrol'), 'of another sentence')
  t.notOk(inText('Wann kommt der Zug an?', 'de').includes('suit'), 'a noun is no verb')
})

t.test('a word of a phrase is not what the phrase means', async (t) => {
  // Was wrong: one word of two held half of what they mean together, as `list` of a waiting list.
  t.ok(judged('Is there a waiting list?', 'The wine list names forty bottles.').evidence!.sentence <= 0.3)
  t.equal(judged('Is there a waiting list?', 'Our waiting list is long.').evidence!.sentence, 1)
})

t.test('a question above a sentence says what it is about, as a heading does', async (t) => {
  // Was wrong: of a list of questions in one section nothing was sure, as its heading was of none of them.
  const text = 'Do I need a swim cap?\n\nYes. We sell them for £7.\n\nMay my parents watch?\n\nYes, from the stand.'
  const { quoted, confidence } = judged('How much is a swim cap?', text, 'Questions', 0.5)
  t.match(quoted.join(), '£7')
  t.ok(confidence >= 0.5)
})

t.test('from which sum on something is free is not what it costs', async (t) => {
  // Was wrong: "How much is shipping to the UK?" was surely answered by what is free for orders over £60.
  const price = 'How much is shipping to the UK?'
  t.ok(judged(price, 'Within the UK shipping is free for orders over £60.', 'Shipping').evidence!.isPartial)
  t.ok(judged(price, 'UK shipping is free from £60, or else costs £4.', 'Shipping').evidence!.isPartial === 0)
  t.ok(judged('Is shipping free to the UK?', 'UK shipping is free over £60.').evidence!.isPartial === 0)
})

t.test('a word that only begins like another is not of it', async (t) => {
  // Was wrong: nappies (Windeln) were the weather, and who asked for a newsletter was told what membership costs.
  const inText = (text: string) => conceptsIn(text, tokensOf(text), ['de'], true).map(({ concept }) => concept)
  t.notOk(inText('Windeln').includes('weather'))
  t.notOk(inText('Habt ihr einen Newsletter?').includes('subscription'))
  t.ok(inText('Nachweis der Masernimpfung').includes('vaccine'))
})

t.test('the full stop of a date or of a letter alone ends no sentence', async (t) => {
  // Was wrong: "April anmelden." was quoted of "Bitte bis 30. April anmelden.", and "e." of "e. V."
  const cut = (text: string) => piecesOf(text, 'de').map((piece) => piece.text)
  const text = ['Gültig ab 1. August 2026.', 'Bitte bis 30. April anmelden.', 'Wir sind ein e. V. im Ort.', 'Wir sind 62.']
  t.strictSame(cut(text.join(' ')), text)
  t.strictSame(cut('Wir sind 62. Kommt vorbei.'), ['Wir sind 62.', 'Kommt vorbei.'])
})

t.test('a Japanese line without kana is Japanese beside others, and a number alone is no month', async (t) => {
  // Was wrong: the opening times were read as Chinese, of no day; eight o'clock was August.
  const seen = sight('平日 8:00〜18:00、土日祝 9:00〜19:00。', null, 'en', 'ja').concepts
  t.ok(seen.has('hours') && seen.has('day:0') && seen.has('day:1'))
  t.notOk(seen.has('month:7'))
  t.ok(sight('8月は休みです。', null, 'ja').concepts.has('month:7'))
})

t.test('a thing with another number in its name is another thing', async (t) => {
  // Was wrong: "kolik stojí výměna displeje iphone 15" was surely answered by the row of the iPhone 13.
  const asked = 'How much is a screen for an iPhone 15?'
  const screen = (phones: string) => `A new screen for the ${phones} costs £89.`
  const isOther = (text: string, query = asked) =>
    isOfOtherModel(analyse(query, queryWords(query, [['en', 1]]), [['en', 1]]), sight(text, 'en', 'en'))
  for (const others of ['iPhone 13', 'iPhone 12, 13 and 14', 'iPhone 11 to 14', 'iPhone 11–14', 'iPhone 13 or iPhone 14']) {
    t.ok(isOther(screen(others)), others)
  }
  for (const same of ['iPhone', 'iPhone 15', 'iPhone 13 and 15', 'iPhone 13 to 16', 'iPhone 13–16', 'iPhone 13 or any iPhone', 'Galaxy 13']) {
    t.notOk(isOther(screen(same)), same)
  }
  t.notOk(isOther('We are open on Monday 9–18.', 'Are you open on Monday 15 o clock?'))
  t.ok(judged(asked, screen('iPhone 13')).evidence!.isRefused)
})

t.test('what the words alone speak for may help, although something of the question is nowhere', async (t) => {
  // Was wrong: "wo schlafen die Hunde nachts" was unknown, where "Jeder Hund hat nachts sein eigenes Zimmer" stood.
  const asked = 'Do your dogs yodel?'
  const at = (words: number) => {
    const question = analyse(asked, queryWords(asked, [['en', 1]]), [['en', 1]])
    weigh(question, 10, { holding: () => 1, holdingItself: () => 1, holdingConcept: () => 1 })
    for (const unit of question.units) unit.isNowhere = unit.words.some(({ plain }) => plain === 'yodel')
    const text = 'Every dog has a room of its own.'
    return judge(question, { text, heading: null, language: 'en' }, () => 0, words).evidence!
  }
  t.ok(at(0.4).isRefused)
  t.notOk(at(0.8).isRefused)
  t.ok(mostOf(at(0.8)) < 0.65, 'which is not sure')
})

t.test('a row that its own words speak for may help, although it lacks one of the question', async (t) => {
  // Was wrong: what a place in a nursery costs was unknown, since "place" was in no row.
  const row = 'Care: Nursery\nPrice: 237 €'
  t.ok(judged('How much is the nursery upholstery?', row, null, 0.7).evidence!.isRefused)
  const { evidence } = judged('How much is the nursery upholstery?', row, null, 0.9)
  t.notOk(evidence!.isRefused)
  t.ok(mostOf(evidence) < 0.65)
})

t.test('Was wrong: an office for 4 people was surely one for 10, and what sending costs the price of what is sent', (t) => {
  const office = 'Rate: Team office for 4 people\nPrice: £400'
  const isSure = (question: string, text: string) => judged(question, text, null, 0.9).confidence >= 0.65
  t.notOk(isSure('How much is a team office for 10 people?', office))
  t.ok(isSure('How much is a team office for 4 people?', office))
  t.ok(isSure('How much is a team office for 10 people?', office.replace('for 4', 'for up to 12')))
  const cloth = 'A tablecloth takes three months to weave. Shipping abroad is £6.'
  t.notOk(isSure('How much is a tablecloth?', cloth))
  t.ok(isSure('How much is a tablecloth?', 'A tablecloth takes three months to weave. It costs £60.'))
  t.end()
})

t.test('Was wrong: that there is a thing was surely its name, and rooms that a question gives were how many boxes they take', (t) => {
  const app = 'You book by the app or by telephone, until an hour before.'
  for (const question of ['What is the app called?', 'What is the name of the app?', 'Wie heißt die App?', "Comment s'appelle l'appli ?"]) {
    t.ok(judged(question, app, 'The app', 0.9).confidence < 0.65, question)
  }
  const rows = 'Flat: 2 rooms\nPrice: £490\n\nFlat: 3 rooms\nPrice: £860'
  const [asked, given] = ['How many boxes do I need for 3 rooms?', judged('How many boxes do I need for 3 rooms?', rows, null, 0.9)]
  t.ok(given.confidence < 0.65, String(given.confidence))
  t.ok(judged(asked, 'For 3 rooms you need some 60 boxes.', null, 0.9).confidence >= 0.65)
  t.end()
})

t.test('what says the very same is no rival: a list with several wordings of one question has one answer', async (t) => {
  // Was wrong: who was asked in two wordings answered neither for certain, as each was the other's rival.
  const text = 'The pool opens at nine.'
  const { fit, worth, evidence } = judged('When does the pool open?', text, null, 0.8)
  const quotes: [number, number][] = [[0, text.length]]
  const hit = { text, quotes, fit, worth, evidence, score: 1, confidence: 0.8, language: 'en' }
  const sure = (...hits: Parameters<typeof compare>[1]) =>
    compare({ weight: 1 }, hits.map((one) => ({ ...one })))[0]!.confidence
  t.equal(sure(hit, hit), sure(hit))
  const other = { ...hit, text: 'The pool opens at seven.' }
  t.ok(sure(hit, other) < sure(hit))
})

t.test('a passage that has all of a question may help, whatever its words are beside', async (t) => {
  // Was wrong: mixed with how sure the words were, it was just below what is shown.
  const { fit, worth, evidence } = judged('Is there a restaurant?', 'The Ledge does toasties.', 'Restaurant')
  const hit = { text: '', fit, worth, evidence, score: 1, confidence: 0.05, language: 'en' }
  const [first] = compare({ weight: 0.9 }, [hit, { ...hit }])
  t.ok(first!.confidence >= 0.35, String(first!.confidence))
})

t.test('the number to call stands under any heading', async (t) => {
  // Was wrong: "Telefonnummer" was unknown, as the number stood where appointments were spoken of.
  const { confidence } = judged('Phone number?', 'Book online or call 01632 960 700.', 'Appointments')
  t.ok(confidence >= 0.35, String(confidence))
})

t.test('a number is asked for, although all passages speak of telephones', async (t) => {
  // Was wrong: who repairs telephones did not tell a polite question what the number is.
  const asked = 'May I have the phone number of the manager?'
  const question = analyse(asked, queryWords(asked, [['en', 1]]), [['en', 1]])
  weigh(question, 10, { holding: () => 0, holdingItself: () => 0, holdingConcept: () => 10 })
  t.equal(question.units.find(({ primary }) => primary === 'phone')!.share, 1)
})

t.test('until when on a day asks for hours, and parts of a sum for no time', async (t) => {
  // Was wrong: "samstag bis wann" asked for a deadline, and "a plazos" how long something takes.
  const of = (query: string, language: Language) => analyse(query, queryWords(query, [[language, 1]]), [[language, 1]])
  const until = of('Samstag bis wann', 'de')
  t.ok(until.units.some(({ primary }) => primary === 'hours') && until.wants.has('time') && !until.wants.has('when'))
  t.ok(of('Bis wann muss ich mich anmelden?', 'de').units.some(({ primary }) => primary === 'deadline'))
  t.notOk(of('se puede pagar a plazos', 'es').wants.has('duration'))
})

t.test('what it costs to mend a thing is not surely what the thing costs', async (t) => {
  // Was wrong: "kolik stojí nabíječka" was surely answered by the row for mending the charging port.
  const row = 'Repair: Repair of the charging point\nPrice: 89 €'
  const of = (query: string) => {
    const question = analyse(query, queryWords(query, [['en', 1]]), [['en', 1]])
    weigh(question, 10, { holding: () => 0, holdingItself: () => 0, holdingConcept: () => 1 })
    return judge(question, { text: row, heading: null, language: 'en' }, () => 0, 0).evidence!
  }
  t.ok(of('How much is a charger?').isPartial)
  t.notOk(of('How much is the repair of a charger?').isPartial)
})

t.test('everyday words of fewer languages are known', async (t) => {
  // Was wrong: the table had for Polish, Czech, Russian, Turkish and others less than half of what it had for English.
  const found = (text: string, language: string) =>
    conceptsIn(text, tokensOf(text), [language]).map(({ concept }) => concept)
  const known: [text: string, language: string, concept: string][] = [
    ['gdzie zaparkować auto?', 'pl', 'parking'], ['můžu platit na splátky', 'cs', 'instalments'],
    ['есть ли рассрочка', 'ru', 'instalments'], ['де можна припаркувати', 'uk', 'parking'],
    ['kargo ücreti ne kadar', 'tr', 'shippingcost'], ['hvornår åbner i', 'da', 'hours'],
    ['kan man delbetala', 'sv', 'instalments'], ['que devo levar', 'pt', 'bring'],
    ['le petit dej est compris', 'fr', 'breakfast'], ['初診です', 'ja', 'newpatient']
  ]
  for (const [text, language, concept] of known) t.ok(found(text, language).includes(concept), text)
})

t.test('Was wrong: a range of ages was none, and a question about children found nothing of it', async (t) => {
  for (const text of ['Per bambini dai 4 ai 6 anni', 'von 3 bis 6 Jahren', '8-12 year olds', 'od 4 do 6 lat', 'de 6 à 12 ans']) {
    t.ok(boundsAge(text), text)
  }
  for (const text of ['it takes 2 to 3 years', 'Garantie 2 bis 3 Jahre', 'seit 5 bis 10 Jahren']) t.notOk(boundsAge(text), text)
  t.ok(judged('Do you vaccinate children?', 'We vaccinate people from 18 years.', 'Vaccination').confidence >= 0.35)
})

t.test('Was wrong: of a table whose column was asked for, and no row, only the first row was shown', async (t) => {
  const text = 'When: weekdays\nOpening a door: £79\n\nWhen: bank holidays\nOpening a door: £129'
  t.same(judged('What does opening a door cost?', text, 'Prices').quoted.length, 2)
  const asked = 'What does opening a door cost on a bank holiday?'
  t.same(judged(asked, text, 'Prices').quoted, ['When: bank holidays\nOpening a door: £129'])
})

t.test('Was wrong: where a place of another name is, found no address', async (t) => {
  const { units } = analyse('Where is my parcel?', queryWords('Where is my parcel?', [['en', 1]]), [['en', 1]])
  t.notOk(units.some(({ concepts }) => concepts.has('address')), 'what is the customer\'s own is elsewhere')
  const { confidence } = judged('Where is the bothy?', 'We are at 12 Mill Lane, Harrow HA1 2TZ.', 'Find us')
  t.ok(confidence >= 0.35, `may help: ${confidence}`)
})

t.test('Was wrong: days off in December were not those of Christmas', async (t) => {
  t.ok(judged('Are you open at Christmas?', 'We are closed from 23 December to 2 January.', 'Our team').confidence >= 0.35)
  t.ok(judged('Are you open at Christmas?', 'We are closed from 3 to 20 August.', 'Our team').confidence < 0.65)
})

t.test('Was wrong: words that begin like others, or are folded like them, stood for these', async (t) => {
  const wrong: [language: string, text: string, concept: string][] = [
    ['pl', 'żeby było szybciej', 'tooth'], ['pl', 'większość osób', 'children'], ['de', 'über hundert Gäste', 'dog'],
    ['en', 'our customers', 'custom'], ['en', 'for example', 'exam'], ['fr', 'le vendredi', 'sale'], ['nl', 'honderd stuks', 'dog'],
    ['es', 'me llamo Ana', 'phone'], ['it', 'insegnate il violino', 'businesscards'], ['en', 'what is your pass rate', 'price']
  ]
  for (const [language, text, concept] of wrong) {
    const found = conceptsIn(text, tokensOf(text), [language], true).map((one) => one.concept)
    t.notOk(found.includes(concept), `${text}: ${concept}`)
  }
})
