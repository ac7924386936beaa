import { chmodSync } from 'node:fs'
import path from 'node:path'
import fc from 'fast-check'
import t from 'tap'
import { respond } from '../../src/config-as-code/files/child.ts'
import { Assembled, nodesOf } from '../../src/config-as-code/files/lines.ts'
import { heldApart } from '../linear/apart.ts'
import { form } from '../sources/parts.ts'
import { inFiles, SHOP, HEAD, type Files } from './helper.ts'

const agent = 'agents/support/agent.yaml'

t.test('what is wrong with files is told by file, line and column', async (t) => {
  const { faults } = await inFiles(t)
  const of = async (files: Files) => await faults({ ...SHOP, ...files })
  t.strictSame(await of({ [agent]: 'key: support\nappearance:\n  welcomMessage: Hi\n' }), [
    'agents/support/agent.yaml:3:3: appearance.welcomMessage is not a known field; did you mean "welcomeMessage"?.'.replace('?.', '?')
  ])
  t.match(await of({ [agent]: 'key: support\nname: [1,\n' }), [/^agents\/support\/agent\.yaml:3:1: /])
  t.match(await of({ [agent]: 'key: support\nstatus: Maybe\nbehavior: { suggestions: [1] }\n' }), [
    /^agents\/support\/agent\.yaml:2:1: status must be "Active" or "Inactive"/, /^agents\/support\/agent\.yaml:3:27: behavior\.suggestions\[0\] must be a string/
  ])
  t.match(await of({ [agent]: 'key: support\nname: !!str x\n' }), [/agent\.yaml:2:\d+: the only tag is !unset; \S+ is not supported/])
  t.match(await of({ [agent]: 'key: support\nbehavior: { suggestions: [!unset ] }\n' }), [/agent\.yaml:2:\d+: !unset gives a field of an object its default/])
  t.match(await of({ [agent]: 'key: support\nlock: !unset\n' }), [/lock cannot be unset/])
  t.match(await of({ [agent]: 'key: support\nname: !unset\n' }), [/agent\.yaml:1:1: name has no default/])
  t.match(await of({ [agent]: 'key: other\n' }), [/agent\.yaml:1:1: the key is the name of the directory, support/])
  t.match(await of({ [agent]: 'key: support\nsystemPrompt: Hi\n' }), [/systemPrompt is not a known field/])
  t.match(await of({ 'agents/support/promt.md': 'x' }), [/^agents\/support\/promt\.md: no file of this name/])
  t.match(await of({ 'agents/support/sources.yaml': '- key: a\n  text: knowledge/none.md\n- key: b\n' }), [
    /sources\.yaml:1:3: there is no file agents\/support\/knowledge\/none\.md/, /sources\.yaml:3:3: give exactly one of text, faq/
  ])
  t.match(await of({ 'agents/support/knowledge/faq.csv': 'question,answer\nonly one\n' }), [/faq\.csv/])
  t.match(await of({ 'agents/support/knowledge/faq.csv': '"' }), [/faq\.csv:\d+:1/])
  t.match(await of({ 'agents/support/knowledge/faq.csv': 'question,answer\n' }), [/faq\.csv:2:1/])
  t.match(await of({ 'agents/support/knowledge/A b.md': 'x' }), [/its name becomes its key/])
  t.match(await of({ 'business.json': '{}' }), [/business\.json: there is business\.yaml too/])
  t.match(await of({ 'agents/support/sources.yaml': '- key: returns\n  text: knowledge/returns.md\n  sha256: ' + 'a'.repeat(64) + '\n' }), [/sha256 does not match/])
  t.match(await of({ 'agents/support/knowledge/returns.md': ' \n' }), [/its text is empty/])
  t.match(await of({ 'agents/support/prompt.md': '' }), [/systemPrompt must not be empty/])
  t.match(await of({ 'agents/support/handoff.md': 'To {{shop}}' }), [/agentHandoffPrompt/])
  t.match(await of({ 'agents/support/questions.yaml': '- key: q\n  text: Hm?\n' }), [/questions\.yaml:1:3: expect is needed/])
  t.match(await of({ 'agents/new/agent.yaml': 'key: new\nname: New\n' }), [/agents\/new\/agent\.yaml:1:1: systemPrompt is needed to create an agent: write it in prompt\.md/])
  t.match(await of({ 'agents/support/sources.yaml': '- key: x\n  urls: ["http://u:p@example.com/"]\n' }), [/is not a valid address/])
})

t.test('the head of a configuration comes first', async (t) => {
  const { faults } = await inFiles(t)
  t.match(await faults({}), [/agenthall\.yaml is missing/])
  t.match(await faults({ 'agenthall.yaml': 'format: 2\nshapes: [new]\n', 'agents/x.yaml': ':' }), [/^agenthall\.yaml:1:1: This program reads format 1\. The files are of a newer one/])
  t.match(await faults({ 'agenthall.yaml': 'manage: [agents]\n' }), [/format is required/])
  t.match(await faults({ ...SHOP, 'agenthall.yaml': 'format: 1\nmanage: [agents, actions, questions, business]\n' }), [/webhooks\.yaml:1:3: agenthall\.yaml does not manage webhooks/])
  t.match(await faults({ 'agenthall.yaml': HEAD, 'README.md': 'x', '.gitignore': 'x', 'agents/support/.keep': '' }), [undefined])
})

t.test('two objects of one key are told with both places, and so is a key that was another\'s', async (t) => {
  const { faults } = await inFiles(t)
  const twice = '- key: crm\n  url: https://a.example\n  events: [ticket.created]\n- key: crm\n  url: https://b.example\n  events: [ticket.created]\n'
  t.strictSame(await faults({ ...SHOP, 'webhooks.yaml': twice }), ['webhooks.yaml:4:3: the key crm is already used at webhooks.yaml:1:3.'])
  t.match(await faults({ ...SHOP, 'agents/support/agent.yaml': 'key: support\nwas: support\n' }), [/was names the key that it still has/])
  const swapped = '- key: a\n  was: b\n  url: https://a.example\n  events: [ticket.created]\n- key: b\n  url: https://b.example\n  events: [ticket.created]\n'
  t.match(await faults({ ...SHOP, 'webhooks.yaml': swapped }), [/was names b, which is the key of another at webhooks\.yaml:5:3/])
})

t.test('names that lead out of the directory are refused', async (t) => {
  const { me } = await inFiles(t)
  for (const path of ['../agenthall.yaml', 'agents/../../x', '/etc/passwd', 'C:\\x', 'a\\b', 'agents//x', './agenthall.yaml']) {
    const answer = await me.post('/v1/config/plan', { files: [{ path, text: '' }] })
    t.match([answer.statusCode, answer.body], [400, /points outside the directory/], path)
  }
  const twice = await me.post('/v1/config/plan', { files: [{ path: 'agenthall.yaml', text: '' }, { path: 'agenthall.yaml', text: '' }] })
  t.match(twice.body, /it is given twice/)
  const neither = await me.post('/v1/config/plan', { files: [{ path: 'agenthall.yaml' }] })
  t.match(neither.body, /give its text or its base64/)
})

t.test('bombs of YAML are refused at once', async (t) => {
  const { faults } = await inFiles(t)
  const bomb = ['a: &a [x, x, x, x, x, x, x, x, x]', ...'bcdefghi'.split('').map((name, i) => `${name}: &${name} [${Array(9).fill(`*${'abcdefghi'[i]}`).join(', ')}]`)].join('\n')
  t.match(await faults({ ...SHOP, [agent]: bomb }), [/agent\.yaml:1:1: a file may have 100 aliases/])
  t.match(await faults({ ...SHOP, [agent]: 'key: support\nname: &n x\ndescription: [' + '*n,'.repeat(101) + ']' }), [/agent\.yaml:3:\d+: a file may have 100 aliases/])
  t.match(await faults({ ...SHOP, [agent]: 'key: '.padEnd(5) + '['.repeat(50_000) }), [/agent\.yaml/])
  t.match(await faults({ ...SHOP, [agent]: `key: support\nname: &n Support\ndescription: *n\n${'# x\n'.repeat(1000)}` }), [undefined], 'an alias or two is what a person writes')
  t.match(await faults({ ...SHOP, [agent]: `description: ${'x'.repeat(2 ** 20)}\n` }), [/Files of YAML and JSON may be 1 MiB together/])
  t.match(await faults({ ...SHOP, [agent]: '__proto__: { x: 1 }\nkey: support\n' }), [/__proto__ is not a known field/])
})

t.test('where the part that reads files falls over, the files are refused', async (t) => {
  const { faults } = await inFiles(t)
  const program = path.join(t.testdir({ program: '#!/bin/sh\nexit 3\n' }), 'program')
  chmodSync(program, 0o755)
  t.intercept(process, 'execPath', { value: program })
  t.match(await faults(SHOP), [/reads configurations stopped at these files/])
})

t.test('files of 40 MB are refused, and too many', async (t) => {
  const { faults, me } = await inFiles(t)
  const large = Object.fromEntries(['one', 'two'].map((name) =>
    [`agents/support/knowledge/${name}.md`, 'x'.repeat(20 * 2 ** 20)]))
  t.match(await faults({ ...SHOP, ...large }), [/The files are larger than 32 MiB together/])
  const huge = await me.post('/v1/config/plan', { files: [{ path: 'agenthall.yaml', text: 'x'.repeat(49 * 2 ** 20) }] })
  t.equal(huge.statusCode, 413)
})

t.test('a configuration that is too large for one answer is refused with what to ask for instead', async (t) => {
  const { me, apply } = await inFiles(t)
  await apply(SHOP)
  const [{ id }] = (await me.get('/v1/agents')).json().data
  for (const file of ['a.txt', 'b.txt']) {
    const sent = await me.post(`/v1/agents/${id}/knowledge_sources`, ...form({ name: 'file', file, body: `${file} `.repeat(3 * 2 ** 20) }))
    t.equal(sent.statusCode, 201)
  }
  const whole = await me.get('/v1/config')
  t.match([whole.statusCode, whole.json().error.message], [413, /too large for one response.*format=tar/])
})

const asked = (files: Array<[string, string]>) => [...respond(JSON.stringify(files))]

/** The value that lines say of a file. */
function valueOf (lines: ReturnType<typeof asked>): unknown {
  const put = new Assembled()
  const fit = lines.every((line) => !('nodes' in line) || put.take(JSON.parse(JSON.stringify(line.nodes))))
  return fit ? put.value : 'no value'
}

t.test('what stands in a file is read once, whatever it is', (t) => {
  const lines = asked([['a.yaml', '{"key": "x", "list": [1, {"b": !unset null}]}']])
  t.match(lines, [
    { path: 'a.yaml', faults: [] }, { nodes: [[0, '', {}], [1, 'key', 'x'], [1, 'list', []], [2, '', 1], [2, '', {}]] },
    { unset: [['list', 1, 'b']] }, { places: [['', '1:1'], ['key', '1:2']] }
  ])
  t.strictSame(valueOf(lines), { key: 'x', list: [1, {}] })
  t.match(asked([['a.yaml', '? [a]\n: b\n']]), [{ faults: [] }])
  t.equal(valueOf(asked([['a.csv', 'How?,So.']])), 'How?\nSo.')
  t.equal(valueOf(asked([['a.yaml', '']])), null)
  t.end()
})

// Was wrong: a value was one line, with all that aliases repeat in it: 8 MiB of JSON were parsed at one stretch.
t.test('no line that a child prints is long to read, whatever a file repeats', (t) => {
  const repeated = (items: number) =>
    `a: &a [${'[],'.repeat(items)}]\n` + Array.from({ length: 80 }, (_none, i) => `k${i}: *a\n`).join('')
  const lines = asked([['a.yaml', repeated(2000)]])
  t.ok(lines.every((line) => JSON.stringify(line).length < 100_000))
  const { a, k79 } = valueOf(lines) as Record<string, unknown[]>
  t.match([a?.length, k79], [2000, a])
  t.match(asked([['a.yaml', repeated(4000)]]), [{ faults: [/may hold 250000 values/] }, { nodes: [[0, '', null]] }])
  t.end()
})

t.test('a value is what it was once it is put together, and a child that says something else is not believed', (t) => {
  fc.assert(fc.property(fc.jsonValue({ maxDepth: 5 }), (value) => {
    const lines = [...nodesOf(value)].map((nodes) => ({ nodes }))
    return JSON.stringify(valueOf(lines)) === JSON.stringify(value)
  }))
  t.strictSame(Object.keys(valueOf([...nodesOf(JSON.parse('{"__proto__": {"a": 1}}'))].map((nodes) => ({ nodes }))) as object), ['__proto__'])
  for (const depths of [[1], [0, 2], [0, 1, 3], [0, -1], [0, 0.5], [0, 0]]) {
    t.notOk(new Assembled().take(depths.map((depth) => [depth, '', []])), `${depths}`)
  }
  t.end()
})

// Was wrong when what a child said of all files was read at once, and all of the answer written at once: 46 ms.
t.test('a plan with thousands of test questions holds nobody up', (t) => {
  const held = heldApart(path.join(import.meta.dirname, 'planned-whole.ts'), 20)
  t.ok(held <= 20, `${held} ms at one stretch`)
  t.end()
})

// Was wrong: the validators of all kinds of files were compiled at their first use, several at a stretch: 33 to 64 ms.
t.test('the first files that a server plans hold nobody up, right or wrong', (t) => {
  const held = heldApart(path.join(import.meta.dirname, 'planned-first.ts'), 20)
  t.ok(held <= 20, `${held} ms at one stretch`)
  t.end()
})

// Was wrong: each new question was written and recorded by itself, 5,000 of them in more than a second, at one stretch,
// and then all together in 0.25 s.
t.test('nor does applying it', (t) => {
  const held = heldApart(path.join(import.meta.dirname, 'applied-whole.ts'), 20)
  t.ok(held <= 20, `${held} ms at one stretch`)
  t.end()
})

// Was wrong: the transaction held the event loop for over a millisecond for each, 2.5 s for 1,900 agents.
t.test('many new agents and sources that are applied hold nobody up', (t) => {
  const held = heldApart(path.join(import.meta.dirname, 'applied-many.ts'), 20)
  t.ok(held <= 20, `${held} ms at one stretch`)
  t.end()
})

t.test('nor do many that change', (t) => {
  const held = heldApart(path.join(import.meta.dirname, 'applied-changed.ts'), 20)
  t.ok(held <= 20, `${held} ms at one stretch`)
  t.end()
})
