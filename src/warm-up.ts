import type { Database } from './platform/storage/sqlite/database.ts'
import { conceptsIn, tokensOf, tonguesOf } from './search/sense/lexicon.ts'
import { isRow } from './search/sense/sentences.ts'
import type { Language } from './search/words/languages.ts'
import { queryWords } from './search/words/query.ts'
import { phrasesOf } from './conversations/answering/small-talk/phrases.ts'
import { languagesAskingForPerson } from './conversations/answering/small-talk/person.ts'
import { smallTalkIn } from './conversations/answering/small-talk/small-talk.ts'

/** The languages of the newest trainings: those that are asked in, most likely. */
const LANGUAGES = `
  select distinct language from (select language from trainings where state = 'live' order by id desc limit 200)`
/** A word that looks mistyped, and is no small talk. */
const WORDS = 'Lieferfristen retrun'

/**
 * Makes the tables by which questions are understood, one in each turn of the event loop: else the first visitor after
 * a start waits for all of them, and everybody else too. Nothing is made where no agent knows anything.
 */
export async function warmUp ({ raw, read }: Pick<Database, 'raw' | 'read'>, signal: AbortSignal): Promise<void> {
  const languages = read(() => raw.prepare<[], Language | null>(LANGUAGES).pluck().all())
  if (languages.length === 0) return
  const steps = [
    () => smallTalkIn(WORDS),
    () => languagesAskingForPerson(WORDS),
    () => isRow(WORDS),
    ...languages.flatMap((language) => [
      () => queryWords(WORDS, [[language, 1]]),
      () => phrasesOf(language),
      ...tonguesOf(language).map((tongue) => () => conceptsIn(WORDS, tokensOf(WORDS), [tongue]))
    ])
  ]
  for (const step of steps) {
    await new Promise(setImmediate)
    if (signal.aborted) return
    step()
  }
}
