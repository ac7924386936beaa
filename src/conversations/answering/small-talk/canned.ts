import type { Phrases } from '../../../locales/contract.ts'
import { textsInAll } from '../../../locales/list.ts'
import { foldedWords } from '../../../search/words/fold.ts'
import { languagesAskingForPerson } from './person.ts'
import { smallTalkIn, type SmallTalk } from './small-talk.ts'

/** What a message can be recognized as without a model or a search. */
export type Canned = SmallTalk | 'person'

/** Which of several things said is answered: "ok, thanks, bye" by a goodbye. */
const ORDER: readonly SmallTalk[] = ['robot', 'help', 'complaint', 'bye', 'thanks', 'ok', 'greeting']

/**
 * Whether a message is only small talk, or asks for a person. Undefined: it has to be answered. `known`: the visitor's
 * language, as far as known.
 */
export function canned (text: string, known: string | null = null): Canned | undefined {
  const told = smallTalkIn(text, known)
  if (told) return ORDER.find((kind) => told.kinds.has(kind))
  return languagesAskingForPerson(text).length > 0 ? 'person' : undefined
}

/** Where a sentence ends. */
const SENTENCE = /\n|(?<=[.!?…。！？؟])\s/u
/** Further sentences are not looked at. */
const MOST_SENTENCES = 20

/**
 * What else is said by a message that asks whether an AI answers, beside something else; undefined for any other.
 */
export function besideWhetherAi (text: string, known: string | null = null): string | undefined {
  if (smallTalkIn(text, known)) return undefined
  const sentences = text.split(SENTENCE, MOST_SENTENCES + 1)
  if (sentences.length < 2 || sentences.length > MOST_SENTENCES) return undefined
  const rest = sentences.filter((one) => !smallTalkIn(one, known)?.kinds.has('robot'))
  return rest.length < sentences.length ? rest.join('\n') : undefined
}

/** Whether a message thanks, and is otherwise only small talk. */
export const isThanks = (text: string): boolean => smallTalkIn(text)?.kinds.has('thanks') ?? false

/** This many languages sharing a wording are close to each other: any will do. */
const NEAR = 2

/**
 * The language of small talk or of a request for a person: the likely one of those sharing the words, else the first;
 * null for anything else, and for what half the world says.
 */
export function languageOfCourtesy (text: string, likely: string | null = null): string | null {
  const told = smallTalkIn(text)
  const languages = told?.languages ?? languagesAskingForPerson(text)
  if (likely !== null && languages.includes(likely)) return likely
  const isTelling = languages.length <= NEAR || told?.kinds.has('greeting') || told?.kinds.has('thanks')
  return (isTelling ? languages[0] : undefined) ?? null
}

/** What the whole world says: where a language is known, it tells no other. */
const WORLDLY = new Set('hi hello hey thanks thx ty merci bye ciao ok okay super top please sorry'.split(' '))

/**
 * The language of small talk that tells one, if the known language does not have it; null for anything else. A few
 * words say too little for a language to be recognized otherwise.
 */
export function otherLanguageOfSmallTalk (text: string, known: string): string | null {
  const told = smallTalkIn(text, known)
  if (!told || told.languages.includes(known)) return null
  if (foldedWords(text).split(' ').every((word) => WORLDLY.has(word))) return null
  return languageOfCourtesy(text)
}

/** The agent's reply. `contact`: where a person can be reached, if anywhere; `isFirst`: it has introduced itself. */
export function cannedAnswer (
  kind: Canned,
  phrases: Phrases,
  { welcome, contact, isFirst = false }: { welcome: string, contact: string | null, isFirst?: boolean }
): string {
  const writeTo = contact && phrases.writeTo.replace('{contact}', contact)
  switch (kind) {
    case 'greeting': return welcome || phrases.greeting
    case 'thanks': return phrases.thanks
    case 'ok': return phrases.ok
    case 'bye': return phrases.bye
    case 'robot': return isFirst ? phrases.canHelp : `${phrases.isAi} ${phrases.canHelp}`
    case 'help': return phrases.canHelp
    case 'complaint': return writeTo ? `${phrases.sorry} ${writeTo}` : phrases.sorry
    case 'person': return writeTo || phrases.noPerson
  }
}

const NOTICES = new Set<string>(textsInAll('agent').map(({ isAi }) => isAi))

const HELPS: readonly string[] = textsInAll('agent').map(({ mayHelp }) => mayHelp)

/** Whether an answer only offers what may help, in any language. */
export function saysMayHelp (text: string): boolean {
  const said = withoutNotice(text)
  return HELPS.some((phrase) => said.startsWith(phrase))
}

/** An answer without the notice at the start of the first one, in any language. */
export function withoutNotice (text: string): string {
  const [first = ''] = text.split('\n\n', 1)
  return NOTICES.has(first) ? text.slice(first.length + 2) : text
}
