import { guessLanguage } from '../../search/words/guess.ts'
import { words } from '../../search/words/words.ts'

/** Scripts that only one of our languages is written in. */
const SCRIPTS: Array<[RegExp, string]> = [
  [/[\p{sc=Hiragana}\p{sc=Katakana}]/u, 'ja'],
  [/\p{sc=Hangul}/u, 'ko'],
  [/\p{sc=Han}/u, 'zh'],
  [/\p{sc=Thai}/u, 'th'],
  [/\p{sc=Hebrew}/u, 'he'],
  [/\p{sc=Greek}/u, 'el'],
  [/\p{sc=Devanagari}/u, 'hi'],
  [/\p{sc=Arabic}/u, 'ar'],
  [/\p{sc=Cyrillic}/u, 'ru']
]

/** Fewer Latin words than this say too little about their language. */
const TELLING = 3

/** The language of what somebody wrote, ISO 639-1; null when so few words tell nothing. */
export function languageOfMessage (text: string): string | null {
  const script = SCRIPTS.find(([pattern]) => pattern.test(text))
  if (script) return script[1]
  const found = words(text, null)
  return found.length < TELLING ? null : guessLanguage(found)
}
