import fc from 'fast-check'
import t, { type Test } from 'tap'
import { citationsIn, cleaner, linksIn } from '../../../src/conversations/answering/cite.ts'
import { mayRestOn, sentenceBefore } from '../../../src/conversations/answering/rests.ts'
import { readInline, readMarkdown, type Block, type Inline } from '../../../src/widget/browser/markdown.ts'
import { isLinear } from '../../linear/cost.ts'

const settings = ['See https://shop.example/returns for more, or write to help@shop.example.']
const isAllowed = linksIn({ settings, sources: [] })
const rules = { isSource: (n: number) => n >= 1 && n <= 3, isAllowed }

/** What is left of a text that comes in these pieces. */
function cleaned (...pieces: string[]): string {
  const { push, end } = cleaner(rules)
  return pieces.map(push).join('') + end()
}

/** That this is left of a text, whole and letter by letter. */
function leaves (t: Test, written: string, shown: string): void {
  t.equal(cleaned(written), shown, written)
  t.equal(cleaned(...written), shown, `letter by letter: ${written}`)
}

t.test('numbers that name no source are taken out, others stay', async (t) => {
  t.equal(cleaned('Within 30 days [1]. By post [7][2].'), 'Within 30 days [1]. By post[2].')
  t.equal(cleaned('All of it [1, 2, 9].'), 'All of it [1][2].')
  t.equal(cleaned('Nothing [99].'), 'Nothing.')
})

t.test('what is around a number that is taken out goes with it, and stays with what else it is around', async (t) => {
  // Was wrong: `**[9]**` was shown as `****`.
  for (const [written, shown] of Object.entries({
    '**[9]** So.': ' So.',
    'So **[9]**.': 'So.',
    'So _[9]_, `[9]`, "[9]", ([9]), “[9]”, «[9]» and ***[9]***.': 'So,,,,, and.',
    '*_[9]_* So.': ' So.',
    '**[9] So.**': '**So.**',
    '([9] or later)': '(or later)',
    'word**[9]**': 'word',
    '**[1]** and ([2]) and **bold** and "[see]"': '**[1]** and ([2]) and **bold** and "[see]"',
    '**【9】**。': '。',
    '********[9]': '********',
    '**': '**',
    '"': '"'
  })) {
    leaves(t, written, shown)
  }
  t.ok(isLinear((one) => cleaned(one), (n) => '**[9'.repeat(n / 4)))
})

t.test('numbers of sources are read however models write them', async (t) => {
  // Was wrong: all but the first few were left in the answer as they were, and cited nothing.
  for (const [written, shown] of Object.entries({
    'Yes [1].': 'Yes [1].',
    'Yes [Source 1].': 'Yes [1].',
    'Yes [source: 2].': 'Yes [2].',
    'Yes 【1】。': 'Yes [1]。',
    'Yes 【1†source】.': 'Yes [1].',
    'Yes【2:0†source】.': 'Yes[2].',
    'Yes [^1].': 'Yes [1].',
    'Yes [ 1 ].': 'Yes [1].',
    'Yes [1-3].': 'Yes [1][2][3].',
    'Yes [1–2].': 'Yes [1][2].',
    'Yes [1, 2].': 'Yes [1][2].',
    'Yes [1;2].': 'Yes [1][2].',
    'Yes [1 and 3].': 'Yes [1][3].',
    'Yes [1, 1].': 'Yes [1].',
    'Yes (Source 2).': 'Yes [2].',
    'Yes (Sources 1 and 2).': 'Yes [1][2].',
    'Yes (Quelle 1).': 'Yes [1].',
    'Sí [Fuente 3].': 'Sí [3].',
    'Yes [Source 1, Source 2].': 'Yes [1][2].',
    'はい［1］。': 'はい[1]。',
    'はい（1）。': 'はい（1）。',
    '是【来源1】': '是[1]',
    'Yes [Source 9].': 'Yes.',
    'Yes (source 9).': 'Yes.',
    'Yes 【9】.': 'Yes.'
  })) {
    leaves(t, written, shown)
  }
  for (const text of [
    'In two steps: (1) write, (2) send.', 'Open [10:30] or [1.5] or [1/2] or [2020-2023].', '【重要】', '(source of joy)',
    'A [see below] and (sources: our own)', 'Either (2) or', '[1-', '(Source 1', '【1', 'a (b', '[Step 1]', '[-1]', '[1 2]'
  ]) {
    leaves(t, text, text)
  }
})

t.test('a number whose passage has nothing of its sentence is taken out', async (t) => {
  // Was wrong: the answer about Norway cited the passage about returns.
  const passage = (text: string, title = '') => ({
    source: 1, title, url: null, page: null, heading: null, text, start: 0
  })
  const returns = passage('Returns are accepted within 30 days of the purchase, unused and with the receipt.', 'Returns')
  const german = passage('Rücksendungen nehmen wir innerhalb von 30 Tagen nach der Lieferung an, wenn die Ware unbenutzt ist.')
  for (const said of [
    'Parcels to Norway and Sweden travel by ship.', 'Our pottery classes begin every Saturday morning.'
  ]) t.equal(mayRestOn(said, returns), false, said)
  for (const [said, rests] of [
    ['You have a month after the purchase.', returns], ['It is 30 euros for parcels to Norway.', returns],
    ['You can send it back and get your money back.', returns], ['Yes.', returns], ['', returns], ['According to', returns],
    ['You can return goods during the first month after they arrived.', german],
    ['Vous pouvez renvoyer les articles pendant un mois.', german]
  ] as const) t.equal(mayRestOn(said, rests), true, said)
  t.equal(sentenceBefore('It opens at nine. Norway is fine [1], too'), 'Norway is fine    , too')

  const sources = [returns, passage('We ship to Norway and Sweden within five days.', 'Shipping')]
  const rests = { ...rules, isSource: (n: number, said: string) => mayRestOn(sentenceBefore(said), sources[n - 1]!) }
  const { push, end } = cleaner(rests)
  const answer = 'Norwegian parcels travel by ship to Norway and Sweden [1][2].\nReturns are free within a month [1].'
  const shown = [...answer].map(push).join('') + end()
  t.equal(shown, 'Norwegian parcels travel by ship to Norway and Sweden[2].\nReturns are free within a month [1].')
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
  const isLinked = linksIn({
    settings: ['Look at https://shop.example/find?q=shoes#top, or (https://shop.example/returns).'], sources: []
  })
  for (const address of [
    'https://shop.example/find?q=shoes#top', 'https://shop.example/find', 'https://shop.example'
  ]) t.ok(isLinked(address), address)
  for (const address of [
    'https://shop.example/find?q=what-the-visitor-wrote', 'https://shop.example/returns?q=1',
    'https://shop.example/returns#ada@mail.example', 'https://shop.example:8443/find', 'https://'
  ]) t.notOk(isLinked(address), address)
})

t.test('mailboxes and numbers are linked where they stand, and of a host that only a source names only its pages', async (t) => {
  const isLinked = linksIn({
    settings: ['Ours is https://shop.example, +49 (0)30 1234-56.'],
    sources: ['https://paper.example/a_(b), https://paper.example/find?q=1 or 詳しくはhttps://paper.example/cをご覧 Ada@Paper.example']
  })
  for (const address of [
    'https://shop.example/any', 'https://paper.example', 'https://paper.example/a_(b)', 'https://paper.example/find?q=1',
    'https://paper.example/find', 'https://paper.example/c', 'mailto:ada@paper.example', 'tel:+4930123456'
  ]) t.ok(isLinked(address), address)
  for (const address of [
    'https://paper.example/any', 'https://paper.example/what-the-visitor-wrote', 'https://paper.example/find?q=2',
    'mailto:eve@evil.example', 'mailto:ada@paper.example?body=x', 'tel:+4930123457', 'https://u@shop.example/',
    'https://shop.example\u200b.evil.example/', `https://shop.example/${'a'.repeat(3000)}`
  ]) t.notOk(isLinked(address), address)
})

t.test('what only looks like an address or a mailbox names nothing, and neither does what is beyond the bounds', async (t) => {
  const isLinked = linksIn({
    settings: ['Write to help@shop.example, https://ada@guest.example/ or https://odd.example:99999/.'], sources: []
  })
  for (const address of ['mailto:write', 'https://guest.example/', 'https://odd.example/']) {
    t.notOk(isLinked(address), address)
  }
  t.ok(isLinked('mailto:help@shop.example'))
  const hosts = Array.from({ length: 1001 }, (_, n) => `https://shop-${n}.example`)
  const isOneOfMany = linksIn({ settings: [hosts.join(' ')], sources: [] })
  t.strictSame(hosts.filter((address) => !isOneOfMany(address)), ['https://shop-1000.example'])
  const long = (units: number) => `https://shop-1.example/${'a'.repeat(units - 23)}`
  t.strictSame([isOneOfMany(long(2048)), isOneOfMany(long(2049))], [true, false])
})

/** Where the links lead that the widget and the console render in a text. */
function drawn (text: string): string[] {
  const inLine = (pieces: readonly Inline[]): string[] => pieces.flatMap((piece) => {
    if (typeof piece === 'string' || !('inside' in piece)) return []
    return [...(piece.kind === 'link' ? [piece.url] : []), ...inLine(piece.inside)]
  })
  const inBlock = (block: Block): string[] => {
    if ('inside' in block) return inLine(block.inside)
    if (block.kind === 'quote') return block.blocks.flatMap(inBlock)
    return block.kind === 'list'
      ? block.items.flatMap(({ inside, blocks }) => [...inLine(inside), ...blocks.flatMap(inBlock)])
      : []
  }
  return [...readMarkdown(text).flatMap(inBlock), ...inLine(readInline(text))]
}

function strayOf (text: string): string[] {
  return drawn(text).filter((url) => {
    const { protocol, host, pathname } = new URL(url)
    return protocol === 'mailto:' ? pathname !== 'help@shop.example' : host !== 'shop.example'
  })
}

t.test('whatever is drawn as a link has a host that stands in the sources', async (t) => {
  for (const between of ['。', '\uff0e', '\u00ad', '\u200b', 'é', '!', '(', '[9]', '<img>', '![](x)', '**', '\\']) {
    const text = `https://shop.example${between}.evil.example/?q=1`
    t.strictSame(strayOf(cleaned(text)), [], text)
    t.strictSame(strayOf(cleaned(...text)), [], text)
  }
  t.strictSame(strayOf('https://shop.example。evil.example/?q=1').length, 2, 'which are drawn where nobody looks')
  for (const text of [
    'ht[9]tps://evil.example', '[a \\] b](mailto:eve@evil.example)', '[a [b] c](https://evil.example)',
    '[x][9](mailto:eve@evil.example)', 'ht[](https://evil.example)tps://evil.example', `${'a'.repeat(2040)}https://evil.example`,
    '<https://shop.example/" https://evil.example/>'
  ]) t.strictSame(strayOf(cleaned(text)), [], text)
  const ofSource = cleaner({ ...rules, isAllowed: linksIn({ settings: [], sources: settings }) })
  t.equal(ofSource.push('https://shop.example/returnsをご覧 ') + ofSource.end(), 'https://shop.example/returns をご覧 ')
  const part = fc.constantFrom(
    'https://', 'shop.example', 'evil.example', 'ht', 'tps://', 'tps:', '//', '/', '。', '\uff0e', '\u00ad', '\u200b', 'é', '!',
    '(', ')', '[', ']', '](', '[9]', '[1]', '[a', '![](x)', '<img>', '<', '>', 'mailto:', 'eve@evil.example',
    'help@shop.example', '@', '\\', '*', '**', '_', '`', '~~', '.', ' ', '\n', '"', 'www.', 'x', '[x](https://evil.example)'
  )
  fc.assert(fc.property(fc.array(part, { maxLength: 16 }), (parts) => strayOf(cleaned(parts.join(''))).length === 0), {
    numRuns: 5000, seed: 7
  })
})

t.test('Was wrong: what followed a link became part of its address where the widget did not see the link', async (t) => {
  const ofSource = { ...rules, isAllowed: linksIn({ settings: ['https://shop.example/find'], sources: ['https://paper.example/a'] }) }
  const isStray = (url: string) => !['https://shop.example/find', 'https://paper.example/a'].includes(url)
  for (const label of ['\\[x]', '[x\\]', 'x]', `[${'x'.repeat(501)}]`, '[a [b] c]', '[a\\\\\\]']) {
    for (const target of ['(https://paper.example/a)', '(https://paper.example/a "t")', '(https://shop.example/find)']) {
      for (const behind of ['what-they-wrote', '?q=what-they-wrote', '.evil.example/', '/..', '(b)', ')c']) {
        const text = `${label}${target}${behind}`
        const all = cleaner(ofSource)
        t.strictSame(drawn(all.push(text) + all.end()).filter(isStray), [], text)
      }
    }
  }
})

t.test('no answer, however it is written, takes longer to be judged than it is long', async (t) => {
  // Was wrong: 60,000 dots took four seconds, and a line that came letter by letter was reparsed for each.
  for (const again of ['.', ' ', 'a', '[a](', 'https://', 'https://evil.example/', '漢', 'a.', '(', '【', '(Source ', '[1]', 'a [1-3] (Source 2)', '1, ']) {
    t.ok(isLinear((text) => cleaned(text), (units) => again.repeat(units / again.length)), again)
    t.ok(isLinear((text) => cleaned(...text.match(/.{1,40}/gsu)!), (units) => again.repeat(units / again.length)), again)
  }
  for (const again of ['.', 'http://a', 'https://a.example ', 'a@', '0 ', 'http://a@']) {
    const judged = (text: string) => linksIn({ settings: [text], sources: [text] })('https://shop.example/')
    t.ok(isLinear(judged, (units) => again.repeat(units / again.length)), again)
  }
})

t.test('however an answer is cut into pieces, the same is left of it', async (t) => {
  const part = fc.constantFrom(
    '[1]',
    '[9]',
    ' [2, 3]',
    '![a](https://evil.example/x)',
    '[b](https://shop.example/)',
    '[c](https://evil.example)',
    '【1】',
    '【9†source】',
    '(Source 2)',
    '[Source 1]',
    '[1-3]',
    '【',
    'Source 1',
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
    end: 167,
    checked_at: null
  })
  t.strictSame(citationsIn('Nothing [4].', [passage]), [])
})
