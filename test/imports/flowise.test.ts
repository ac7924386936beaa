import fc from 'fast-check'
import t from 'tap'
import { asked, list, nothingIsLost, of, record } from './helper.ts'

const node = (id: string, category: string, inputs: object, more: object = {}) =>
  ({ id, data: { id, label: id, name: id.split('_')[0], category, inputs, ...more } })

const nodes = [
  node('chatOpenAI_0', 'Chat Models', { modelName: 'gpt-4o-mini', temperature: '0.4' }, { credential: 'c-1' }),
  node('chatAnthropic_0', 'Chat Models', { modelName: 'claude' }),
  node('customTool_0', 'Tools', { func: 'return process.exit()' }),
  node('chatPromptTemplate_0', 'Prompts', { systemMessagePrompt: 'Answer from {context} only.' }),
  node('first_0', 'Chains', { systemMessagePrompt: 'Never this.' }),
  node('conversationChain_0', 'Chains', {
    model: '{{chatOpenAI_0.data.instance}}',
    systemMessagePrompt: '{{chatPromptTemplate_0.data.instance}}',
    chatPromptTemplate: '{{chatPromptTemplate_0.data.instance}}'
  })
]
const edges = [{ source: 'first_0', target: 'conversationChain_0' }]

t.test('a chatflow of Flowise becomes an agent: the last chain, its prompt and its model', (t) => {
  const { plan } = asked({ 'flows/Shop Chatflow.json': { nodes, edges } })
  t.match(plan, {
    kind: 'flowise',
    agents: [{
      fields: {
        name: 'Shop Chatflow',
        systemPrompt: 'Answer from {context} only.',
        status: 'Inactive',
        model: { response_model: 'gpt-4o-mini', temperature: 0.4 }
      }
    }]
  })
  const why = (end: string) => plan.report.find(({ at }) => at.endsWith(end))?.why
  t.match(why('systemMessagePrompt'), /^\{context\} stayed as written/)
  t.match(why('/temperature'), 'It was written as a text.')
  t.match(why('/nodes/0/data/credential'), /Keys are not in the file/)
  t.match(why('/nodes/1'), /^chatAnthropic_0: an agent has no such node/)
  t.match(why('/nodes/2'), /^customTool_0: The JavaScript of tools is not run/)
  const bare = { nodes: [{ data: { name: 'sticky', inputs: {} } }, { data: { inputs: 'x' } }] }
  t.match(asked({ 'x.json': bare }).plan.agents[0]!.fields, { name: 'x', systemPrompt: /^You help/, model: undefined })
  t.end()
})

t.test('"Export All" of Flowise comes with its flows and the documents that each searches', (t) => {
  const chunk = (docId: string, chunkNo: unknown, pageContent: string, storeId = 's-1', metadata = '{"source":"r.pdf"}') =>
    ({ id: `${docId}${String(chunkNo)}`, docId, storeId, chunkNo, pageContent, metadata })
  const chatbotConfig = JSON.stringify({
    starterPrompts: { 0: { prompt: 'Where is my order?' }, 1: 'How long?' },
    allowedOrigins: ['https://a.example'],
    leads: { status: true }
  })
  const v2 = [node('agentAgentflow_0', 'Agent Flows', {
    agentModel: 'chatOpenAI',
    agentModelConfig: { modelName: 'gpt-4.1', temperature: 9 },
    agentMessages: [{ role: 'user', content: 'No.' }, { role: 'system', content: 'Be kind.' }],
    stores: 's-2'
  })]
  const shared = 'this end of one is the beginning of the next'
  const { plan } = asked({
    'all.json': {
      ChatFlow: [{ id: 'f-1', name: 'Shop', flowData: JSON.stringify({ nodes, edges, more: 's-1' }), chatbotConfig }],
      AgentFlowV2: [{ id: 'f-2', name: 'Team', flowData: JSON.stringify({ nodes: v2 }) }, { name: 'Bad', flowData: '{' }],
      DocumentStore: [{ id: 's-1', name: 'Store' }],
      DocumentStoreFileChunk: [
        chunk('d-1', '10', `${shared} and more`), chunk('d-1', 2, `Returns. ${shared}`), chunk('d-1', 11, 'Last.'),
        chunk('d-2', 1, 'Fees', 's-2', 'none'), chunk('d-3', 1, 'Nobody reads', 's-3'), chunk('d-4', 1, ' ')
      ],
      Tool: [{ name: 't', func: 'x' }],
      Variable: 'none'
    }
  })
  t.match(plan.agents, [
    {
      key: 'f-1',
      fields: { name: 'Shop', behavior: { suggestions: ['Where is my order?', 'How long?'], collectVisitorData: true } },
      sources: [{ type: 'text', title: 'r.pdf', text: `Returns. ${shared} and more\n\nLast.` }]
    },
    {
      fields: { systemPrompt: 'Be kind.', model: { response_model: 'gpt-4.1', temperature: 2 } },
      sources: [{ title: 'Document', text: 'Fees' }]
    },
    { fields: { name: 'Bad' } },
    { key: 'documents', sources: [{ text: 'Nobody reads' }] }
  ])
  t.ok(of(plan, 'not_carried').includes('all.json/ChatFlow/0/chatbotConfig/allowedOrigins'))
  t.ok(of(plan, 'not_carried').includes('all.json/Tool/0'))
  const alone = { AgentFlow: [{ name: 'One', flowData: '{}' }], DocumentStoreFileChunk: [{ pageContent: 'Text' }] }
  t.match(asked({ 'x.json': alone }).plan.agents, [{ fields: { name: 'One' }, sources: [{ text: 'Text' }] }])
  t.end()
})

t.test('every text of a file of Flowise is in the agent, in a source or in the report', (t) => {
  const text = fc.string({ maxLength: 20 })
  const any = fc.jsonValue({ maxDepth: 3 })
  const inputs = record({
    modelName: text,
    temperature: fc.oneof(text, fc.double({ noNaN: true })),
    systemMessage: text,
    template: text,
    any,
    agentMessages: list(record({ role: fc.constantFrom('system', 'user'), content: text }))
  })
  const data = record({
    name: fc.constantFrom('toolAgent', 'llmAgentflow'),
    label: text,
    credential: text,
    inputs,
    any,
    category: fc.constantFrom('Chains', 'Chat Models', 'Tools', 'Prompts')
  })
  const flow = fc.record({ nodes: list(record({ id: text, data, any })), edges: any, more: any })
  const starterPrompts = fc.oneof(any, list(record({ prompt: text })))
  const config = record({ starterPrompts, allowedOrigins: any, more: any })
  const one = fc.record({ name: text, id: text, flowData: flow, chatbotConfig: config, more: any })
  const chunk = record({
    pageContent: text, docId: text, storeId: text, chunkNo: any, metadata: record({ source: text, more: text })
  })
  type Flow = { flowData: unknown, chatbotConfig: unknown }
  const packed = (flow: Flow) =>
    ({ ...flow, flowData: JSON.stringify(flow.flowData), chatbotConfig: JSON.stringify(flow.chatbotConfig) })
  const ChatFlow = fc.array(one, { maxLength: 2 })
  const everything = fc.record({ ChatFlow, DocumentStoreFileChunk: list(chunk), Tool: any })
  nothingIsLost(everything,
    (all) => ({ ...all, ChatFlow: (all.ChatFlow as Flow[]).map(packed) }))
  nothingIsLost(one, (flow) => packed(flow as Flow))
  t.end()
})
