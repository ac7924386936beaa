import { lazily } from '../../../platform/lazily.ts'
import { fold } from '../../words/fold.ts'

/*
 * Short names of days that are words too: `so` and `di` in German, `mar` in French, `sun` in English.
 */

/** From Sunday on, several with a stroke between; `-` where it is too common a word. */
const SHORT_DAYS = new Map(Object.entries({
  de: 'so mo di mi do fr sa',
  fr: 'dim lun mar mer jeu ven sam',
  es: 'dom lun mar mié jue vie sáb',
  it: 'dom lun mar mer gio ven sab',
  nl: 'zo ma di wo do vr za',
  pt: 'dom seg - qua qui sex sáb',
  pl: 'nd/niedz pn/pon wt śr czw pt sob',
  sv: 'sön mån tis ons tors fre lör',
  da: 'søn man tirs ons tors fre lør'
}).map(([language, names]) => [language, names.split(' ').map((one) => one === '-' ? [] : one.split('/'))]))

const names = lazily(() => new Set([...SHORT_DAYS.values()].flat(2).map((name) => fold(name))))

/** Those of languages without spaces are no other words. */
const UNSPACED: Record<string, string[]> = {
  zh: ['周日', '周一', '周二', '周三', '周四', '周五', '周六'],
  th: ['อาทิตย์', 'จันทร์', 'อังคาร', 'พุธ', 'พฤหัส', 'ศุกร์', 'เสาร์']
}

/** Words between two days, and behind one on which a place is closed. */
const JOINS = new Set('bis und u a au et al y e tot en t m do i til och og till'.split(' '))
const CLOSED = new Set('geschlossen zu ruhetag ferme fermee cerrado chiuso gesloten dicht fechado encerrado nieczynne zamkniete stangt lukket'.split(' '))
/** Hours right behind a day; an amount of francs has a point, too. */
const HOURS = /^\.?:?\s?\d{1,2}(?:[:h]\d\d(?!\d)|\.\d\d\s?(?:[–-]|uhr|uur|bis|tot|kl)|\s?(?:uhr|uur|h(?!\p{L})|[–-]\s?\d{1,2}(?!\d)))/iu
/** Characters behind a name that are looked at. */
const BEHIND = 20

/** A folded word of a text, and where it ends. */
interface Word { word: string, end: number }

/** English ones that are words too, and what beside them says that they are days. */
const ALSO_WORDS = new Set(['sat', 'sun', 'wed'])
const BEFORE_DAY = new Set((
  'on this next last every by until till to from through thru and or open opens close closes closed shut times hours'
).split(' '))
const BEHIND_DAY = new Set((
  'morning mornings afternoon afternoons evening evenings night nights at from to until till open closed hours and or'
).split(' '))
const SHORT_DAY = /^(?:mon|tues?|wed|thu|thur|thurs|fri|sat|sun)$/
const MOMENT = /^\d{1,2}(?:am|pm|h|st|nd|rd|th)?$/

/** The short names of a day, 0 for Sunday; English ones are those of `Intl`. */
export function shortDay (language: string, day: number): readonly string[] {
  const name = UNSPACED[language]?.[day]
  return name === undefined ? SHORT_DAYS.get(language)?.[day] ?? [] : [name]
}

/** Whether a folded word is such a name in one of the languages. */
const isShortDay = (word: string): boolean => names().has(word)

/** Whether such a name stands beside another, or before the hours of its day: elsewhere it is another word. */
function isBesideTimes (text: string, tokens: readonly Word[], at: number): boolean {
  const word = (i: number) => tokens[i]?.word ?? ''
  /** Behind at most two words that join: `ma t/m vr`. */
  const isJoined = (by: number) => {
    let next = at + by
    for (let joins = 0; joins < 2 && JOINS.has(word(next)); joins++) next += by
    return isShortDay(word(next))
  }
  const { end } = tokens[at]!
  return isJoined(1) || isJoined(-1) || CLOSED.has(word(at + 1)) || HOURS.test(text.slice(end, end + BEHIND))
}

/** Whether the name of a day is one where it stands; only a short one that is a word too may be none. */
export function isDay (text: string, tokens: readonly Word[], at: number): boolean {
  const { word } = tokens[at]!
  if (isShortDay(word)) return isBesideTimes(text, tokens, at)
  if (!ALSO_WORDS.has(word)) return true
  const [before, behind] = [tokens[at - 1]?.word, tokens[at + 1]?.word]
  const isOf = (other: string | undefined, words: Set<string>) =>
    other !== undefined && (words.has(other) || SHORT_DAY.test(other) || MOMENT.test(other))
  return tokens.length === 1 || isOf(before, BEFORE_DAY) || isOf(behind, BEHIND_DAY)
}
