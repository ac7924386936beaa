import type { Database } from './platform/storage/sqlite/database.ts'
import type { OnFault } from './platform/work/worker.ts'
import type { Announcements } from './platform/work/announcements.ts'
import { prepareConcepts, tonguesOf } from './search/sense/lexicon.ts'
import { isRow } from './search/sense/sentences.ts'
import type { Language } from './search/words/languages.ts'
import { queryWords } from './search/words/query.ts'
import { prepareAskingForPerson } from './conversations/answering/small-talk/person.ts'
import { prepareSmallTalk } from './conversations/answering/small-talk/small-talk.ts'

/** The languages of the newest trainings: those that are asked in, most likely. */
const LANGUAGES = `
  select distinct language from (select language from trainings where state = 'live' order by id desc limit 200) as newest`
/** Words that look mistyped. */
const WORDS = 'Lieferfristen retrun'

/** What it works on, and until when. `beside`: what else the first visitor would wait for, in steps. */
interface WarmUpParts {
  db: Database
  announcements: Announcements
  beside?: () => Iterable<unknown>
  signal: AbortSignal
  onFault: OnFault
}

/**
 * Makes the tables by which questions are understood ahead of the first question, in small steps, one in each turn of
 * the event loop: else the first visitor waits for all of them, and everybody else too. At once for the languages that
 * agents know something in, and again whenever an agent has learnt something. Nothing is made where no agent knows
 * anything. `settled` resolves when all that was asked for is made.
 */
export function keepWarm ({ db, announcements, beside, signal, onFault }: WarmUpParts): { settled (): Promise<void> } {
  const made = new Set<Language | null>()
  let work = Promise.resolve()
  let isAsked = false

  async function warmUp () {
    isAsked = false
    if (signal.aborted) return
    const languages = await db.read(() => db.column<[], Language | null>(LANGUAGES).all())
    const missing = languages.filter((language) => !made.has(language))
    if (missing.length === 0) return
    const steps = stepsFor(missing, made.size === 0 ? beside : undefined)
    do {
      await new Promise(setImmediate)
      if (signal.aborted) return
    } while (!steps.next().done)
    for (const language of missing) made.add(language)
  }

  function ask () {
    if (isAsked) return
    isAsked = true
    work = work.then(warmUp).catch(onFault)
  }

  announcements.on(function * ({ type }) {
    // Once the transaction that it happened in is over.
    if (type === 'source.trained') setImmediate(ask)
  })
  ask()
  return { settled: () => work }
}

function * stepsFor (languages: readonly (Language | null)[], beside: WarmUpParts['beside']) {
  if (beside) yield * beside()
  yield * prepareSmallTalk()
  yield * prepareAskingForPerson()
  yield isRow(WORDS)
  for (const language of languages) {
    yield queryWords(WORDS, [[language, 1]])
    for (const tongue of tonguesOf(language)) yield * prepareConcepts(tongue)
  }
}
