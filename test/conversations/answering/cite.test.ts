import fc from 'fast-check'
import t from 'tap'
import { citationsIn, cleaner, linksIn } from '../../../src/conversations/answering/cite.ts'

const isAllowed = linksIn(['See https://shop.example/returns for more.'])
const rules = { isSource: (n: number) => n >= 1 && n <= 3, isAllowed }

/** What is left of a text that comes in these pieces. */
function cleaned (...pieces: string[]): string {
  const { push, end } = cleaner(rules)
  return pieces.map(push).join('') + end()
}

t.test('numbers that name no source are taken out, others stay', async (t) => {
  t.equal(cleaned('Within 30 days [1]. By post [7][2].'), 'Within 30 days [1]. By post[2].')
  t.equal(cleaned('All of it [1, 2, 9].'), 'All of it [1][2].')
  t.equal(cleaned('Nothing [99].'), 'Nothing.')
})

t.test('only addresses that stand in the sources are linked; images and markup never come through', async (t) => {
  t.equal(
    cleaned('[here](https://shop.example/a) and [there](https://evil.example/?q=secret)'),
    '[here](https://shop.example/a) and there'
  )
  t.equal(cleaned('![](https://evil.example/?leak=1) x'), ' x')
  t.equal(cleaned('![a](https://shop.example/a.png) x'), ' x')
  t.equal(
    cleaned('Go to https://evil.example/?leak=1 now, or https://shop.example/b.'),
    'Go to  now, or https://shop.example/b.'
  )
  t.equal(
    cleaned(
      '<a href="https://evil.example">x</a> <img src=x onerror=y> <https://evil.example/x> <https://shop.example/>'
    ),
    'x   <https://shop.example/>'
  )
  t.equal(cleaned('[x](javascript:alert(1)) [y](//evil.example) [z](https://shop.example@evil.example/)'), 'x(1)) y z')
  t.equal(
    cleaned('write to [us](mailto:help@shop.example) or [leak](mailto:a@evil.example?body=secret)'),
    'write to [us](mailto:help@shop.example) or leak'
  )
  t.equal(cleaned('www.evil.example/leak'), '')
  t.equal(
    cleaned('a < b and c > d, list[0] stays'), 'a < b and c > d, list stays', 'a number in brackets is a reference'
  )
})

t.test('an address is linked with no more data than it stands with in the sources', async (t) => {
  const isLinked = linksIn(['Look at https://shop.example/find?q=shoes#top, or (https://shop.example/returns).'])
  for (const address of [
    'https://shop.example/find?q=shoes#top', 'https://shop.example/find', 'https://shop.example', 'tel:+4912'
  ]) t.ok(isLinked(address), address)
  for (const address of [
    'https://shop.example/find?q=what-the-visitor-wrote', 'https://shop.example/returns?q=1',
    'https://shop.example/returns#ada@mail.example', 'https://shop.example:8443/find', 'https://'
  ]) t.notOk(isLinked(address), address)
})

t.test('however an answer is cut into pieces, the same is left of it', async (t) => {
  const part = fc.constantFrom(
    '[1]',
    '[9]',
    ' [2, 3]',
    '![a](https://evil.example/x)',
    '[b](https://shop.example/)',
    '[c](https://evil.example)',
    'https://evil.example/?q=1',
    'https://shop.example/x.',
    ' ',
    '\n',
    'word',
    '.',
    '[',
    ']',
    '(',
    ')',
    '<',
    '>',
    '!',
    '<img src=x>',
    'www.',
    'http',
    '://',
    'é😀',
    '"'
  )
  t.doesNotThrow(() =>
    fc.assert(
      fc.property(fc.array(part, { maxLength: 14 }), fc.array(fc.nat(200), { maxLength: 12 }), (parts, cuts) => {
        const text = parts.join('')
        const at = [...new Set(cuts.map((cut) => cut % (text.length + 1)))].sort((a, b) => a - b)
        const pieces = [0, ...at].map((from, i) => text.slice(from, at[i] ?? text.length))
        return cleaned(...pieces) === cleaned(text)
      }),
      { numRuns: 3000 }
    )
  )
})

t.test('no cut of a hostile address lets it through', async (t) => {
  const hostile = [
    '![x](https://evil.example/?leak=1)',
    '[x](https://evil.example/?leak=1)',
    'https://evil.example/?leak=1',
    '<img src="https://evil.example/?leak=1">',
    '<https://evil.example/?leak=1>'
  ]
  for (const text of hostile) t.notMatch(cleaned(...text), /evil\.example/, text)
})

t.test('a citation quotes the sentence that was used, and says where it stands', async (t) => {
  const text = 'We ship every day. Returns are accepted within 30 days of delivery. Write to us first.'
  const passage = { source: 4, title: 'Returns', url: null, page: 2, heading: null, text, start: 100 }
  const [citation] = citationsIn('You can return goods for 30 days after delivery [1]. Bye.', [passage])
  t.strictSame(citation, {
    n: 1,
    source: 4,
    title: 'Returns',
    url: null,
    page: 2,
    quote: 'Returns are accepted within 30 days of delivery.',
    start: 119,
    end: 167
  })
  t.strictSame(citationsIn('Nothing [4].', [passage]), [])
})
