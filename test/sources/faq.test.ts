import t from 'tap'
import { build } from '../helper.ts'
import { agentOf, form, trainAll } from './parts.ts'

const RETURNS = { question: 'How long do I have\nto return an item?', answer: 'Thirty days.\n\nBring the receipt.' }
const SHIPPING = { question: 'Where do you ship to?', answer: 'Everywhere in Europe.' }

t.test('questions and answers are one passage a pair, found by the question and by the answer', async (t) => {
  // Was wrong: there was no such source; as a text, short pairs were merged into one passage.
  const built = await build(t)
  const as = await built.user()
  const { sources, search, text, read, used, id } = await agentOf(as)
  const added = await as.post(sources, { faq: [RETURNS, SHIPPING] })
  t.equal(added.statusCode, 201)
  const [faq] = added.json().data
  t.match(faq, { type: 'faq', title: 'Questions and answers', plain_text: null, status: 'Pending' })
  await trainAll(t, built)
  t.match(await read(faq.id), { status: 'Success', metadata: { format: 'text', no_of_rows: 2 } })
  const kept =
    'How long do I have to return an item?\nThirty days.\nBring the receipt.\n\nWhere do you ship to?\nEverywhere in Europe.'
  t.equal(await text(faq.id), kept)
  t.equal(await used(), kept.length)
  t.match(await search('return an item'), [
    {
      text: 'How long do I have to return an item?\nThirty days.\nBring the receipt.',
      heading: 'How long do I have to return an item?',
      row: 1,
      type: 'faq'
    }
  ])
  t.match((await search('europe')).map(({ row }) => row), [2])

  t.equal((await as.put(`${sources}/${faq.id}`, { faq: [SHIPPING] })).statusCode, 200)
  await trainAll(t, built)
  t.same(await search('receipt'), [])
  t.equal(await text(faq.id), 'Where do you ship to?\nEverywhere in Europe.')
  t.equal(
    (await as.put(`${sources}/${faq.id}`, { ...(await read(faq.id)), title: 'Shipping' })).statusCode,
    200,
    'what was read can be put back'
  )
  t.match((await as.post(`${sources}/preview`, { faq: [SHIPPING] })).json().data, {
    bytes: 43, fits: true, no_of_rows: 1
  })

  const other = (await as.post(sources, { plain_text: 'x' })).json().data[0]
  t.match((await as.put(`${sources}/${other.id}`, { faq: [SHIPPING] })).json().error.details, [{ field: 'faq' }])
  t.match((await as.post(sources, { faq: [{ question: ' ', answer: 'x' }] })).json().error.code, 'VALIDATION_ERROR')
  t.match((await as.post(sources, { faq: [SHIPPING], plain_text: 'x' })).json().error.details, [
    { message: /exactly one of/ }
  ])
  t.equal(
    (await as.post('/v1/agents/', { name: 'B', systemPrompt: 'x', knowledge_sources: [{ faq: [SHIPPING] }] })).json()
      .data.knowledge_sources[0].type,
    'faq',
    'with a new agent'
  )
  t.ok(id)
})

t.test('a preview of a table of questions and answers costs what the source will', async (t) => {
  // Was wrong: the bytes of the table were counted, not those of the pairs.
  const built = await build(t)
  const as = await built.user()
  const { sources, used } = await agentOf(as)
  const table = { name: 'file', file: 'faq.csv', body: 'question,answer\nWhere do you ship to?,"Everywhere, nearly."\n' }
  const type = { name: 'type', body: 'faq' }
  const { bytes, no_of_rows: rows } = (await as.post(`${sources}/preview`, ...form(type, table))).json().data
  t.equal(rows, 1)
  t.equal((await as.post(sources, ...form(type, table))).statusCode, 201)
  await trainAll(t, built)
  t.equal(bytes, await used())
  // A promise that changed: the headers of two columns suffice to declare questions and answers.
  t.equal((await as.post(`${sources}/preview`, ...form(table))).json().data.bytes, bytes, 'as a document it is the same')
  const other = { ...table, body: table.body.replace('question,answer', 'place,terms') }
  t.not((await as.post(`${sources}/preview`, ...form(other))).json().data.bytes, bytes, 'under other heads it is a table')
  const late = await as.post(`${sources}/preview`, ...form(table, type))
  t.match(late.json().error.details, [{ field: 'type', message: /before the file/ }])
})

t.test('a source may say its type, as answers show it; one that does not go with what is given is refused', async (t) => {
  // Was wrong: `type` was an unknown field, so that `type: faq` could be given for an upload only.
  const built = await build(t)
  const as = await built.user()
  const { sources } = await agentOf(as)
  const given = {
    faq: { faq: [SHIPPING] },
    text: { plain_text: 'x' },
    website: { urls: ['https://example.com/'] },
    google_drive: { google_drive_file_id: 'abc' }
  }
  for (const [type, draft] of Object.entries(given)) {
    const added = await as.post(sources, { type, ...draft })
    t.equal(added.statusCode, 201, type)
    t.match(added.json().data, [{ type }])
    const inline = { name: 'B', systemPrompt: 'x', knowledge_sources: [{ type, ...draft }] }
    t.match((await as.post('/v1/agents/', inline)).json().data?.knowledge_sources, [{ type }], `${type} with an agent`)
    for (const other of [...Object.keys(given), 'docs', 'film'].filter((name) => name !== type)) {
      t.match(
        (await as.post(sources, { type: other, ...draft })).json().error?.details,
        [{ field: 'type' }],
        `${other} of ${type}`
      )
    }
  }
  t.match(
    (await as.post(sources, { type: 'faq', plain_text: 'x' })).json().error.details,
    [{ message: 'type must be "text" with plain_text; leave it out, or give what goes with it.' }]
  )
  const agent = { name: 'B', systemPrompt: 'x', knowledge_sources: [{ type: 'docs', plain_text: 'x' }] }
  t.match((await as.post('/v1/agents/', agent)).json().error.details, [{ field: 'knowledge_sources[0].type' }])
})

t.test('a CSV file of two columns and a JSON list are read as pairs; anything else says how to save it', async (t) => {
  const built = await build(t)
  const as = await built.user()
  const { sources, search, read, list, train } = await agentOf(as)
  const upload = async (file: string, body: string) =>
    (await as.post(sources, ...form({ name: 'type', body: 'faq' }, { name: 'file', file, body }))).json().data[0]
      .id as number
  const csv = await upload(
    'a.csv', 'Question,Answer\n"Do you sell zebras?","No, never."\nDo you sell giraffes?,On Mondays.\n'
  )
  const bare = await upload('b.csv', 'Do you sell lions?;Sometimes.\nDo you sell tigers?;Rarely.\n')
  const json = await upload('c.json', JSON.stringify([{ question: 'Do you sell okapis?', answer: 'Yes.' }]))
  const wrong = [
    await upload('d.txt', 'Only a text.'),
    await upload('e.json', '{"a": 1}'),
    await upload('f.json', '[{"q": "x"}]'),
    await upload('g.csv', 'one\ntwo\n')
  ]
  await trainAll(t, built)
  t.match(await read(csv), {
    type: 'faq', status: 'Success', title: 'a.csv', metadata: { format: 'csv', no_of_rows: 2 }
  })
  t.match(await read(bare), { status: 'Success', metadata: { no_of_rows: 2 } })
  t.match(await read(json), { status: 'Success', metadata: { format: 'json', no_of_rows: 1 } })
  t.match(await search('giraffes mondays', 1), [{ text: 'Do you sell giraffes?\nOn Mondays.', row: 2 }])
  t.match(await search('lions', 1), [{ text: 'Do you sell lions?\nSometimes.', row: 1 }])
  for (const id of wrong) {
    t.match(await read(id), { status: 'Failed', error: { code: 'unsupported_format', message: /two columns/ } })
  }
  t.equal((await list()).length, 7)
  await train(csv)
  await trainAll(t, built)
  t.match(await read(csv), { status: 'Success' }, 'the file is kept, to be trained again')
  const refused = await as.post(
    sources, ...form({ name: 'type', body: 'website' }, { name: 'file', file: 'a.csv', body: 'a,b' })
  )
  t.match(refused.json().error.details, [{ field: 'type', message: /docs or faq/ }])
})
