import { decides, guarded } from '../../guards/index.ts'
import type { Prior } from '../../search/words/guess.ts'
import { languageOfMessage, type KnownLanguage } from '../../search/words/of-message.ts'
import { isThanks, languageOfCourtesy, type Canned } from '../answering/small-talk/canned.ts'
import type { DecisionInput } from '../contract.ts'
import { addressIn, isUnclearAddress, withoutAddresses } from '../handoff/address.ts'
import type { Said } from '../life/decision.ts'

/**
 * A visitor's message, without what must not be stored. If a rule decides about it, it is not a request for a person,
 * nor thanks or an address: the agent answers as the rule says. `kind`: what it is if stored whole.
 */
export function heard (
  { conversation, speaker }: DecisionInput, what: Pick<Said, 'text' | 'client_id' | 'page' | 'vouched'>, kind: Canned | undefined,
  spoken: Prior
): Omit<Said, 'attachments'> & Required<Pick<Said, 'guarded' | 'tags'>> {
  const known = knownOf({ conversation }, spoken)
  const { text, verdict, notes, tags } = guarded(what.text, speaker.guardRules, 'asked', known)
  const isAnswered = conversation.handled_by === 'agent'
  const isFree = verdict === undefined || !isAnswered
  return {
    ...what,
    text,
    language: languageIn(withoutAddresses(what.text), kind === 'person', known),
    wantsPerson: isFree && kind === 'person',
    isThanks: isFree && isThanks(what.text),
    address: isFree ? addressIn(text, speaker.contact) : undefined,
    isAddressUnclear: isFree && isUnclearAddress(text),
    // If a person answers, no rule decides instead of the agent.
    guarded: isAnswered ? notes : notes.filter(({ did }) => !decides(did)),
    tags
  }
}

/** What is known of a visitor's language before their message. */
export const knownOf = (
  { conversation: { language: given } }: Pick<DecisionInput, 'conversation'>, spoken: Prior
): KnownLanguage =>
  ({ given, spoken })

/** The language detected in a message; null if none. */
function languageIn (
  text: string, isForPerson: boolean, known: KnownLanguage
): string | null {
  const told = languageOfMessage(text, known)
  return told ?? (isForPerson ? languageOfCourtesy(text) : null)
}
