import { guarded } from '../../guards/index.ts'
import type { Prior } from '../../search/words/guess.ts'
import { languageOfMessage, type KnownLanguage } from '../../search/words/of-message.ts'
import { isThanks, languageOfCourtesy, type Canned } from '../answering/small-talk/canned.ts'
import type { Loaded } from '../contract.ts'
import { addressIn } from '../hands/address.ts'
import type { Said } from '../life/decision.ts'

/**
 * What a visitor said, without what nobody is to keep. Where a rule decides what becomes of it, it is no wish for a
 * person, no thanks and no address: the agent answers with what the rule says. `kind`: what it is if it is said whole.
 */
export function heard (
  { conversation, speaker }: Loaded, what: Pick<Said, 'text' | 'client_id' | 'page' | 'vouched'>, kind: Canned | undefined,
  spoken: Prior
): Omit<Said, 'attachments'> & Required<Pick<Said, 'guarded'>> {
  const known = knownOf({ conversation }, spoken)
  const { text, verdict, notes } = guarded(what.text, speaker.guardRules, 'asked', known)
  const isAnswered = conversation.handled_by === 'agent'
  const isFree = verdict === undefined || !isAnswered
  return {
    ...what,
    text,
    language: languageIn(what.text, kind === 'person', known),
    wantsPerson: isFree && kind === 'person',
    isThanks: isFree && isThanks(what.text),
    address: isFree ? addressIn(text, speaker.contact) : undefined,
    // Where a person answers, nothing is decided instead of the agent.
    guarded: isAnswered ? notes : notes.filter(({ did }) => did === 'mask')
  }
}

/** What is known of a visitor's language before they say something. */
export const knownOf = ({ conversation: { language: given } }: Pick<Loaded, 'conversation'>, spoken: Prior): KnownLanguage =>
  ({ given, spoken })

/** The language that a message shows; null where it shows none. */
function languageIn (
  text: string, isForPerson: boolean, known: KnownLanguage
): string | null {
  const told = languageOfMessage(text, known)
  return told ?? (isForPerson ? languageOfCourtesy(text) : null)
}
