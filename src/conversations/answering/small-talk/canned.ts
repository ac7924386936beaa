import { languagesAskingForPerson } from './person.ts'
import type { Phrases } from '../../../locales/contract.ts'
import { smallTalkIn, type SmallTalk } from './small-talk.ts'

/** What a message can be told to be without a model and without a search. */
export type Canned = SmallTalk | 'person'

/** What of several things that are said is answered: "ok, thanks, bye" by a goodbye. */
const ORDER: readonly SmallTalk[] = ['robot', 'help', 'bye', 'thanks', 'ok', 'greeting']

/**
 * Whether a message is small talk alone, or asks for a person. Undefined: it has to be answered. `known`: the visitor's
 * language, as far as it is known.
 */
export function canned (text: string, known: string | null = null): Canned | undefined {
  const told = smallTalkIn(text, known)
  if (told) return ORDER.find((kind) => told.kinds.has(kind))
  return languagesAskingForPerson(text).length > 0 ? 'person' : undefined
}

/** Whether a message thanks, and says nothing else but small talk. */
export const isThanks = (text: string): boolean => smallTalkIn(text)?.kinds.has('thanks') ?? false

/** As many languages that share a wording are near to each other: any will do. */
const NEAR = 2

/**
 * The language that small talk is made in, or a person asked for: the likely one of those that share the words, else
 * the first; null of anything else, and of what half the world says.
 */
export function languageOfCourtesy (text: string, likely: string | null = null): string | null {
  const told = smallTalkIn(text)
  const languages = told?.languages ?? languagesAskingForPerson(text)
  if (likely !== null && languages.includes(likely)) return likely
  const isOwn = languages.length <= NEAR || told?.kinds.has('greeting') || told?.kinds.has('thanks')
  return (isOwn ? languages[0] : undefined) ?? null
}

/** What the agent says to it. `contact`: where a person can be reached, if anywhere; `isFirst`: it said who it is. */
export function cannedAnswer (
  kind: Canned,
  phrases: Phrases,
  { welcome, contact, isFirst = false }: { welcome: string, contact: string | null, isFirst?: boolean }
): string {
  switch (kind) {
    case 'greeting': return welcome || phrases.greeting
    case 'thanks': return phrases.thanks
    case 'ok': return phrases.ok
    case 'bye': return phrases.bye
    case 'robot': return isFirst ? phrases.canHelp : `${phrases.isAi} ${phrases.canHelp}`
    case 'help': return phrases.canHelp
    case 'person': return contact ? phrases.writeTo.replace('{contact}', contact) : phrases.noPerson
  }
}
