import fc from 'fast-check'
import { zipSync } from 'fflate'
import t from 'tap'
import { asked, list, nothingIsLost, of, record } from './helper.ts'

const assistant = {
  id: 'asst_1',
  object: 'assistant',
  name: 'Shop',
  description: 'Orders',
  model: 'gpt-4o',
  instructions: 'Help customers of {{shop}}.',
  temperature: 0.3,
  tools: [{ type: 'file_search' }, { type: 'function', function: { name: 'get_order' } }, { type: 'code_interpreter' }],
  tool_resources: { file_search: { vector_store_ids: ['vs_1'] } },
  metadata: { team: 'support' }
}

t.test('assistants of OpenAI come with the files that were dumped, and say which were not', (t) => {
  const { plan } = asked({
    'a/assistants.json': { object: 'list', data: [assistant], has_more: false },
    'a/files.json': { object: 'list', data: [{ id: 'file-1', object: 'file', filename: 'returns.md' }] },
    'a/vs.json': [
      { id: 'file-1', object: 'vector_store.file', vector_store_id: 'vs_1' },
      { id: 'file-2', object: 'vector_store.file', vector_store_id: 'vs_1' },
      { id: 'file-3', object: 'vector_store.file', vector_store_id: 'vs_2' }
    ],
    'a/file-1.md': '# Returns',
    'a/file-9.md': 'Of nobody'
  })
  t.match(plan, {
    kind: 'openai',
    agents: [{
      key: 'asst_1',
      fields: {
        name: 'Shop',
        description: 'Orders',
        status: 'Inactive',
        systemPrompt: 'Help customers of {{shop}}.',
        model: { response_model: 'gpt-4o', temperature: 0.3 }
      },
      sources: [{ type: 'docs', title: 'returns.md', file: Buffer.from('# Returns').toString('base64') }]
    }]
  })
  t.equal(plan.agents[0]!.sources.length, 1)
  t.match(plan.report.find(({ at }) => at.endsWith('/instructions'))?.why, /^\{\{shop\}\} stayed as written/)
  t.match(of(plan, 'not_carried'), [
    'a/assistants.json/data/0/tools/2', 'a/assistants.json/data/0/metadata',
    'a/vs.json/1/id', 'a/file-9.md'
  ])
  t.match(asked({ 'one.json': { ...assistant, tools: [], tool_resources: {}, file_ids: ['file-7'] }, 'file-7': 'x' }).plan, {
    agents: [{ sources: [{ title: 'file-7' }] }]
  }, 'one by itself, from before there were vector stores')
  t.end()
})

t.test('apps of Dify: chats, agents and the model of a chat flow', (t) => {
  const app = 'app: { name: Shop, description: Orders, mode: MODE }\nkind: app\nversion: 0.3.1\n'
  const chat = app.replace('MODE', 'chat') + `model_config:
  pre_prompt: Be brief.
  opening_statement: Hello
  suggested_questions: [Where is my order?]
  dataset_configs: { datasets: { datasets: [{ dataset: { id: sealed } }] } }
  model: { name: gpt-4o-mini, provider: openai, completion_params: { temperature: 3 } }
  sensitive_word_avoidance: { enabled: true, config: { keywords: politics } }
`
  const { plan } = asked({ 'shop.yml': chat })
  t.match(plan.agents[0]!.fields, {
    name: 'Shop',
    systemPrompt: 'Be brief.',
    appearance: { welcomeMessage: 'Hello' },
    behavior: { guidelines: { donts: ['Do not talk about: politics'] }, suggestions: ['Where is my order?'] },
    model: { response_model: 'gpt-4o-mini', temperature: 2 }
  })
  t.match(of(plan, 'not_carried'), ['shop.yml/model_config/dataset_configs', 'shop.yml/model_config/model/provider'])

  const flow = asked({
    'flow.json': {
      kind: 'app',
      version: '9.0.0',
      app: { name: 'Flow', mode: 'advanced-chat' },
      workflow: {
        features: { opening_statement: 'Hi' },
        graph: {
          nodes: [
            { data: { type: 'code', code: 'print(1)' } },
            { data: { type: 'llm', model: { name: 'm' }, prompt_template: [{ role: 'system', text: 'Help.' }] } }
          ]
        }
      }
    }
  }).plan
  t.match(flow.agents[0]!.fields, { name: 'Flow', systemPrompt: 'Help.', model: { response_model: 'm' } })
  t.match(of(flow, 'not_carried').slice(0, 2), ['flow.json/version', 'flow.json/workflow/graph/nodes/0'])
  const bare = { kind: 'app', version: '0.1', app: { name: 'Bare', mode: 'advanced-chat' }, workflow: {} }
  t.match(asked({ 'bare.json': bare }).plan.agents[0]!.fields.systemPrompt, /^You help customers/)
  const { plan: none } = asked({ 'work.yml': app.replace('MODE', 'workflow') })
  t.strictSame(none.agents, [])
  t.match(none.report.find(({ at }) => at === 'work.yml/app/mode')?.why, /no agent can be made/)
  t.end()
})

t.test('assistants of Captain come with approved answers and documents', (t) => {
  const { plan } = asked({
    'captain.json': {
      assistant: {
        id: 7,
        name: 'Shop',
        config: { instructions: 'Be brief.', welcome_message: 'Hello', handoff_message: 'One moment.', product_name: 'P' },
        response_guidelines: ['Short'],
        guardrails: Array.from({ length: 101 }, (_, i) => `Never ${i}`)
      },
      documents: [
        { id: 1, name: 'Returns', external_link: 'https://a.example/returns', content: 'In 30 days.', status: 'available' },
        { id: 2, external_link: 'https://a.example/page' },
        { id: 3, name: 'Lost', external_link: 'PDF: lost.pdf' }
      ],
      responses: [
        { question: 'How long?', answer: '30 days.', status: 'approved' },
        { question: 'How  dear?', answer: 'Free.', status: 'approved' },
        { question: 'Why?', answer: 'Because.', status: 'pending' },
        { question: 'Nothing?', answer: '', status: 'approved' }
      ],
      custom_tools: [{ slug: 'get' }],
      scenarios: [{ title: 'Refund' }]
    }
  })
  t.match(plan.agents[0], {
    key: '7',
    fields: { behavior: { guidelines: { dos: ['Short'] }, escalationPrompt: 'One moment.' } },
    sources: [
      { type: 'text', title: 'Returns', text: 'In 30 days.' },
      { type: 'website', url: 'https://a.example/page' },
      { type: 'faq', text: 'How long?\n30 days.\n\nHow dear?\nFree.' }
    ]
  })
  t.equal(plan.agents[0]!.fields.behavior?.guidelines?.donts?.length, 100)
  t.match(of(plan, 'changed'), ['captain.json/responses/1/question'])
  t.match(of(plan, 'not_carried').length, 7)
  t.match(asked({ 'c.json': { assistant: { config: {} } } }).plan.agents[0]!.sources, [])
  t.end()
})

t.test('articles become sources of one agent; drafts and those for some people only do not', (t) => {
  const one = { id: 1, title: 'Returns', name: 'Returns', body: '<p>In 30 days.</p>', user_segment_id: null, draft: false }
  const { plan } = asked({
    'zendesk.json': {
      articles: [one, { ...one, draft: true }, { ...one, user_segment_id: 4 }, { ...one, body: '', name: 'Other' }]
    },
    'intercom.json': { type: 'list', data: [{ ...one, id: '2', state: 'published' }, { ...one, state: 'draft' }] }
  })
  const file = Buffer.from('<p>In 30 days.</p>').toString('base64')
  t.match(plan, {
    kind: 'articles',
    agents: [{
      fields: { name: 'Imported agent', status: 'Inactive' },
      sources: [{ key: '1', title: 'Returns', name: 'article.html', file }, { key: '2', title: 'Returns' }]
    }]
  })
  t.equal(plan.agents[0]!.sources.length, 2)
  t.match(of(plan, 'not_carried').slice(0, 2), ['zendesk.json/articles/1', 'zendesk.json/articles/2'])
  t.end()
})

t.test('archives are opened within limits, and names that lead out of them are not followed', (t) => {
  const bytes = (value: unknown) => new TextEncoder().encode(JSON.stringify(value))
  const inner = zipSync({ 'assistants.json': bytes(assistant), '../evil.json': bytes(assistant) })
  const zip = (files: Record<string, Uint8Array>) => Buffer.from(zipSync(files))
  const { plan } = asked({ 'all.zip': zip({ 'Part-1.zip': inner, '__MACOSX/x.json': bytes({}) }), 'bad.yml': 'a: [' })
  t.equal(plan.agents.length, 1)
  t.match(plan.report.filter(({ at }) => at === '../evil.json'), [{ outcome: 'not_carried' }])
  t.match(plan.report.filter(({ at }) => at === 'bad.yml'), [{ outcome: 'not_carried' }])
  const deep = zip({ 'b.zip': zipSync({ 'c.zip': inner }) })
  const bomb = zip({ 'zeros.json': new Uint8Array(90 * 2 ** 20) })
  t.match(asked({ 'a.zip': deep }).error, { code: 'too_large' })
  t.match(asked({ 'a.zip': bomb }).error, { code: 'too_large' })
  t.match(asked({ 'a.zip': Buffer.from('PK\x03\x04 and no more') }).error, { code: 'damaged' })
  t.match(asked({ 'a.bin': Buffer.alloc(100 * 2 ** 20 + 1) }).error, { code: 'too_large' })
  t.end()
})

t.test('YAML that multiplies itself, deep lists and unknown files are refused', (t) => {
  const bomb = ['a0: &a0 [x, x, x, x, x, x, x, x, x]']
  for (let i = 1; i < 12; i++) bomb.push(`a${i}: &a${i} [${Array(9).fill(`*a${i - 1}`).join(', ')}]`)
  t.match(asked({ 'x.yml': bomb.join('\n') }).error, { code: 'unsupported_format' })
  t.match(asked({ 'x.json': '['.repeat(1e5) }).error, { message: /Known kinds: OpenAI Assistants/ })
  t.match(asked({ 'x.yml': 'a'.repeat(2 ** 21 + 1) }).error, { code: 'unsupported_format' })
  t.match(asked({ 'x.json': assistant }, 'dify').error, { code: 'unsupported_format' })
  const deep = JSON.stringify(assistant).replace('"support"', '['.repeat(1e5) + ']'.repeat(1e5))
  t.ok(asked({ 'x.json': deep }), 'answered, one way or the other')
  t.end()
})

t.test('a prompt that is too long is cut, and stands in the report as it was', (t) => {
  const long = 'p'.repeat(99_999) + '😀 and more'
  const { plan } = asked({ 'x.json': { ...assistant, instructions: long, model: 'é'.repeat(200) } })
  t.equal(plan.agents[0]!.fields.systemPrompt, 'p'.repeat(99_999))
  t.match(plan.report.find(({ at }) => at === 'x.json/instructions'), { outcome: 'changed', value: long })
  t.match(of(plan, 'not_carried')[0], 'x.json/model')
  t.end()
})

// An object where an id or a version was expected, with its own toString, made the whole file damaged.
t.test('an object in the place of a version or an id does no harm', (t) => {
  const odd = { toString: '' }
  const files = [
    { kind: 'app', version: odd, app: { name: 'x', mode: 'chat' } },
    { groups: [], edges: [], version: odd },
    { DocumentStoreFileChunk: [{ docId: odd, chunkNo: odd, pageContent: 'x' }] },
    { assistant: { id: odd, config: {} } }
  ]
  for (const file of files) t.match(asked({ 'x.json': file }).plan.agents.length, 1)
  t.end()
})

t.test('every text of a file is in the agent, in a source or in the report', (t) => {
  const text = fc.string({ maxLength: 20 })
  const any = fc.jsonValue({ maxDepth: 3 })
  const files = fc.oneof(
    record({ id: text, name: text, description: fc.oneof(text, any), instructions: text, model: text, metadata: any, tools: list(record({ type: fc.constantFrom('function', 'retrieval', 'x'), more: any })), tool_resources: any, file_ids: list(text), more: any })
      .map((one) => ({ ...one, object: 'assistant' })),
    fc.record({ mode: fc.constantFrom('chat', 'agent-chat', 'advanced-chat', 'workflow'), config: record({ pre_prompt: text, opening_statement: text, suggested_questions: list(text), model: any, sensitive_word_avoidance: any, more: any }), workflow: any, nodes: list(record({ data: record({ type: fc.constantFrom('llm', 'code'), prompt_template: list(record({ role: fc.constantFrom('system', 'user'), text })), more: any }) })), name: text })
      .map(({ mode, config, workflow, nodes, name }) => ({ kind: 'app', version: '0.3', app: { name, mode }, model_config: config, workflow: { graph: { nodes }, workflow } })),
    record({ documents: list(record({ name: text, content: text, external_link: text, status: text })), responses: list(record({ question: text, answer: text, status: fc.constantFrom('approved', 'pending') })), custom_tools: any, more: any, guards: list(text) })
      .map(({ guards, ...one }) => ({ ...one, assistant: { config: { instructions: 'x' }, guardrails: guards } }))
  )
  nothingIsLost(files)
  t.end()
})
