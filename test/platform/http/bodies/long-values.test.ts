import { Type } from '@sinclair/typebox'
import fc from 'fast-check'
import t from 'tap'
import { faultsBy, faultsInSteps } from '../../../../src/platform/http/validation.ts'
import { isBlank, isLongerThan, isShorterThan } from '../../../../src/platform/text.ts'
import { longestTurn } from '../../../linear/turns.ts'

const Shape = Type.Object({
  text: Type.Optional(Type.String({ maxLength: 10_000, pattern: '^(?:[^{]|\\{(?!\\{))*$' })),
  said: Type.Optional(Type.String({ minLength: 1, pattern: '\\S' })),
  kinds: Type.Optional(Type.Array(
    Type.Union(Array.from({ length: 20 }, (_none, i) => Type.Literal(`k${i}`))), { maxItems: 20, uniqueItems: true }
  )),
  rules: Type.Optional(Type.Array(Type.Object({ a: Type.Integer(), b: Type.String() }), { maxItems: 50 }))
}, { additionalProperties: false })
const faultsOf = faultsBy(Shape)
const told = (value: unknown) => faultsOf(value).map(({ message }) => message)

// Was wrong when a whole text was counted and its form checked, and each item compared with each: 24 to 44 ms for a
// text of 2 MB, 0.4 s for 10,000 items, 100 ms for 8,000 rules.
t.test('what is too long or too many is refused in no time, and said as before', async (t) => {
  const worst: Array<[object, string]> = [
    [{ text: '{'.repeat(8_000_000) }, 'text must have at most 10000 characters.'],
    [{ text: '😀'.repeat(4_000_000) }, 'text must have at most 10000 characters.'],
    [{ said: Buffer.alloc(30_000_000, ' ').toString() }, 'said must not be blank.'],
    [{ kinds: Array.from({ length: 9900 }, (_none, i) => `x${i}`) }, 'kinds must have at most 20 items.'],
    [{ rules: Array.from({ length: 9000 }, (_none, i) => ({ name: `r${i}` })) }, 'rules must have at most 50 items.']
  ]
  told({ text: '{{' })
  for (const [value, message] of worst) {
    let said: string[] = []
    const longest = await longestTurn(25, async () => { said = told(value) })
    t.ok(said.includes(message), message)
    t.ok(longest <= 25, `${longest} ms`)
  }
})

t.test('bounds count characters, not units', (t) => {
  t.same(told({ text: '😀'.repeat(10_000) }), [])
  t.same(told({ text: '😀'.repeat(10_001) }), ['text must have at most 10000 characters.'])
  t.same(told({ text: 'x'.repeat(10_001) }), ['text must have at most 10000 characters.'])
  t.same(told({ said: '' }), ['said must not be empty.'])
  t.same(told({ kinds: ['k1', 'k1'] }), ['kinds must not hold the same item twice.'])
  t.same(told({ kinds: [{}, {}] }).length > 0, true)
  fc.assert(fc.property(fc.string({ unit: fc.constantFrom('a', '😀', '\ud800', 'é') }), fc.nat(20), (text, bound) => {
    const { length } = [...text]
    t.equal(isLongerThan(text, bound), length > bound)
    t.equal(isShorterThan(text, bound), length < bound)
    t.equal(isBlank(text), text.trim() === '')
  }))
  // Was wrong: a person, an agent or a visitor could be called by a zero-width space, and had no name to see.
  for (const unseen of ['\u200b', ' \u202e\u2066 ', '\u00ad\u2060\ufeff', '\u200d', '\u3164\uffa0', '\u2800', '\ufe0f', '\u0007']) {
    t.ok(isBlank(unseen), JSON.stringify(unseen))
    t.notOk(isBlank(`${unseen}x`))
  }
  t.notOk(isBlank('x' + ' '.repeat(3_000_000)))
  t.notOk(isBlank(' '.repeat(3_000_000) + 'x'))
  t.end()
})

t.test('of a long list an item far behind is named, and those that are looked at', (t) => {
  const Long = faultsBy(Type.Object({ items: Type.Array(Type.Integer(), { maxItems: 1000 }) }))
  const items: unknown[] = Array.from({ length: 500 }, () => 1)
  items[400] = 'x'
  t.same(Long({ items }).map(({ field }) => field), ['items[400]'])
  items[3] = 'x'
  t.same(Long({ items }).map(({ field }) => field), ['items[3]'])
  t.same(Long({ items: Array.from({ length: 1001 }, () => 1) }).map(({ message }) => message), ['items must have at most 1000 items.'])
  t.end()
})

// Was wrong: what describes faults was compiled in the step that found the first one, 20 ms of it for an agent's file.
t.test('of a schema that is used for the first time, what checks and what describes faults are made in steps', async (t) => {
  const find = faultsInSteps(Type.Object({ name: Type.String() }))
  const steps = (value: unknown) => {
    const finding = find(value)
    for (let steps = 0; ; steps++) {
      const { done, value } = finding.next()
      if (done) return { steps, fields: value.map(({ field }) => field) }
    }
  }
  t.strictSame(steps({}), { steps: 2, fields: ['name'] })
  t.strictSame(steps({ name: 'Ada' }), { steps: 2, fields: [] })
})
