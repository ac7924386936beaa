import t from 'tap'
import { build } from '../helper.ts'
import { emptyDatabase } from './database.ts'

/** A shop's texts, some hundred passages: no two alike, and many with words that others have too. */
const SHOP = Array.from({ length: 60 }, (_, i) => `# Shelf ${i}

Kettle number ${i} costs ${20 + i} euros and boils ${1 + (i % 4)} litres. ${i % 3 === 0 ? 'It is delivered to Norway in nine days.' : 'It stays in the shop.'}

## Returns of shelf ${i}

What was bought from shelf ${i} can be returned within ${10 + i} days${i % 7 === 0 ? ', also without its box' : ''}.`)

const ASKED = [
  'How much is kettle number 7?', 'Do you deliver to Norway?', 'returns without the box', 'kettle', 'How many days for shelf 42?',
  'Wie lange kann ich etwas zurückgeben?', 'boils three litres', 'nothing of the kind', 'shelf 12 euros', 'euros euros euros'
]

t.test('search finds the same in PostgreSQL as in a file, in the same order and with the same scores', async (t) => {
  async function found (database: string) {
    const { user, settled } = await build(t, { AGENTHALL_DATABASE: database }, { directory: t.testdir({}) })
    const me = await user()
    await me.post('/v1/agents', { name: 'Shop', systemPrompt: 'You help.' })
    const sources = '/v1/agents/1/knowledge_sources'
    // One after the other: of what scores the same, what was trained first comes first.
    for (const text of SHOP) {
      await me.post(sources, { plain_text: text, title: text.slice(2, 10) })
      await settled()
    }
    const ask = async () => await Promise.all(ASKED.map(async (query) =>
      (await me.post('/v1/agents/1/search', { query, limit: 20 })).json().data))
    const before = await ask()
    await me.delete(`${sources}/3`)
    await me.put(`${sources}/5`, { plain_text: SHOP[1]! })
    await settled()
    return [before, await ask()]
  }
  const [inFile, inPostgres] = [await found(''), await found(await emptyDatabase(t))]
  t.ok(inFile[0]!.flat().length > 50)
  t.strictSame(inPostgres, inFile)
})
