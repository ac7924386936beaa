import '../bare-children.ts'
import { chmodSync, writeFileSync } from 'node:fs'
import path from 'node:path'
import t from 'tap'
import { planApart, type Plan } from '../../src/imports/index.ts'
import { contentOf, linesOf } from '../../src/imports/child.ts'
import { asked } from './helper.ts'

/** What the lines of an answer amount to again. */
function joined (lines: any[]): Plan {
  const [{ kind, agents }, ...rest] = lines
  const plan = { kind, agents: structuredClone(agents), report: [] as unknown[] }
  for (const { of: [i, j] = [], piece, report = [] } of rest) {
    if (piece !== undefined) {
      const source = plan.agents[i].sources[j]
      source['text' in source ? 'text' : 'file'] += piece
    }
    plan.report.push(...report)
  }
  return plan as unknown as Plan
}

t.test('a plan comes as lines that whoever waits reads a little at a time, and that come to the whole again', (t) => {
  const long = 'Returns are accepted within 30 days. '.repeat(5000)
  const { plan } = asked({
    'captain.json': {
      assistant: { name: 'Shop', config: { instructions: 'Be brief.' } },
      documents: [{ id: 1, name: 'Returns', content: long, status: 'available' }],
      responses: Array.from({ length: 300 }, (_, id) => ({
        id, question: `Question ${id}?`, answer: 'Yes.', status: id % 2 ? 'approved' : 'pending', documentable_type: 'x'
      }))
    }
  })
  const lines = [...linesOf({ plan })]
  t.ok(lines.length > 4, `${lines.length} lines`)
  t.ok(lines.every((line) => JSON.stringify(line).length < 200_000), 'none is long')
  t.strictSame(lines.at(-1), { isWhole: true })
  t.strictSame(joined(lines), plan)
  t.ok(plan.agents.some(({ sources }) => sources.some((one) => contentOf(one).includes('within 30 days'))))
  const refused = { error: { code: 'unreadable', message: 'No.' } }
  t.strictSame([...linesOf(refused)], [refused], 'and what is refused is one line')
  t.end()
})

t.test('tools with parameters become actions that are off, with what each parameter is', (t) => {
  const { plan: { agents: [captain] } } = asked({
    'captain.json': {
      assistant: { name: 'Shop', config: { instructions: 'Be brief.' } },
      custom_tools: [{
        slug: 'custom_get_order',
        title: 'Get order',
        description: 'Looks an order up',
        http_method: 'GET',
        endpoint_url: 'https://api.shop.example.com/orders/{{ order_id }}',
        auth_type: 'none',
        param_schema: [
          { name: 'order_id', type: 'string', description: 'its number', required: true },
          { name: 'language', type: 'odd', description: 'of the answer', required: false }
        ],
        enabled: true
      }]
    }
  })
  t.match(captain, {
    actions: [{
      draft: {
        effect: 'read',
        path: '/orders/{order_id}',
        parameters: [
          { name: 'order_id', in: 'path', type: 'string', required: true },
          { name: 'language', in: 'query', type: 'string', required: false }
        ]
      }
    }]
  })
  const { plan: { agents: [openai] } } = asked({
    'assistants.json': {
      object: 'list',
      data: [{
        id: 'asst_1',
        object: 'assistant',
        name: 'Shop',
        tools: [{
          type: 'function',
          function: {
            name: 'get_order',
            description: 'Looks an order up',
            parameters: {
              type: 'object',
              properties: { order_id: { type: 'string', description: 'its number' }, odd: 1 },
              required: ['order_id']
            }
          }
        }]
      }]
    }
  })
  t.match(openai, {
    actions: [{ draft: { parameters: [{ name: 'order_id', description: 'its number', required: true }, { name: 'odd', required: false }] } }]
  })
  t.end()
})

t.test('a function whose name may not stand in an address becomes no action, and the report says so', (t) => {
  const { plan } = asked({
    'assistants.json': { object: 'list', data: [{ id: 'asst_1', object: 'assistant', name: 'Shop', tools: [{ type: 'function', function: { name: 'get order', parameters: {} } }] }] }
  })
  t.strictSame(plan.agents[0]!.actions, [])
  t.match(plan.report.find(({ at }) => at.endsWith('/tools/0')), { outcome: 'not_carried', why: /Make one in Actions, by hand/ })
  t.end()
})

t.test('a step of a Dify flow that asks an address becomes an action: its query and its flat body are parameters', (t) => {
  const request = (id: string, data: object) => ({ id, data: { type: 'http-request', title: 'Return it', desc: 'When asked', method: 'post', url: 'https://api.shop.example.com/returns', headers: '', params: '', body: { type: 'none', data: [] }, ...data } })
  const said = (body: string) => ({ body: { type: 'json', data: [{ type: 'text', value: body }] } })
  const nodes = [
    request('plain', {
      url: 'https://api.shop.example.com/orders/{{#start.order_id#}}/returns?channel=chat',
      params: 'lang:en\n reason:{{#start.reason#}}',
      ...said('{"count": {{#start.count#}}, "comment": "{{#start.comment#}}", "source": "dify", "express": true}')
    }),
    request('text', said('no JSON')),
    request('list', said('[1]')),
    request('deep', said('{"customer": {"id": 1}}')),
    request('renamed', said('{"number": "{{#start.order_id#}}"}')),
    request('mixed', said('{"text": "Order {{#start.order_id#}}"}')),
    request('form', { body: { type: 'form-data', data: [] } }),
    request('signed', { headers: 'X-Key: {{#env.key#}}' }),
    { id: 'code', data: { type: 'code', code: 'print(1)' } }
  ]
  const { plan } = asked({ 'flow.json': { kind: 'app', version: '0.3.1', app: { name: 'Flow', mode: 'advanced-chat' }, workflow: { graph: { nodes } } } })
  t.match(plan.agents[0]!.actions, [{
    key: 'plain',
    connection: { name: 'api.shop.example.com', base_url: 'https://api.shop.example.com' },
    draft: {
      name: 'return_it',
      title: 'Return it',
      when: 'When asked',
      effect: 'write',
      method: 'POST',
      path: '/orders/{order_id}/returns',
      parameters: [
        { name: 'order_id', in: 'path', required: true },
        { name: 'channel', in: 'query', from: 'constant', value: 'chat' },
        { name: 'lang', in: 'query', from: 'constant', value: 'en' },
        { name: 'reason', in: 'query', type: 'string' },
        { name: 'count', in: 'body', type: 'string' },
        { name: 'comment', in: 'body', type: 'string' },
        { name: 'source', in: 'body', from: 'constant', type: 'string', value: 'dify' },
        { name: 'express', in: 'body', from: 'constant', type: 'boolean', value: true }
      ]
    }
  }])
  t.equal(plan.agents[0]!.actions!.length, 1)
  const dropped = plan.report.filter(({ at, outcome }) => outcome === 'not_carried' && /nodes\/\d+$/.test(at))
  t.equal(dropped.length, nodes.length - 1, 'each other step is told of')
  t.match(plan.report.find(({ at }) => at.endsWith('nodes/0')), { outcome: 'changed', to: 'actions' })
  t.end()
})

t.test('articles stand in the folders that their sections, categories and collections are', (t) => {
  const foldersOf = (files: Record<string, unknown>) =>
    asked(files).plan.agents[0]!.sources.map(({ folder }) => folder ?? [])
  t.strictSame(foldersOf({
    'articles.json': {
      articles: [
        { id: 1, title: 'Returns', body: '<p>In 30 days.</p>', section_id: 3 },
        { id: 2, title: 'Fees', body: '<p>None.</p>', section_id: 9 },
        { id: 3, title: 'Circles', body: '<p>Round.</p>', section_id: 5 }
      ]
    },
    'sections.json': {
      sections: [
        { id: 3, name: 'Sent back', parent_section_id: 2 },
        { id: 2, name: 'Orders', category_id: 1 },
        { id: 5, name: 'Round', parent_section_id: 5 },
        { id: 6 }
      ]
    },
    'categories.json': { categories: [{ id: 1, name: 'Shop' }] }
  }), [['Shop', 'Orders', 'Sent back'], [], Array(20).fill('Round')])
  t.strictSame(foldersOf({
    'articles.json': { data: [{ id: '1', title: 'Returns', body: '<p>In 30 days.</p>', state: 'published', parent_id: 8 }] },
    'collections.json': { data: [{ id: '8', name: 'Orders', parent_id: '7' }, { id: '7', name: 'Shop' }] }
  }), [['Shop', 'Orders']])
  t.end()
})

t.test('a plan that does not come whole, or with something else in it, is no plan', async (t) => {
  const head = { kind: 'captain', agents: [] }
  const said: Array<[lines: object[], refused: RegExp]> = [
    [[], /gave no agent/], [[{ isWhole: true }], /gave no agent/], [[head], /gave no agent/],
    [[head, { report: [] }, { nothing: true }], /gave no agent/], [[head, { error: { code: 'x', message: 'No.' } }], /^No\.$/]
  ]
  const program = path.join(t.testdir({ program: '' }), 'program')
  t.intercept(process, 'execPath', { value: program })
  for (const [lines, refused] of said) {
    writeFileSync(program, ['#!/bin/sh', ...lines.map((line) => `echo '${JSON.stringify(line)}'`)].join('\n'))
    chmodSync(program, 0o755)
    await t.rejects(planApart([['a.json', Buffer.from('{}')]]), { code: 'VALIDATION_ERROR', message: refused }, JSON.stringify(lines))
  }
  writeFileSync(program, '#!/bin/sh\nexit 3\n')
  await t.rejects(planApart([['a.json', Buffer.from('{}')]]), { code: 'VALIDATION_ERROR', message: /stopped at these/ })
})
