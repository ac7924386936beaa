import t from 'tap'
import type { GuardRule } from '../../schema/guards.ts'
import { previewed, type Said } from '../../src/guards/index.ts'

const RULE = {
  name: 'Lawsuits',
  when: 'asked',
  match: { by: 'words', of: ['lawsuit'] },
  do: 'refuse',
  text: 'I cannot talk about that.',
  tests: { match: [], no_match: [] },
  enabled: true,
  acts_on_most: false
} as unknown as GuardRule

t.test('rules are tried on the last ten thousand messages, others have their turn meanwhile, and it says when there were more', async (t) => {
  async function * said (parts: number): AsyncGenerator<Said[]> {
    for (let part = 0; part < parts; part++) {
      yield Array.from({ length: 1000 }, (_, i) => ({
        conversation: 'conv_1', message: `msg_${part}_${i}`, role: 'visitor' as const, text: i % 10 ? 'How do I return a lamp? '.repeat(20) : 'A lawsuit'
      }))
    }
  }
  let turns = 0
  const timer = setInterval(() => { turns++ }, 1)
  const some = await previewed([RULE], said(2), {})
  t.match(some, { rules: [{ matches: 200 }] })
  const found = await previewed([RULE], said(12), {})
  clearInterval(timer)
  t.match(found, { rules: [{ matches: 1000 }] })
  t.not(JSON.stringify({ ...some, rules: [] }), JSON.stringify({ ...found, rules: [] }), 'that there were more is said')
  t.ok(turns > 0, 'others had their turn')
})
