import t from 'tap'
import { staged } from '../../src/config-as-code/applying/staging.ts'
import { build } from '../helper.ts'

t.test('what cannot be staged is said with its file, and what was staged before it is given up', async (t) => {
  const { stores } = await build(t)
  const { blobs } = stores.knowledge
  const step = (place: string, next: object, content?: Buffer) => ({
    kind: 'source',
    action: 'create',
    place,
    next: { selected: true, type: 'text', ...next },
    content,
    changes: [],
    given: { key: place, at: 'sources.yaml:1:3' }
  })
  const parts = { knowledge: { blobs } } as unknown as Parameters<typeof staged>[0]
  const kept = () => stores.db.raw.prepare("select count(*) from blobs where state = 'staged'").pluck().get()
  const text = step('a', {}, Buffer.from('# Returns\n\nWithin 30 days.'))
  const wrong = step('b', { type: 'website', urls: ['no address'] })
  await t.rejects(staged(parts, [text, wrong] as never), { code: 'VALIDATION_ERROR', message: /sources\.yaml:1:3|details/ })
  t.equal(kept(), 0)
  const found = await staged(parts, [text] as never)
  t.strictSame([...found.keys()], ['a'])
})
