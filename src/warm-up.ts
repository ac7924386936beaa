import type { Database } from './platform/storage/sqlite/database.ts'
import type { OnFault } from './platform/work/worker.ts'
import type { EventBus } from './platform/work/event-bus.ts'
import { nextTurn } from './platform/work/turns.ts'
import { prepareConcepts, tonguesOf } from './search/sense/lexicon.ts'
import { prepareCourtesies } from './search/sense/talk/courtesies.ts'
import { prepareFor } from './search/sense/talk/asking.ts'
import { prepareWordings } from './search/sense/talk/wordings.ts'
import { prepareKinds } from './search/sense/kinds.ts'
import { isRow, prepareRows } from './search/sense/sentences.ts'
import { sight } from './search/sense/sight.ts'
import { languageOfMessage } from './search/words/of-message.ts'
import { prepareStems, spansOf } from './search/words/words.ts'
import type { Language } from './search/words/languages.ts'
import { prepareCompounds } from './search/words/compounds.ts'
import { queryWords } from './search/words/query.ts'
import { prepareAskingForPerson } from './conversations/answering/small-talk/person.ts'
import { prepareSpokenAddresses } from './conversations/handoff/address.ts'
import { placeAskedIn, prepareSmallTalk } from './conversations/answering/small-talk/small-talk.ts'

/** The languages of the newest trainings: most likely those of coming questions. */
const LANGUAGES = `
  select distinct language from (select language from trainings where state = 'live' order by id desc limit 200) as newest`
/** Words that look mistyped. */
const WORDS = 'Lieferfristen retrun'
/** Who asks where a business is. */
const PLACE = 'Where are you?'
/** The same with a character beyond Latin's, for which expressions are compiled again. */
const ELSEWHERE = 'Where are you? ☺'

/** What it works on, and until when. `beside`: what else the first visitor would wait for, in steps. */
interface WarmUpParts {
  db: Database
  eventBus: EventBus
  beside?: () => Iterable<unknown>
  signal: AbortSignal
  onFault: OnFault
}

/**
 * Builds the tables for understanding questions before the first question, in small steps, one per turn of the event
 * loop: else the first visitor waits for all of them, and everybody else too. Immediately for the languages that agents
 * know something in, and again whenever an agent has learnt something. Nothing is built where no agent knows anything.
 * `settled` resolves when everything requested is built.
 */
export function keepWarm ({ db, eventBus, beside, signal, onFault }: WarmUpParts): { settled (): Promise<void> } {
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
      await nextTurn()
      if (signal.aborted) return
    } while (!steps.next().done)
    for (const language of missing) made.add(language)
  }

  function ask () {
    if (isAsked) return
    isAsked = true
    work = work.then(warmUp).catch(onFault)
  }

  eventBus.on(['source.trained'], function * () {
    // Once the transaction in which it happened is over.
    setImmediate(ask)
  })
  ask()
  return { settled: () => work }
}

function * stepsFor (languages: readonly (Language | null)[], beside: WarmUpParts['beside']) {
  if (beside) yield * beside()
  yield * prepareSmallTalk()
  yield * prepareAskingForPerson()
  yield * prepareSpokenAddresses()
  yield * prepareCourtesies()
  yield * prepareKinds()
  yield languageOfMessage(WORDS, { spoken: [['de', 1], ['en', 1]] })
  yield * prepareRows()
  yield isRow(WORDS)
  yield * prepareWordings()
  yield * prepareFor(PLACE, [])
  yield placeAskedIn(PLACE, null)
  yield placeAskedIn(ELSEWHERE, null)
  yield * prepareCompounds(languages)
  yield * prepareStems(languages)
  for (const language of languages) {
    yield queryWords(WORDS, [[language, 1]])
    for (const tongue of tonguesOf(language)) yield * prepareConcepts(tongue)
    yield spansOf(new Set(), WORDS, language)
    yield sight(WORDS, language, null)
  }
}
