import type { Test } from 'tap'
import { keepWarm } from '../../../src/warm-up.ts'
import { talkative } from '../../conversations/helper.ts'

/** A conversation's app once what is made ahead is made, its routes' schemas too. */
export async function warmed (t: Test) {
  const made = await talkative(t)
  const { stores: { db, eventBus }, app } = made
  await keepWarm({
    db,
    eventBus,
    beside: () => app.compileAhead((url) => url.startsWith('/v1/conversations')),
    signal: new AbortController().signal,
    onFault (error) { throw error }
  }).settled()
  return made
}
