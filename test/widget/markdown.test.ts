import fc from 'fast-check'
import t from 'tap'
import { safeUrl } from '../../src/platform/links.ts'
import { plainText, readInline, readMarkdown } from '../../src/widget/browser/markdown.ts'
import { streamReader } from '../../src/widget/browser/stream.ts'

/** A text's blocks without the lines they were parsed from. */
const read = (text: string): unknown =>
  JSON.parse(JSON.stringify(readMarkdown(text), (name, value) => (name === 'source' ? undefined : value)))
const link = (url: string, ...inside: unknown[]) => ({ kind: 'link', url, inside })

t.test('blocks are read as people write them', async (t) => {
  const p = (...inside: unknown[]) => ({ kind: 'paragraph', inside })
  const list = (items: unknown[][], more = {}) => ({
    kind: 'list', ordered: false, start: 1, items: items.map((inside) => ({ inside, blocks: [] })), ...more
  })
  t.strictSame(read('one\ntwo\n\nthree'), [p('one', { kind: 'break' }, 'two'), p('three')])
  t.strictSame(read('# A\n### B ##\ntext'), [
    { kind: 'heading', level: 1, inside: ['A'] }, { kind: 'heading', level: 3, inside: ['B'] }, p('text')
  ])
  t.strictSame(read('- a\n* b\n\n+ c'), [list([['a'], ['b'], ['c']])])
  t.strictSame(read('3. a\n4) b\n- c'), [list([['a'], ['b']], { ordered: true, start: 3 }), list([['c']])])
  t.strictSame(read('- a\n  - b\n\n  more\n- c'), [
    {
      kind: 'list',
      ordered: false,
      start: 1,
      items: [
        { inside: ['a'], blocks: [list([['b']]), p('more')] }, { inside: ['c'], blocks: [] }
      ]
    }
  ])
  t.strictSame(read('> a\n> > b\n\nc'), [
    { kind: 'quote', blocks: [p('a'), { kind: 'quote', blocks: [p('b')] }] }, p('c')
  ])
  t.strictSame(read('```js\nx < 1\n\n# no\n```\nafter'), [{ kind: 'code', text: 'x < 1\n\n# no' }, p('after')])
  t.strictSame(read('~~~\nnever closed'), [{ kind: 'code', text: 'never closed' }])
  t.strictSame(read('a\n---\nb'), [p('a'), { kind: 'rule' }, p('b')])
  t.strictSame(read('-not a list\n1.5 kg\n#hashtag'), [
    p('-not a list', { kind: 'break' }, '1.5 kg', { kind: 'break' }, '#hashtag')
  ])
  t.equal(readMarkdown('> '.repeat(9) + 'deep').length, 1)
})

t.test('marks in a line are read, and what is no mark stands for itself', async (t) => {
  const strong = (...inside: unknown[]) => ({ kind: 'strong', inside })
  const em = (...inside: unknown[]) => ({ kind: 'em', inside })
  t.strictSame(readInline('**a** __b__ *c* _d_ ~~e~~'), [
    strong('a'), ' ', strong('b'), ' ', em('c'), ' ', em('d'), ' ', { kind: 'del', inside: ['e'] }
  ])
  t.strictSame(readInline('**a *b* c**'), [strong('a ', em('b'), ' c')])
  t.strictSame(readInline('`a *b*` ``c`d``'), [{ kind: 'code', text: 'a *b*' }, ' ', { kind: 'code', text: 'c`d' }])
  for (const text of [
    '2 * 3 * 4',
    'snake_case_name',
    '**open',
    '`open',
    '** a **',
    '[x]',
    '![x]',
    'a ** b',
    '5 < 6 & 7 > 2',
    '_',
    '*',
    '[a](',
    'her http',
    'xhttps://a.b'
  ]) { t.strictSame(readInline(text), [text], text) }
  t.strictSame(readInline('\\*a\\* \\x'), ['*a* \\x'])
  t.strictSame(readInline('Yes [1][12].'), ['Yes ', { kind: 'cite', n: 1 }, { kind: 'cite', n: 12 }, '.'])
  t.strictSame(
    readInline('[a **b**](https://x.example "t") and ![c](https://x.example/i.png)'),
    [link('https://x.example', 'a ', strong('b')), ' and ', link('https://x.example/i.png', 'c')],
    'a picture is a link'
  )
  t.strictSame(readInline('[](https://x.example)'), [link('https://x.example', 'https://x.example')])
  t.strictSame(readInline('See https://x.example/a_(b). (https://y.example) or <https://z.example>!'), [
    'See ',
    link('https://x.example/a_(b)', 'https://x.example/a_(b)'),
    '. (',
    link('https://y.example', 'https://y.example'),
    ') or <',
    link('https://z.example', 'https://z.example'),
    '>!'
  ])
  t.strictSame(readInline('[x](/relative) [y](javascript:alert(1))'), [
    { kind: 'em', inside: ['x'] }, ' ', { kind: 'em', inside: ['y'] }
  ])
})

t.test('only whole addresses of the web, of e-mail and of telephones lead anywhere', async (t) => {
  for (const url of [
    'https://a.example',
    'HTTP://a.example/x?y#z',
    'https://a.example?q',
    'mailto:a@b.example',
    'tel:+491234',
    'https://münchen.example/ä'
  ]) { t.equal(safeUrl(url), url) }
  for (const url of [
    'javascript:alert(1)',
    'JaVaScRiPt:alert(1)',
    ' javascript:x',
    'java\tscript:x',
    'data:text/html,x',
    'vbscript:x',
    '//a.example',
    '/a',
    '#a',
    'https:',
    'https://',
    'https://u:p@a.example',
    'https://a.example@evil.example',
    'https://a\nb',
    'blob:https://a',
    'file:///etc',
    'https://[',
    ''
  ]) { t.equal(safeUrl(url), undefined, url) }
})

t.test('what is heard has no marks', async (t) => {
  t.equal(
    plainText(readMarkdown('# A\n**b** `c` [d](https://x.example) [1]\nnext\n\n- e\n  - f\n\n> g\n\n---\n```\nh\n```')),
    'A\nb c d\nnext\ne\nf\ng\nh'
  )
  // Was wrong: "within 30 days ." in each row of the inbox, and for those who hear it.
  t.equal(plainText(readMarkdown('Within **30 days** of delivery [1][2]. In its box [1], please [3] .')), 'Within 30 days of delivery. In its box, please .')
  t.notMatch(plainText(readMarkdown('| Colour | Price |\n|:--|--:|\n| Red | 12 |')), /[|:-]/, 'nor the bars of a table')
})

t.test('whatever is written, nothing is lost in silence, nothing is endless, and a part of it never changes what is finished', async (t) => {
  const piece = fc.constantFrom(
    '**',
    '*',
    '_',
    '`',
    '```\n',
    '[',
    '](',
    ')',
    '![',
    'https://x.example/',
    '\n',
    '\n\n',
    '- ',
    '1. ',
    '> ',
    '# ',
    '\\',
    'word ',
    '[1]',
    '<img src=x onerror=alert(1)>',
    'é',
    '~~',
    '  '
  )
  fc.assert(fc.property(fc.array(piece, { maxLength: 60 }), (pieces) => {
    const text = pieces.join('')
    const blocks = readMarkdown(text)
    // Blocks are made of all non-empty lines.
    const lines = (of: string) => of.split('\n').filter((line) => line.trim() !== '').join('\n')
    return lines(blocks.map(({ source }) => source).join('\n')) === lines(text)
  }), { numRuns: 500, seed: 7 })
  const started = performance.now()
  for (const hostile of [
    '*',
    '**',
    '_',
    '`',
    '[',
    '![',
    '](',
    '> ',
    '- ',
    '\\',
    '[a](',
    '*a_',
    '``` ',
    'https://x.example/('
  ]) { readMarkdown(hostile.repeat(20_000 / hostile.length)) }
  t.ok(performance.now() - started < 60_000, 'ends')
})

t.test('a stream is read the same however it is cut', async (t) => {
  const text =
    ': alive\nretry: 2\n\nid: 1.5\ndata: {"a":"é"}\n\ndata: x\r\ndata: y\r\n\r\nevent: z\nid: 2\n\nnonsense\ndata\n\n'
  const all = streamReader().push(text)
  t.strictSame(all, [{ id: '1.5', data: '{"a":"é"}' }, { id: undefined, data: 'x\ny' }, { id: undefined, data: '' }])
  for (let size = 1; size < 9; size++) {
    const reader = streamReader()
    const events = []
    for (let at = 0; at < text.length; at += size) events.push(...reader.push(text.slice(at, at + size)))
    t.strictSame(events, all, `in pieces of ${size}`)
  }
})
