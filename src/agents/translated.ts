import type { AgentPatch, AgentRecord, Translations } from '../../schema/agents.ts'
import { codesOf } from '../platform/languages.ts'

/*
 * An agent's own texts in the language of a visitor, as pure functions.
 */

/** What of an agent is said in the visitor's language. */
type Texts = Pick<AgentRecord, 'appearance' | 'behavior' | 'gdpr_settings' | 'translations'>

/** The agent as it speaks to somebody of this language (`de`, `de-AT`); null: as it is. */
export function inLanguage<T extends Texts> (agent: T, language: string | null | undefined): T {
  const short = language?.toLowerCase().split('-')[0] ?? ''
  // A visitor names it: `constructor` is no language.
  const code = [short, ...codesOf(short)].find((code) => Object.hasOwn(agent.translations, code))
  const own = code === undefined ? undefined : agent.translations[code]
  if (!own) return agent
  const { appearance, behavior, gdpr_settings: gdpr } = agent
  const { welcomeMessage, buttonText, data_retention_message: notice } = own
  return {
    ...agent,
    appearance: {
      ...appearance,
      welcomeMessage: welcomeMessage || appearance.welcomeMessage,
      buttonText: buttonText || appearance.buttonText
    },
    behavior: {
      ...behavior,
      suggestions: said(own.suggestions) ?? behavior.suggestions,
      followupMessages: said(own.followupMessages) ?? behavior.followupMessages
    },
    gdpr_settings: { ...gdpr, data_retention_message: notice?.trim() ? notice : gdpr.data_retention_message }
  }
}

/** A list of texts, unless nothing is said in it. */
function said (texts: string[] | undefined): string[] | undefined {
  return texts?.some((text) => text.trim() !== '') ? texts : undefined
}

/** The agent as it is, and as it speaks in each other language. */
export function inEachLanguage<T extends Texts> (agent: T): T[] {
  return [agent, ...Object.keys(agent.translations).map((language) => inLanguage(agent, language))]
}

/** Translations with a patch applied: languages merge text by text, null takes one away. */
export function translationsWith (current: Translations, patch: AgentPatch['translations'] = {}): Translations {
  const next = { ...current }
  for (const [language, texts] of Object.entries(patch)) {
    if (texts === null) delete next[language]
    else next[language] = { ...next[language], ...texts }
  }
  return next
}
