import t from 'tap'
import { addressAt, LONGEST_LINK, matchAt, runsIn, safeUrl } from '../../src/platform/links.ts'

t.test('an address ends where its sentence goes on, but with a bracket that it opened itself', (t) => {
  for (const [text, address] of [
    ['https://a.example/x.', 'https://a.example/x'],
    ['https://a.example/x.,:;!?*_~)', 'https://a.example/x'],
    ['https://a.example/b_(c)', 'https://a.example/b_(c)'],
    ['https://a.example/b_(c).', 'https://a.example/b_(c)'],
    ['https://a.example/b_(c', 'https://a.example/b_(c'],
    ['https://a.example/b_(c))', 'https://a.example/b_(c)'],
    ['https://a.example/(b)c)', 'https://a.example/(b)c'],
    ['https://a.example/b)', 'https://a.example/b'],
    ['http://a.example b', 'http://a.example'],
    ['https://a.example"b', 'https://a.example'],
    ['https://', ''],
    ['ftp://a.example', ''],
    ['see https://a.example', '']
  ] as const) t.equal(addressAt(text, 0), address, text)
  t.equal(addressAt('see https://a.example', 4), 'https://a.example')
  t.end()
})

t.test('all that looks like an address of the web is found, each up to 2,048 units', (t) => {
  t.strictSame(runsIn('a https://a.example/x, HTTP://b.example <https://c.example>'), [
    'https://a.example/x,', 'HTTP://b.example', 'https://c.example'
  ])
  t.strictSame(runsIn('none'), [])
  t.equal(LONGEST_LINK, 2048)
  t.equal(runsIn(`https://${'a'.repeat(3000)}`)[0]!.length, 2048)
  t.end()
})

t.test('an expression is tried at one place', (t) => {
  t.equal(matchAt(/b/y, 'abb', 1)?.index, 1)
  t.equal(matchAt(/b/y, 'abb', 0), null)
  t.end()
})

t.test('a reader is led only to what can be seen whole: no user name, and nothing that is not drawn', (t) => {
  for (const url of [
    'https://a.example', 'HTTP://a.example/@b', 'https://a.example/?q=a@b.example', 'mailto:ada@a.example', 'tel:+49123'
  ]) t.equal(safeUrl(url), url)
  // Soft hyphen, zero-width space and joiner, bidirectional marks, a byte order mark, a control character. Was wrong
  // where only white space was refused.
  for (const unseen of ['\u00ad', '\u200b', '\u200d', '\u202e', '\u2066', '\ufeff', '\u0007', ' ', '\n', '\t']) {
    for (const url of [`https://a.example/${unseen}b`, `https://a${unseen}.example`, `mailto:ada@a.example${unseen}`]) {
      t.equal(safeUrl(url), undefined, JSON.stringify(url))
    }
  }
  for (const url of ['https://ada@a.example', 'javascript:x', 'ftp://a.example', 'https:', 'x']) {
    t.equal(safeUrl(url), undefined, url)
  }
  t.end()
})
