import fc from 'fast-check'
import t from 'tap'
import {
  byNeed, compare, failed, goneOf, minutesOf, MOST_MISSES, nextInterval, type Known
} from '../../src/feeds/rules.ts'
import type { Item } from '../../src/feeds/contract.ts'

const known = (key: string, more: Partial<Known> = {}): Known =>
  ({ id: Number.parseInt(key, 36), key, changedAt: 'then', checked: 0, digest: 'd', isUnread: false, isGone: false, ...more })
const item = (key: string, more: Partial<Item> = {}): Item => ({ key, title: key, url: null, changedAt: 'then', ...more })
const at = (now: number, since = now) => ({ now, since })
const DAY = 86_400_000
const keys = fc.uniqueArray(fc.nat(400).map((n) => n.toString(36)), { maxLength: 120 })

t.test('something is gone only of a list that ended whole, and so much of it at once', async (t) => {
  const flags = fc.tuple(fc.boolean(), fc.boolean(), fc.boolean())
  fc.assert(fc.property(keys, fc.func(fc.nat(9)), flags, (all, left, [isWhole, mayRemove, isMarked]) => {
    const before = all.map((key) => known(key, { isGone: isMarked }))
    const seen = new Set(all.filter((key) => left(key) > 3))
    const { removed, marked, asks } = goneOf(before, seen, { isWhole, mayRemove })
    const missing = before.filter(({ key }) => !seen.has(key))
    if (!isWhole) return removed.length === 0 && marked.length === 0 && asks === 0
    if ([...removed, ...marked].some(({ key }) => seen.has(key))) return false
    if (removed.length + marked.length !== missing.length || asks !== marked.length) return false
    // Was wrong without the guard.
    const isMuch = missing.length > Math.max(5, Math.floor(all.length * 0.2)) || seen.size === 0
    return mayRemove && isMarked ? marked.length === 0 : isMuch ? removed.length === 0 : marked.length === 0
  }))
  t.match(goneOf(['1', '2'].map((key) => known(key)), new Set(), { isWhole: true, mayRemove: false }), { removed: [], asks: 2 })
})

t.test('what is read is what may have changed', async (t) => {
  t.equal(compare(item('1'), undefined, at(5)), 'new')
  t.equal(compare(item('1'), known('1'), at(5)), 'same')
  t.equal(compare(item('1', { changedAt: 'now' }), known('1'), at(5)), 'changed')
  t.equal(compare(item('1', { changedAt: null }), known('1'), at(5)), 'changed', 'a place that says nothing is looked at')
  t.equal(compare(item('1'), known('1', { isUnread: true }), at(5)), 'changed')
  t.equal(compare(item('1'), known('1', { digest: null }), at(5)), 'changed')
  t.equal(compare(item('1', { digest: 'd', changedAt: 'now' }), known('1'), at(5)), 'same')
  t.equal(compare(item('1', { digest: 'e' }), known('1'), at(5)), 'changed')
  // What one of several looks has checked, the next ones skip.
  t.equal(compare(item('1', { changedAt: null }), known('1', { checked: 4 }), at(5, 3)), 'same')
})

t.test('a hint says when to look, and no clock has to be right', async (t) => {
  const hint = item('1', { isHint: true })
  t.equal(compare(hint, known('1', { checked: 0 }), at(DAY)), 'later')
  t.equal(compare(hint, known('1', { checked: 0 }), at(7 * DAY)), 'changed', 'after a week it is not believed')
  t.equal(compare({ ...hint, changedAt: 'now' }, known('1'), at(DAY)), 'changed')
  t.equal(compare(hint, known('1', { checked: 9 * DAY }), at(DAY)), 'changed', 'it was checked in what is the future now')
  t.equal(compare(item('1'), known('1', { checked: 9 * DAY }), at(DAY)), 'same')
})

t.test('the time between looks doubles to a week, and is as asked for again after a change', async (t) => {
  t.strictSame(['15m', '6h', '30d', '14m', '31d', '1m'].map(minutesOf), [15, 360, 43_200, undefined, undefined, undefined])
  let interval = 360
  const grown = Array.from({ length: 7 }, () => (interval = nextInterval('6h', interval, false)))
  t.strictSame(grown, [720, 1440, 2880, 5760, 10_080, 10_080, 10_080])
  t.equal(nextInterval('6h', interval, true), 360)
  t.equal(nextInterval('30d', 43_200, false), 43_200, 'never less than was asked for')
})

t.test('a fault that lasts breaks a feed at once and once, any other the third time', async (t) => {
  const fault = (code: string, againInMs: number | null = null) => ({ code, message: 'No.', againInMs })
  const feed = (failures = 0) => ({ failures, error: null, interval: 60 })
  const now = { at: 'now', wasBroken: false }
  t.match(failed(feed(), fault('denied'), now), { state: 'broken', isNews: true, inMs: null })
  t.match(failed(feed(), fault('denied'), { ...now, wasBroken: true }), { state: 'broken', isNews: false })
  t.match(failed(feed(), fault('unavailable'), now), { state: 'idle', isNews: false, inMs: 300_000, failures: 1, error: { since: 'now' } })
  t.match(failed(feed(MOST_MISSES - 1), fault('unavailable'), now), { state: 'broken', isNews: true, inMs: 3_600_000 })
  t.match(failed(feed(), fault('rate_limited', 90_000), now), { state: 'idle', failures: 0, inMs: 90_000, isMissed: false })
  t.match(failed(feed(), fault('rate_limited', 1e12), now), { inMs: 86_400_000 })
  t.match(failed(feed(), fault('rate_limited', -5), now), { inMs: 1000 })
  t.match(failed({ ...feed(1), error: { code: 'x', message: '', since: 'before' } }, fault('unavailable'), now), { error: { since: 'before' } })
})

t.test('what is needed most is read first', async (t) => {
  const need = new Map([['b', { cited: 3, failing: 0 }], ['c', { cited: 0, failing: 1 }], ['d', { cited: 0, failing: 0 }]])
  t.strictSame(byNeed(['a', 'b', 'c', 'd', 'e'].map((key) => item(key)), (key) => need.get(key)).map(({ key }) => key), ['c', 'b', 'a', 'e', 'd'])
})
