import t from 'tap'
import { parsed } from '../../src/config-as-code/files/parse.ts'
import { inFiles, SHOP } from './helper.ts'

t.test('what cannot be read as YAML is said of one file, whatever is in it', async (t) => {
  const faults = (text: string, path = 'a.yaml') => parsed(path, text).faults
  const bomb = ['a: &a [x, x]', ...'bcdefgh'.split('').map((name, at) => {
    const before = 'abcdefgh'[at]
    return `${name}: &${name} [${Array(10).fill(`*${before}`).join(', ')}]`
  })].join('\n')
  t.match(faults(bomb), [/^a\.yaml:1:1: a file may have 100 aliases\.$/])
  t.match(faults('['.repeat(100_000)), [/^a\.yaml:1:\d+: /])
  t.match(faults('a: &x 1\nb:\n' + '  - *x\n'.repeat(200)), [/^a\.yaml:\d+:\d+: a file may have 100 aliases\.$/])
  t.match(faults('a: !!binary aGk=\n'), [/the only tag is !unset/])
  t.match(faults('a: [!unset ]\n'), [/^a\.yaml:1:\d+: !unset gives a field of an object its default/])
  t.match(faults('a\n"b,c', 'b.csv'), [/^b\.csv:\d+:1: /])
  t.match(faults('question,answer\nHow?,\n', 'b.csv'), ['b.csv:2:1: each line has a question and its answer.'])
  t.same(parsed('a.yaml', 'a: !unset\nb: 1\n'), {
    path: 'a.yaml', value: { b: 1 }, unset: [['a']], places: new Map([['', '1:1'], ['a', '1:1'], ['b', '2:1']]), faults: []
  })
})

t.test('what stands cannot become another thing: an action of another name, a source of nothing', async (t) => {
  const { apply, faults } = await inFiles(t)
  await apply(SHOP)
  const renamed = SHOP['actions/shop.yaml']!.replace('  - key: track_order\n', '  - key: track_order\n    name: other\n')
  t.match(await faults({ ...SHOP, 'actions/shop.yaml': renamed }), [
    /actions\/shop\.yaml:\d+:\d+: the name of an action cannot change: it is track_order\./
  ])
  t.match(await faults({ ...SHOP, 'agents/support/sources.yaml': '- key: returns\n' }), [
    /sources\.yaml:1:3: give exactly one of text, faq, file, urls and drive\./
  ])
})
