import t from 'tap'
import { ASSIGNED, AgentPatch } from '../../schema/agents.ts'
import { FIELDS, GROUPS } from '../../src/console/browser/pages/editor/fields.ts'
import { differences, merged, settingsOf, tidied, withSetting } from '../../src/console/browser/pages/editor/merge.ts'
import { en } from '../../src/console/browser/texts/en.ts'
import { changes, schemaAt, type FieldSchema } from '../../src/console/browser/forms.ts'
import { build, draft } from '../helper.ts'

const schema = AgentPatch as unknown as { properties: Record<string, FieldSchema> }

/** Every path at which a patch may set something. */
function settable (properties: Record<string, FieldSchema>, before = ''): string[] {
  return Object.entries(properties).flatMap(([name, inner]) => {
    const path = before + name
    return inner.properties ? settable(inner.properties, `${path}.`) : [path]
  })
}

t.test('the editor lists every field that can be set', async (t) => {
  // When a change takes effect is decided on the page of versions; rules have a page of their own.
  const elsewhere = [...ASSIGNED, 'publish_on_save', 'behavior.guardRules']
  const paths = settable(schema.properties).filter((path) => !elsewhere.includes(path))
  t.ok(paths.length > 40)
  t.strictSame(FIELDS.map(({ path }) => path).sort(), paths.sort())
  t.equal(new Set(GROUPS.map(({ name }) => name)).size, GROUPS.length)
})

t.test('a field is filled in as its schema asks for', async (t) => {
  const kinds: Record<string, string[]> = {
    boolean: ['switch'],
    array: ['lines', 'providers', 'actions'],
    integer: ['number'],
    number: ['number'],
    object: ['translations'],
    string: ['line', 'kind', 'text', 'choice', 'color', 'provider', 'model']
  }
  for (const { path, as, label, choices } of FIELDS) {
    const { type, enum: values, pattern = '' } = schemaAt(schema, path)
    const [kind = ''] = [type].flat()
    t.ok(kinds[kind!]?.includes(as), `${path}: ${kind} as ${as}`)
    t.equal(as === 'choice', values !== undefined || choices !== undefined, `${path}: choices are chosen from`)
    t.equal(as === 'color', pattern.startsWith('^#'), `${path}: colours are picked`)
    t.ok(en.fields[label], path)
    for (const value of values ?? []) t.ok(value in en.choices, `${path}: ${value} has a name`)
  }
  for (const path of Object.keys(en.hints)) t.ok(path in en.fields, `${path} has a hint, and is there`)
})

t.test(
  'of two who changed the same agent nobody loses anything: what differs is chosen from field by field',
  async (t) => {
    const me = await (await build(t)).user()
    const base = settingsOf(
      (await me.post('/v1/agents', { ...draft, description: 'old', behavior: { suggestions: ['a'] } })).json().data
    )
    t.notOk('id' in base, 'what the server assigns is not sent back')
    const mine = { ...base, name: 'Mine', description: 'mine' }
    const theirs = { ...base, name: 'Theirs', model: { ...(base.model as object), temperature: 1 } }
    const found = differences(base, mine, theirs)
    t.strictSame(
      found.map(({ path, likely, isBoth }) => [path, likely, isBoth]),
      [
        ['name', 'mine', true], ['description', 'mine', false], ['model.temperature', 'theirs', false]
      ]
    )
    t.match(merged(theirs, mine, ['description']), { name: 'Theirs', description: 'mine', model: { temperature: 1 } })
    t.match(merged(theirs, mine, ['name']), { name: 'Mine', description: 'old', model: { temperature: 1 } })
    t.match(theirs, { name: 'Theirs', description: 'old' }, 'what was given stays as it is')
  }
)

t.test('empty lines of a list stand there while somebody types, and are not sent', async (t) => {
  const me = await (await build(t)).user()
  const settings = settingsOf(
    (await me.post('/v1/agents', { ...draft, behavior: { suggestions: ['a', '', 'b', ' '] } })).json().data
  )
  t.match(tidied(settings), { behavior: { suggestions: ['a', 'b'] } })
})

t.test('a ticket system that is no longer chosen is no longer the default', (t) => {
  const settings = { name: 'a', ticketing_providers: ['A', 'B'], default_ticketing_provider: 'A' }
  t.match(withSetting(settings, 'name', 'b'), { name: 'b', default_ticketing_provider: 'A' })
  t.match(withSetting(settings, 'ticketing_providers', ['A']), { default_ticketing_provider: 'A' })
  t.match(withSetting(settings, 'ticketing_providers', ['B']), { default_ticketing_provider: null })
  t.match(withSetting(settings, 'default_ticketing_provider', 'B'), { default_ticketing_provider: 'B' })
  t.end()
})

t.test('what is sent is what changed: objects part by part, everything else whole', (t) => {
  const before = { name: 'a', look: { color: 'red', size: { w: 1, h: 2 } }, list: [1, 2], nothing: null }
  t.strictSame(changes(before, structuredClone(before)), {})
  const now = { ...before, name: 'b', look: { color: 'red', size: { w: 1, h: 3 } }, list: [1], nothing: { is: true } }
  t.strictSame(changes(before, now), { name: 'b', look: { size: { h: 3 } }, list: [1], nothing: { is: true } })
  t.strictSame(changes({ look: { color: 'red' } }, { look: null }), { look: null })
  t.end()
})
