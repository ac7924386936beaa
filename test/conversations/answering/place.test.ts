import t from 'tap'
import { textsIn, textsInAll } from '../../../src/locales/list.ts'
import { placeAskedIn } from '../../../src/conversations/answering/small-talk/small-talk.ts'
import { asksForReply } from '../../../src/conversations/answering/small-talk/reply.ts'
import { longestTurn } from '../../linear/turns.ts'
import { NOTICE, talkative } from '../helper.ts'
import { slowModel } from '../slow-model.ts'

const ASKED: Record<string, readonly string[]> = {
  en: [
    'Where are you?', 'where are you located', 'What is your address?', 'Hi, where is your shop please?', 'How do I get there?',
    'Where can I find you?', 'Address please', 'whats your adress'
  ],
  de: [
    'Wo seid ihr?', 'Wo finde ich Sie?', 'Wie ist Ihre Adresse?', 'Wo ist der Laden?', 'Wo befindet sich Ihr Geschäft?',
    'Hallo, wo seid ihr denn?', 'Wie lautet die Anschrift?', 'Wie komme ich zu Ihnen?'
  ],
  es: ['¿Dónde están?', '¿Dónde está la tienda?', '¿Cuál es su dirección?'],
  fr: ['Où êtes-vous ?', 'Où se trouve le magasin ?', 'Quelle est votre adresse ?'],
  it: ['Dove siete?', 'Qual è il vostro indirizzo?'],
  pt: ['Onde fica a loja?', 'Qual é a morada?'],
  nl: ['Waar zijn jullie?', 'Wat is jullie adres?'],
  pl: ['Gdzie jesteście?', 'Jaki jest wasz adres?'],
  tr: ['Neredesiniz?', 'Adresiniz nedir?'],
  ru: ['Где вы находитесь?', 'Какой у вас адрес?'],
  ar: ['أين أنتم؟'],
  ja: ['住所はどこですか'],
  zh: ['你们在哪里？'],
  ko: ['주소가 어디예요?'],
  th: ['ร้านอยู่ที่ไหน']
}
const NOT: Record<string, readonly string[]> = {
  en: [
    'Where is my order?', 'Where is the toilet?', 'What is your email address?', 'How do I change my delivery address?',
    'Where do you ship to?', 'What is my address?', 'Where are your shoes made?', 'Is there parking?', 'How do I get there by bus?',
    'Where can I find the manual?', `Where are you? ${'I wait. '.repeat(30)}`
  ],
  de: [
    'Wo ist mein Paket?', 'Wo sind die Toiletten?', 'Wie ist Ihre E-Mail-Adresse?', 'Kann ich die Lieferadresse ändern?',
    'Ich möchte meine Adresse ändern', 'Wo finde ich die Rechnung?'
  ],
  fr: ['Où est mon colis ?'],
  es: ['¿Dónde está mi pedido?']
}

t.test('whether somebody asks where the business is, in whatever language', async (t) => {
  for (const [language, all] of Object.entries(ASKED)) {
    for (const one of all) t.not(placeAskedIn(one, language), undefined, one)
  }
  for (const [language, all] of Object.entries(NOT)) {
    for (const one of all) t.equal(placeAskedIn(one, language), undefined, one)
  }
  for (const { ourAddress } of textsInAll('agent')) t.match(ourAddress, /\{address\}$/)
})

const ADDRESS = '12 Mill Lane,\nBath BA1 2QH'

t.test('"Where are you?" is answered with the address of the business, where no source says better', async (t) => {
  const { me, id, at, say, settled } = await talkative(t)
  const answers = async () => {
    await settled()
    return (await me.get(`${at}/messages`)).json().data.filter(({ role }: { role: string }) => role === 'agent')
  }
  await say('Where are you?')
  t.match(await answers(), [{ unknown: true }], 'an agent whose business has set none does not know')
  await me.put('/v1/business', { address: ADDRESS })
  await say('Where are you?')
  await say('Wo seid ihr?')
  await say('Where is my order?')
  const [, english, german, other] = await answers()
  t.match(english, { text: 'Our address: 12 Mill Lane, Bath BA1 2QH', answered_by: 'canned', citations: [], unknown: false })
  t.match(german, { text: 'Unsere Adresse: 12 Mill Lane, Bath BA1 2QH' })
  t.notMatch(other.text, /Mill Lane/, 'what is another question is answered as ever')
  await me.post(`/v1/agents/${id}/knowledge_sources`, {
    title: 'Address', plain_text: '# Address\n\nOur address is 3 Abbey Green, Bath BA1 1NW, behind the abbey.'
  })
  await settled()
  await say('What is your address?')
  t.match((await answers()).at(-1), { text: /Abbey Green.*\[1\]/, answered_by: 'extract' }, 'a source says it better')
})

t.test('a model is told the address, and its answer is shown though it names no source', async (t) => {
  const model = await slowModel(t, async (asked) => {
    await asked.say('We are at 12 Mill Lane in Bath.')
    asked.end()
  })
  const { me, at, say, settled } = await talkative(t, { AGENTHALL_MODEL_URL: model.url })
  await me.put('/v1/business', { address: ADDRESS })
  await say('Where are you?')
  await settled()
  // Was wrong where the business's settings did not count as something that an answer may rest on.
  t.match((await me.get(`${at}/messages`)).json().data.at(-1), {
    text: `${NOTICE}We are at 12 Mill Lane in Bath.`, answered_by: 'model', unknown: false
  })
  t.equal(model.all.length, 1, 'it is asked once: there is nothing to be looked for in other words')
  t.match(model.all[0]!.body.messages[0]!.content, '\nAddress of the business: 12 Mill Lane, Bath BA1 2QH')
})

const ASKED_WHEN = [
  'when do you answer?', 'How long does it take until somebody writes back?', 'how long until I get a reply', 'When will I hear back?',
  'Wann meldet sich jemand?', 'wie lange dauert eine Antwort', 'Quand allez-vous me répondre ?', '¿Cuándo me contestan?', 'Quando rispondete?',
  'Quando vão responder?', 'Wanneer krijg ik antwoord?', 'hoe snel reageren jullie', 'Kiedy ktoś się odezwie?', 'kiedy dostanę odpowiedź',
  'När får jag svar?', 'Hvornår får jeg svar?', 'Milloin vastaatte?', 'Kdy se mi někdo ozve?', 'Когда мне ответят?', 'Ne zaman cevap verirsiniz?',
  'いつ返事がもらえますか', '什么时候回复我？', '언제 답변 주시나요?'
]
const NOT_WHEN = [
  'When are you open?', 'How long is the guarantee?', 'Is the answer right?', 'Wann haben Sie offen?', 'Kiedy otwieracie?',
  `When do you answer? ${'I wait. '.repeat(30)}`, ''
]

t.test('whether somebody asks when they are answered, in whatever language', async (t) => {
  t.strictSame(ASKED_WHEN.filter((one) => !asksForReply(one)), [])
  t.strictSame(NOT_WHEN.filter(asksForReply), [])
  t.ok(await longestTurn(1000, async () => asksForReply('when '.repeat(1e6))) <= 1000)
})

t.test('who asks when somebody answers, once their request was passed on, hears that it was and that nobody knows', async (t) => {
  // Was wrong: nothing was known of it, as if there was no ticket.
  const { me, at } = await talkative(t, {}, { behavior: { email: 'help@business.example' } })
  const said = async (text: string) => (await me.post(`${at}/messages`, { text })).json().data.text as string
  const [en, nl] = [textsIn('en', 'agent'), textsIn('nl', 'agent')]
  t.match(await said('When will somebody answer me?'), en.unknown, 'nothing was passed on yet')
  t.equal((await me.post(`${at}/tickets`, {})).statusCode, 201)
  t.equal(await said('When will somebody answer me?'), en.whenAnswered)
  t.equal(await said('Hoe lang duurt het voordat ik antwoord krijg?'), nl.whenAnswered)
  const ticket = 'We answer within one working day.'
  t.equal((await me.put('/v1/business', { notices: { ticket } })).statusCode, 200)
  t.equal(await said('When will somebody answer me?'), ticket, 'as the business puts it')
  t.match(await said('How many days do I have for returns?'), /30 days/)
})
