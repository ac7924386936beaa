import '../bare-children.ts'
import t from 'tap'
import { openChannels } from '../../src/kernel/channels.ts'
import { openLife } from '../../src/kernel/index.ts'
import { alone } from '../../src/platform/neighbours/alone.ts'
import { fixedClock } from '../helper.ts'
import { inMemory } from '../scale/in-memory.ts'

/** A life whose worker only writes down what is asked of it. */
function lived (neighbours: Parameters<typeof openLife>[0]['neighbours'] = alone(fixedClock()), clock = fixedClock()) {
  const done: string[] = []
  const worker = {
    start: () => { done.push('the worker starts') },
    stop: async () => { done.push('the worker stops') },
    idle: async () => { done.push('the worker is idle') }
  }
  const life = openLife({ worker, clock, leads: () => true, neighbours })
  for (const name of ['first', 'second']) {
    life.onWork(async () => {
      done.push(`${name} begins`)
      return {
        stop: () => { done.push(`${name} stops`) },
        settled: async () => { done.push(`${name} settles`) }
      }
    })
    life.onRecovery(async (silentSince) => { done.push(`${name} takes up what was left ${silentSince ?? 'by anybody'}`) })
    life.onClose(async () => { done.push(`${name} ends`) })
  }
  return { ...life, done }
}

t.test('features begin in the order in which they were opened, and end in reverse', async (t) => {
  const { work, close, done } = lived()
  const { settled } = await work((error) => t.fail('fault', { error }))
  t.strictSame(done.splice(0), [
    'first begins', 'second begins',
    'first takes up what was left by anybody', 'second takes up what was left by anybody', 'the worker starts'
  ])
  await settled()
  t.strictSame(done.splice(0), ['the worker is idle', 'first settles', 'second settles'])
  await close()
  t.strictSame(done.splice(0), ['the worker stops', 'second stops', 'first stops', 'second ends', 'first ends'])
  await close()
  t.strictSame(done, [], 'once')
})

t.test('work that was stopped is not stopped again at the end, and what never worked is only ended', async (t) => {
  const stopped = lived()
  const { stop } = await stopped.work(() => {})
  await stop()
  stopped.done.length = 0
  await stopped.close()
  t.strictSame(stopped.done, ['second ends', 'first ends'])
  const idle = lived()
  await idle.close()
  t.strictSame(idle.done, ['second ends', 'first ends'])
})

t.test('what fails to end keeps nothing else from ending, and is reported', async (t) => {
  const { onClose, close, done } = lived()
  onClose(() => { throw new Error('stuck') })
  await t.rejects(close(), { message: 'stuck' })
  t.strictSame(done, ['second ends', 'first ends'])
})

t.test('of several servers the leading one takes up what has been silent for a quarter of an hour', async (t) => {
  const clock = fixedClock()
  const beats: Array<() => void> = []
  const neighbours = { ...inMemory().join(1), onBeat: (beat: () => void) => { beats.push(beat) } }
  const { work, close, done } = lived(neighbours, clock)
  t.teardown(close)
  await work((error) => t.fail('fault', { error }))
  t.strictSame(done.splice(0), ['first begins', 'second begins', 'the worker starts'])
  const beat = async () => {
    for (const one of beats) one()
    await new Promise(setImmediate)
    return done.splice(0)
  }
  const left = (second: string) => ['first', 'second'].map((one) =>
    new RegExp(`^${one} takes up what was left 2025-12-31T23:45:${second}\\.00000\\dZ$`))
  t.match(await beat(), left('00'))
  clock.advance(29_999)
  t.strictSame(await beat(), [], 'not at every beat')
  clock.advance(1)
  t.match(await beat(), left('30'), 'but every half a minute')
})

t.test('a channel has one sender', async (t) => {
  const { sendBy, senderOf } = openChannels()
  const sender = { send: async () => ({ externalId: null }) }
  sendBy('mail', sender)
  t.equal(senderOf('mail'), sender)
  t.equal(senderOf('webhook'), undefined)
  t.throws(() => sendBy('mail', sender), { message: /Two senders/ })
})
