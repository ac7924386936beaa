import fc from 'fast-check'
import t from 'tap'
import { stringify } from 'yaml'
import { carried, carriedAsJson } from '../../src/config-as-code/files/write.ts'
import { yamlOf } from '../../src/config-as-code/files/yaml.ts'
import { longestTurn } from '../linear/turns.ts'

const whole = (value: unknown) => stringify(value, {
  version: '1.2', schema: 'core', lineWidth: 0, aliasDuplicateObjects: false, blockQuote: 'literal'
})

t.test('YAML in pieces is byte for byte what it is at one stretch', (t) => {
  const leaf = fc.oneof(
    fc.string({ unit: fc.constantFrom('a', ' ', '\n', ':', '#', '"', "'", '-', '漢', '\t') }), fc.integer(), fc.boolean(), fc.constant(null)
  )
  const many = fc.array(leaf, { minLength: 190, maxLength: 210 })
  const value = fc.oneof(
    leaf, many, fc.array(fc.record({ 'a: b': leaf, c: many, d: fc.constant([]), e: fc.constant({}) }), { maxLength: 4 }),
    fc.dictionary(fc.string({ unit: fc.constantFrom('a', 'b', ' ', ':', 'é'), maxLength: 8 }), fc.oneof(leaf, many, fc.dictionary(fc.string({ unit: 'grapheme-ascii' }), many, { maxKeys: 3 })))
  )
  fc.assert(fc.property(value, (one) => { t.equal([...yamlOf(one)].join(''), whole(one)) }), { numRuns: 30 })
  // Was wrong: what is too long only with its name was split forever.
  for (const size of [196, 197, 198, 199, 200, 201]) {
    const one = { a: { b: Array.from({ length: size }, () => 1) }, c: [Array.from({ length: size }, () => 'x')] }
    t.equal([...yamlOf(one)].join(''), whole(one))
  }
  t.end()
})

t.test('each piece is written in little time', async (t) => {
  const rules = Array.from({ length: 50 }, (_none, i) => ({ name: `r${i}`, match: { of: Array.from({ length: 100 }, (_no, j) => `word ${i} ${j}`) } }))
  const longest = await longestTurn(25, async () => {
    const writing = yamlOf({ key: 'a', behavior: { rules } })
    while (!writing.next().done) await new Promise(setImmediate)
  })
  t.ok(longest <= 25, `${longest} ms`)
})

t.test('a file in an answer is the same in pieces', (t) => {
  for (const bytes of [
    Buffer.from(''), Buffer.from('\uFEFFText "with" \\ marks\n'), Buffer.from('漢😀'.repeat(200_000)), Buffer.from([0xff, 0xfe, 1]),
    Buffer.alloc(1_000_001, 7).fill(0, 500), Buffer.from('a\0b')
  ]) {
    t.same(JSON.parse([...carriedAsJson('a"b', bytes)].join('')), carried('a"b', bytes))
  }
  t.end()
})
