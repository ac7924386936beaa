import fc from 'fast-check'
import t from 'tap'
import { nextHand, type Hand } from '../../../src/handoff/desk/offers.ts'

const hand = (user: number, more: Partial<Hand> = {}): Hand =>
  ({ user, capacity: null, holds: 0, offered: 0, called_at: null, ...more })

t.test('free hands come first, of several those that were called longest ago', async (t) => {
  t.equal(nextHand([], [], null), undefined, 'nobody is there')
  t.equal(nextHand([hand(1, { holds: 1 }), hand(2)], [], null), 2)
  t.equal(nextHand([hand(1, { offered: 1 }), hand(2)], [], null), 2, 'what is offered is as good as held')
  t.equal(nextHand([hand(1, { called_at: 9 }), hand(2, { called_at: 8 })], [], null), 2)
  t.equal(nextHand([hand(1, { called_at: 9 }), hand(2)], [], null), 2, 'who was never called waits longest')
  t.equal(nextHand([hand(1, { capacity: 2, holds: 2 }), hand(2, { holds: 7 })], [], null), 2, 'nobody beyond capacity')
  t.equal(nextHand([hand(1, { capacity: 0 })], [], null), undefined)
  t.equal(nextHand([hand(1), hand(2)], [1], null), 2, 'nobody twice')
  t.equal(nextHand([hand(1), hand(2, { holds: 3 })], [], 2), 2, 'whose it is comes first')
  t.equal(nextHand([hand(1), hand(2, { capacity: 3, holds: 3 })], [], 2), 1, 'unless they have no room for it')
  t.equal(nextHand([hand(1, { holds: 100 }), hand(2, { holds: 60, offered: 39 })], [], null), 2)
  t.equal(
    nextHand([hand(1, { holds: 60, offered: 41, called_at: 9 }), hand(2, { holds: 300, called_at: 8 })], [], null), 2,
    'of those who have a hundred nobody is less busy'
  )
  t.equal(
    nextHand([hand(1, { holds: 100, called_at: 9 }), hand(2, { holds: 101, called_at: 8 })], [], null), 2,
    'and a hundred is as many as more'
  )
  for (const hands of [[hand(1), hand(2)], [hand(2), hand(1)]]) {
    t.equal(nextHand(hands, [], null), 1, 'else in the order of their accounts')
  }
  t.equal(nextHand([hand(1, { called_at: 1 }), hand(2)], [], null), 2, 'never is before the first moment')
  t.equal(nextHand([hand(1), hand(2, { called_at: 1 })], [], null), 1)
  t.equal(nextHand([hand(1, { capacity: 300, holds: 150, offered: 150 })], [], null), undefined, 'but capacity is exact')
  t.equal(nextHand([hand(1, { capacity: 301, holds: 150, offered: 150 })], [], null), 1)
})

const Hands = fc.uniqueArray(
  fc.record({
    user: fc.integer({ min: 1, max: 9 }),
    capacity: fc.option(fc.nat({ max: 4 })),
    holds: fc.nat({ max: 4 }),
    offered: fc.nat({ max: 2 }),
    called_at: fc.option(fc.nat({ max: 20 }))
  }),
  { selector: ({ user }) => user, maxLength: 6 }
)
const hasRoom = ({ capacity, holds, offered }: Hand) => capacity === null || holds + offered < capacity

t.test('whoever is there, somebody with room is asked if there is one, and nobody else', async () => {
  fc.assert(fc.property(Hands, fc.array(fc.integer({ min: 1, max: 9 })), (hands, passed) => {
    const free = hands.filter((one) => hasRoom(one) && !passed.includes(one.user))
    const next = nextHand(hands, passed, null)
    return free.length === 0 ? next === undefined : free.some(({ user }) => user === next)
  }))
})

/** A desk: conversations that wait in order, and people to whom they are offered. */
interface Desk { hands: Hand[], waiting: Array<{ to: number | null, passed: number[] }>, called: Set<number> }

/** Offers what is waiting, the oldest first, as the desk does after every change. */
function offerAll ({ hands, waiting, called }: Desk, now: () => number) {
  for (const one of waiting) {
    if (one.to !== null) continue
    const hand = hands.find(({ user }) => user === nextHand(hands, one.passed, null))
    if (!hand) continue
    one.to = hand.user
    hand.offered += 1
    hand.called_at = now()
    called.add(hand.user)
  }
}

// Was wrong with `busy <= capacity` in nextHand (beyond capacity), and with `passed` left out (asked twice).
t.test('over any day at the desk: one holder each, nobody beyond capacity or asked twice, none starves', async (t) => {
  const Steps = fc.array(fc.tuple(fc.constantFrom('comes', 'takes', 'misses', 'closes'), fc.nat()), { maxLength: 120 })
  fc.assert(fc.property(Hands.filter((hands) => hands.length > 0), Steps, (begun, steps) => {
    let time = 100
    const desk: Desk = { hands: begun.map((one) => ({ ...one, holds: 0, offered: 0 })), waiting: [], called: new Set() }
    for (const [step, n] of steps) {
      const offered = desk.waiting.filter(({ to }) => to !== null)
      const one = offered[n % Math.max(1, offered.length)]
      const hand = desk.hands.find(({ user }) => user === one?.to)
      if (step === 'comes') desk.waiting.push({ to: null, passed: [] })
      if (step === 'takes' && one && hand) {
        hand.offered -= 1
        hand.holds += 1
        desk.waiting.splice(desk.waiting.indexOf(one), 1)
      }
      if (step === 'misses' && one && hand) {
        hand.offered -= 1
        Object.assign(one, { to: null, passed: [...one.passed, hand.user] })
      }
      if (step === 'closes') {
        const busy = desk.hands.filter(({ holds }) => holds > 0)
        if (busy.length > 0) busy[n % busy.length]!.holds -= 1
      }
      offerAll(desk, () => ++time)
      for (const { capacity, holds, offered: asked } of desk.hands) {
        if (capacity !== null && holds + asked > capacity) return false
      }
      for (const { to, passed } of desk.waiting) {
        if (to !== null && passed.includes(to)) return false
        // Anyone with room who was not asked would have been.
        if (to === null && desk.hands.some((free) => hasRoom(free) && !passed.includes(free.user))) return false
      }
    }
    return true
  }))
  const even: Desk = { hands: [hand(1), hand(2), hand(3)], waiting: [], called: new Set() }
  let time = 0
  for (let i = 0; i < 3; i++) {
    even.waiting.push({ to: null, passed: [] })
    offerAll(even, () => ++time)
    const [one] = even.waiting.splice(0, 1)
    even.hands.find(({ user }) => user === one!.to)!.offered -= 1
  }
  t.equal(even.called.size, 3, 'three that come one after the other, and are dealt with at once, go to three')
})
