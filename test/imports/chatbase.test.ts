import fc from 'fast-check'
import t from 'tap'
import { asked, list, nothingIsLost, of, record } from './helper.ts'

const settings = {
  chatbotId: 'cb-1',
  name: 'Shop',
  instructions: 'Be brief.',
  initialMessages: ['Hello!', 'How can I help?'],
  suggestedMessages: ['Where is my order?'],
  model: 'gpt-4o-mini',
  temp: '0.2',
  domains: ['a.example'],
  ipLimit: 20,
  ipLimitMessage: 'Too many',
  integrations: { slack: 'T1' },
  collectCustomerInformation: { title: 'Tell us', email: { label: 'E-mail', active: true } },
  styles: { displayName: 'Ada', buttonColor: '#123456', alignChatButton: 'left', autoOpenChatWindowAfter: '4' },
  qna: [{ question: 'How long?', answer: '30 days.' }, { question: ' How  dear?', answer: 'Free.' }, { question: 'Why?' }]
}
const fields = {
  name: 'Shop',
  systemPrompt: 'Be brief.',
  model: { response_model: 'gpt-4o-mini', temperature: 0.2 },
  appearance: {
    welcomeMessage: 'Hello!\nHow can I help?', chatbotName: 'Ada', primaryColor: '#123456', position: 'bottom-left'
  },
  behavior: { suggestions: ['Where is my order?'], autoShowAfter: 4, collectVisitorData: true }
}

t.test('settings of Chatbase become an agent with its questions and answers', (t) => {
  const { plan } = asked({ 'x.json': settings })
  const sources = [{ type: 'faq', text: 'How long?\n30 days.\n\nHow dear?\nFree.' }]
  t.match(plan, { kind: 'chatbase', agents: [{ key: 'cb-1', fields, sources }] })
  for (const name of ['domains', 'ipLimitMessage', 'integrations', 'qna/2/question']) {
    t.ok(of(plan, 'not_carried').includes(`x.json/${name}`), name)
  }
  t.end()
})

t.test('settings of Chatbase are read in lists, in both spellings and with what is missing', (t) => {
  const snake = { initial_messages: 'Hi', suggested_messages: 'One', key: 'k', settings: { collect_customer_information: true } }
  t.match(asked({ 'x.json': { chatbots: [snake, {}] } }).plan.agents, [{
    key: 'k', fields: { appearance: { welcomeMessage: 'Hi' }, behavior: { suggestions: ['One'], collectVisitorData: true } }
  }])
  const long = { chatbotId: 'a', initialMessages: ['a'.repeat(4000), 'b'] }
  t.match(asked({ 'x.json': [long] }).plan.agents[0]!.fields.appearance?.welcomeMessage?.length, 4000)
  const empty = { chatbotId: 'a', initialMessages: [{ message: '' }, 'b'] }
  t.match(of(asked({ 'x.json': empty }).plan, 'not_carried'), ['x.json/initialMessages/1'])
  t.end()
})

t.test('every text of a file of Chatbase is in the agent, in a source or in the report', (t) => {
  const text = fc.string({ maxLength: 20 })
  const any = fc.jsonValue({ maxDepth: 3 })
  const styles =
    record({ displayName: text, buttonColor: text, alignChatButton: text, autoOpenChatWindowAfter: text, any })
  const bots =
    record({ name: text, id: text, key: text, instructions: text, model: text, temp: text, domains: any, styles })
  const qna = list(record({ question: text, answer: text }))
  const more = record({ initialMessages: list(text), suggestedMessages: list(text), qna })
  const rest =
    fc.record({ chatbotId: any, ipLimit: any, collectCustomerInformation: any, integrations: any, more: any })
  nothingIsLost(fc.tuple(bots, more, rest).map((all) => Object.assign({}, ...all) as object))
  t.end()
})
