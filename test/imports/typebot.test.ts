import fc from 'fast-check'
import t from 'tap'
import { asked, list, nothingIsLost, of, record } from './helper.ts'

const says = (...children: object[]) => ({ id: 'b', type: 'text', content: { richText: children } })
const line = (...children: object[]) => ({ type: 'p', children })

const bot = {
  version: '6.1',
  id: 'bot-1',
  name: 'Shop',
  groups: [
    {
      id: 'g-1',
      title: 'Welcome',
      blocks: [
        says(line({ text: 'Returns take ' }, { text: '30 days', bold: true }), line(
          { type: 'a', url: 'https://a.example/returns', children: [{ text: 'Read more' }] },
          { type: 'a', url: 'https://a.example', children: [{ text: 'https://a.example' }] }
        ), { type: 'ul', children: [{ type: 'li', children: [{ text: 'one' }] }, { type: 'li', children: [{ text: 'two' }] }] }),
        { id: 'c', type: 'choice input', items: [{ id: 'i', content: 'Where is my order?' }, { title: 'Fees' }] },
        { id: 'e', type: 'email input', options: { labels: { placeholder: 'Your e-mail' } } },
        { id: 'n', type: 'number input', options: {} },
        { id: 'w', type: 'Webhook', options: { url: 'https://hook.example' } }
      ]
    },
    {
      title: '',
      blocks: [
        { type: 'text', content: { plainText: 'Plain.', html: '<div>Plain.</div>' } },
        { type: 'text', content: { html: '<div>Only <b>HTML</b></div>' } },
        { type: 'text', content: {} },
        {
          type: 'openai',
          options: {
            credentialsId: 'cred',
            model: 'gpt-4o-mini',
            temperature: '0.2',
            messages: [{ role: 'user', content: 'x' }, { role: 'system', content: 'Be brief with {{Name}}.' }]
          }
        },
        { type: 'openai', options: { messages: [{ role: 'Dialogue' }] } }
      ]
    },
    { title: 'Empty', blocks: [] }
  ],
  edges: [{ id: 'edge' }],
  variables: [{ name: 'Name' }],
  theme: {
    general: { font: { type: 'Google', family: 'Open Sans' } },
    chat: {
      buttons: { backgroundColor: '#0AF', color: '#ffffff' },
      hostAvatar: { isEnabled: true, url: 'https://a.example/ada.png' }
    }
  },
  customDomain: 'bot.example'
}

t.test('a bot of Typebot becomes an agent that knows what it said and offers its choices', (t) => {
  const { plan } = asked({ 'bot.json': bot })
  t.match(plan, {
    kind: 'typebot',
    agents: [{
      key: 'bot-1',
      fields: {
        name: 'Shop',
        systemPrompt: 'Be brief with {{Name}}.',
        status: 'Inactive',
        model: { response_model: 'gpt-4o-mini', temperature: 0.2 },
        behavior: { suggestions: ['Where is my order?', 'Fees'], collectVisitorData: true },
        appearance: {
          primaryColor: '#00AAFF',
          secondaryColor: '#ffffff',
          fontFamily: 'Open Sans',
          avatar: { type: 'image', src: 'https://a.example/ada.png' }
        }
      }
    }]
  })
  const text = 'Welcome\nReturns take 30 days\nRead more (https://a.example/returns)https://a.example\none\ntwo\n\n' +
    'Plain.\n Only  HTML  '
  t.match(plan.agents[0]!.sources, [{ type: 'text', title: 'What the bot said', text }])
  t.equal(plan.agents[0]!.sources.length, 1)
  const left = of(plan, 'not_carried')
  for (const at of ['edges', 'variables', 'customDomain', 'groups/0/blocks/3', 'groups/0/blocks/4', 'groups/1/blocks/4']) {
    t.ok(left.includes(`bot.json/${at}`), at)
  }
  t.match(of(plan, 'changed').includes('bot.json/groups/0/blocks/2'), true)
  t.end()
})

t.test('older and newer bots of Typebot are read as far as they are understood', (t) => {
  const older = {
    typebot: {
      version: 12,
      groups: [{ blocks: [{ type: 'OpenAI', options: { messages: [{ role: 'user' }], advancedSettings: { temperature: 1 } } }] }],
      theme: {
        general: { font: 'Inter' },
        chat: { buttons: { backgroundColor: 'red' }, hostAvatar: { url: 'javascript:alert(1)' } }
      }
    }
  }
  const { plan } = asked({ 'x.json': older })
  t.match(plan.agents[0], {
    fields: { name: 'Imported agent', model: { temperature: 1 }, appearance: { fontFamily: 'Inter' } }, sources: []
  })
  t.match(plan.report.find(({ at }) => at.endsWith('/version'))?.why, /not known here/)
  for (const end of ['backgroundColor', 'url']) t.ok(of(plan, 'not_carried').some((at) => at.endsWith(end)), end)
  const hidden =
    { groups: [], edges: [], theme: { chat: { hostAvatar: { isEnabled: false, url: 'https://a.example/x' } } } }
  t.match(asked({ 'x.json': hidden }).plan.agents[0]!.fields.appearance, { avatar: undefined })
  t.match(asked({ 'x.json': { groups: [{}] } }).error, { code: 'unsupported_format' })
  t.end()
})

t.test('every text of a file of Typebot is in the agent, in a source or in the report', (t) => {
  const text = fc.string({ maxLength: 20 })
  const any = fc.jsonValue({ maxDepth: 3 })
  const leaf = record({ text, type: fc.constantFrom('a', 'li', 'p'), url: text, more: any })
  const richText = list(record({ type: text, children: list(leaf), text }))
  const content = record({ richText, html: text, plainText: text })
  const type = fc.constantFrom('text', 'choice input', 'email input', 'openai', 'Condition')
  const messages = list(record({ role: fc.constantFrom('system', 'user'), content: text }))
  const options = record({ messages, model: text, any })
  const block = record({ id: text, type, content, options, items: list(record({ content: text, title: text })), any })
  const chat =
    record({ buttons: record({ color: text, backgroundColor: text }), hostAvatar: record({ url: text }), any })
  const theme = record({ general: record({ font: any }), chat })
  const groups = fc.array(record({ id: text, title: text, blocks: list(block) }), { maxLength: 3 })
  const bots =
    fc.record({ groups, theme, name: text, version: any, settings: any, variables: any, more: any, edges: any })
  nothingIsLost(bots)
  t.end()
})
