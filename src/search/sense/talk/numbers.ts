import { isNumber } from '../kinds.ts'
import type { Token } from '../lexicon.ts'
import { isAsking } from './asking.ts'
import { isEveryday } from './ordinary.ts'
import { wordSet } from '../../words/fold.ts'

/*
 * What a number in a question is: a count, a time of day, an age, or a part of the name of a thing.
 */

/** What is counted: years and people. Folded, of all languages, as all words here. */
const COUNTED = wordSet('year years jahr jahre jahren anos ano ans people persons person guests leute personen gaste personas personnes anni persone pessoas jaar personen lat osob ar personer let лет человек yas kisi')
/** Words for how long something takes. */
export const SPAN = wordSet('day days week weeks month months night nights hour hours tag tage tagen woche wochen monat monate nacht nachte stunde stunden dia dias semana semanas mes meses noche noches hora horas jour jours semaine semaines mois nuit nuits heure heures giorno giorni settimana settimane mese mesi notte notti ora ore dag dagen weken maand maanden nacht nachten uur uren noite noites dni dzien tydzien tygodnie miesiac noc noce godzina godziny dagar vecka veckor manad natt natter timme timmar dage uge uger maned nat time timer den dny tyden noc hodina день дня дней неделя недели ночь час часа дні днів тиждень ніч година gun hafta ay gece saat')
const AT = wordSet('at um las a om alle as kl o v ve в saat')
const CLOCK = wordSet('am pm uhr uur h hrs o clock heures horas ore hod hodin godz')

/** What a question was found to be about before its words were looked at. */
type Concepts = ReadonlySet<string | null>

const isCounted = (tokens: readonly Token[], at: number) => {
  const word = tokens[at]?.word ?? ''
  return COUNTED.has(word) || SPAN.has(word)
}

/** Whether it counts what stands behind it: `2 people`, `3 days`. */
export function isCount (tokens: readonly Token[], at: number): boolean {
  return isNumber(tokens[at]!.word) && isCounted(tokens, at + 1)
}

/** A time of day, as in `open at 7`: it is answered by the times between which something is open. */
export function isClock (isOfHours: boolean, tokens: readonly Token[], at: number): boolean {
  const [before, { word }, after] = [tokens[at - 1]?.word ?? '', tokens[at]!, tokens[at + 1]?.word ?? '']
  if (CLOCK.has(word) && /^\d/.test(before)) return true
  return /^\d{1,2}$/.test(word) && (CLOCK.has(after) || (AT.has(before) && isOfHours))
}

/** A number right behind a thing, and of nothing that it would count, is a part of its name: `iPhone 15`. */
export function isOfModel (tokens: readonly Token[], at: number, languages: readonly string[]): boolean {
  const [before, { word, start }] = [tokens[at - 1], tokens[at]!]
  return /^\d/.test(word) && before !== undefined && start - before.end === 1 && /^\p{L}{3}/u.test(before.word) &&
    !isAsking(before.word, languages) && !isEveryday(before.word, languages) &&
    !IS_OLD.has(before.word) && !isCounted(tokens, at + 1)
}

/** Words before and behind a number that make it somebody's age: `I'm 70`, `ist gerade 2 geworden`, `ne ha 14 e`. */
const IS_OLD = wordSet('is im m am are turned turning bin ist wird werd gerade schon soy es tiene tengo cumple ai a suis est ho ha e ha ne ben is ze tenho tem fez mam ma skonczyl skonczyla ar er är jsem je mi лет мне ему ей')
const BEHIND_AGE = wordSet('and so but now next can may yo geworden und aber y pero et mais e ma en maar i ale och men og now already schon ya deja gia al')

/** Whether a number is an age: it follows `is` or its like, and nothing follows that it would count. */
export function isOld (tokens: readonly Token[], at: number): boolean {
  const [before, { word, end }, after] = [tokens[at - 1], tokens[at]!, tokens[at + 1]]
  return /^\d{1,2}$/.test(word) && before !== undefined && IS_OLD.has(before.word) &&
    (after === undefined || after.start - end > 1 || BEHIND_AGE.has(after.word))
}

/** How old somebody is by a number in a question about children or ages. */
export function ageAt (about: Concepts, word: string, isAge: boolean): number | null {
  const isYoung = isAge || about.has('children') || about.has('age')
  return isYoung && /^\d{1,2}$/.test(word) ? Number(word) : null
}
