import fc from 'fast-check'
import t from 'tap'
import { taking, type Patterns } from '../../src/crawling/patterns.ts'
import { pageAddress } from '../../src/reading/page-address.ts'
import { isLinear } from '../linear/cost.ts'

const SITE = 'https://shop.test'

const takes = (patterns: Patterns, address: string) => taking(patterns).isTaken(address)

/** Those of these paths that match. */
const taken = (patterns: Partial<Patterns>, ...paths: string[]) =>
  paths.filter((path) => takes({ include: [], exclude: [], ...patterns }, pageAddress(path, SITE) ?? ''))

t.test('a pattern is a whole path, in which a star stands for anything', async (t) => {
  t.same(taken({}, '/', '/a?b=c'), ['/', '/a?b=c'], 'without patterns everything is taken')
  t.same(taken({ include: ['/help/*'] }, '/', '/help', '/help/', '/help/a', '/help/a/b', '/helpers', '/x/help/a'), [
    '/help', '/help/', '/help/a', '/help/a/b'
  ], 'a folder, and all that is in it')
  t.same(taken({ include: ['/blog/**'] }, '/blog', '/blog/2026/1', '/blogs'), ['/blog', '/blog/2026/1'])
  t.same(taken({ include: ['/help'] }, '/help', '/help/', '/help/a'), ['/help'], 'without a star this page alone')
  t.same(taken({ include: ['/*/faq'] }, '/de/faq', '/de/at/faq', '/faq', '/de/faq/1'), ['/de/faq', '/de/at/faq'])
  t.same(taken({ include: ['/a*b*c'] }, '/abc', '/a1b2c', '/acb', '/abcd', '/abbc'), ['/abc', '/a1b2c', '/abbc'])
  t.same(taken({ include: ['/ab*ba'] }, '/aba', '/abba'), ['/abba'], 'no letter is counted twice')
  t.same(taken({ include: ['/*'] }, '/', '/a/b'), ['/', '/a/b'])
})

t.test('what is left out is, whatever is taken', async (t) => {
  const patterns = { include: ['/help/*', '/shipping'], exclude: ['/help/archive/*', '/*/print'] }
  t.same(taken(patterns, '/help/a', '/help/archive/a', '/help/a/print', '/shipping', '/'), ['/help/a', '/shipping'])
  const told: string[] = []
  const { isTaken } = taking({ include: ['/help/*'], exclude: ['/help/old'] }, (address, why) => {
    told.push(`${address.replace(SITE, '')} ${why}`)
  })
  for (const path of ['/help/a', '/help/old', '/']) isTaken(SITE + path)
  t.same(told, ['/help/old excluded', '/ not_included'])
})

t.test('capitals count, escapes do not, and a query where the pattern has one', async (t) => {
  t.same(taken({ include: ['/Help/*'] }, '/Help/a', '/help/a'), ['/Help/a'])
  for (const pattern of ['/café/*', '/caf%c3%a9/*', '/caf%C3%A9/*']) {
    t.same(taken({ include: [pattern] }, '/café/a', '/caf%C3%A9/b', '/cafe/a'), ['/café/a', '/caf%C3%A9/b'], pattern)
  }
  t.same(taken({ include: ['/a b'] }, '/a%20b', '/a+b'), ['/a%20b'])
  t.same(taken({ include: ['/%7euser'] }, '/~user', '/%7Euser'), ['/~user', '/%7Euser'])
  t.same(taken({ include: ['/a%2Ab'] }, '/a%2Ab', '/axb'), ['/a%2Ab'], 'a star that is meant as one')
  t.same(taken({ include: ['/list'] }, '/list', '/list?page=2'), ['/list', '/list?page=2'])
  t.same(taken({ exclude: ['/list?*'] }, '/list', '/list?page=2', '/lists'), ['/list', '/lists'])
  t.same(taken({ exclude: ['/*?*sort=*'] }, '/a?sort=up', '/a/b?x=1&sort=', '/a?x=1'), ['/a?x=1'])
  t.same(taken({ include: ['/list?'] }, '/list', '/list?page=2'), ['/list'], 'an empty query is none')
})

t.test('a pattern fits as the expression does that it could be written as', async () => {
  const piece = fc.array(fc.constantFrom('a', 'b', '/', '*', '*a', 'é'), { maxLength: 8 }).map((parts) => `/${parts.join('')}`)
  const path = fc.array(fc.constantFrom('a', 'b', '/', 'é', 'ab'), { maxLength: 12 }).map((parts) => `/${parts.join('')}`)
  const decoded = (address: string) => decodeURI(new URL(address).pathname)
  fc.assert(fc.property(piece, path, (pattern, path) => {
    const folder = pattern.replace(/\/\*+$/, '')
    const source = (text: string) => text.split('*').join('.*')
    const isFolder = folder !== pattern && folder !== ''
    const fits = (one: string) => new RegExp(`^${source(one)}$`, 'u').test(decoded(SITE + path))
    const expected = fits(pattern) || (isFolder && fits(folder))
    return takes({ include: [pattern], exclude: [] }, SITE + path) === expected
  }), { numRuns: 2000 })
})

t.test('no pattern that can be written makes a page fail, and each is left out by its own address', async () => {
  const text = fc.string({ unit: 'binary', maxLength: 60 }).map((text) => `/${text.replaceAll(/[#\p{Cc}]/gu, '')}`)
  fc.assert(fc.property(text, fc.webUrl({ withQueryParameters: true }), (pattern, url) => {
    const address = pageAddress(url) ?? SITE
    takes({ include: [pattern], exclude: [] }, address)
    const { pathname, search } = new URL(address)
    const itself = (pathname + search).replaceAll('*', '%2A')
    return !takes({ include: [], exclude: [itself] }, address.replaceAll('*', '%2A'))
  }))
})

t.test('a pattern costs no more than the length of the path', async (t) => {
  const [long, many, mixed] = ['a'.repeat(190), '*a'.repeat(90), '*ab*'.repeat(30)]
  for (const pattern of [`/*${long}b`, `/${many}b`, `/${mixed}`, `/${'*'.repeat(190)}b`]) {
    const { isTaken } = taking({ include: Array<string>(20).fill(pattern), exclude: Array<string>(20).fill(pattern) })
    t.ok(isLinear((path) => isTaken(SITE + path), (units) => '/' + 'a'.repeat(units)), pattern.slice(0, 20))
    t.ok(isLinear((path) => isTaken(SITE + path), (units) => '/' + 'ab/'.repeat(units / 3)), pattern.slice(0, 20))
  }
})
