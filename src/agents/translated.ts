import type { AgentPatch, AgentRecord, Translations } from '../../schema/agents.ts'
import { codesOf } from '../platform/languages.ts'

/*
 * An agent's own texts in the language of a visitor, as pure functions.
 */

/** The texts of an agent in the visitor's language. */
type Texts = Pick<AgentRecord, 'appearance' | 'behavior' | 'gdpr_settings' | 'translations'>

/** The agent with its texts in this language (`de`, `de-AT`); null: unchanged. */
export function inLanguage<T extends Texts> (agent: T, language: string | null | undefined): T {
  const short = language?.toLowerCase().split('-')[0] ?? ''
  // A visitor chooses it: `constructor` is no language.
  const code = [short, ...codesOf(short)].find((code) => Object.hasOwn(agent.translations, code))
  const translation = code === undefined ? undefined : agent.translations[code]
  if (!translation) return agent
  const { appearance, behavior, gdpr_settings: gdpr } = agent
  const { welcomeMessage, buttonText, data_retention_message: notice } = translation
  return {
    ...agent,
    appearance: {
      ...appearance,
      welcomeMessage: welcomeMessage || appearance.welcomeMessage,
      buttonText: buttonText || appearance.buttonText
    },
    behavior: {
      ...behavior,
      suggestions: said(translation.suggestions) ?? behavior.suggestions,
      followupMessages: said(translation.followupMessages) ?? behavior.followupMessages
    },
    gdpr_settings: { ...gdpr, data_retention_message: notice?.trim() ? notice : gdpr.data_retention_message }
  }
}

/** A list of texts, unless all are empty. */
function said (texts: string[] | undefined): string[] | undefined {
  return texts?.some((text) => text.trim() !== '') ? texts : undefined
}

/** The agent unchanged, and in each other language. */
export function inEachLanguage<T extends Texts> (agent: T): T[] {
  return [agent, ...Object.keys(agent.translations).map((language) => inLanguage(agent, language))]
}

/** Translations with a patch applied: languages are merged text by text, null removes one. */
export function translationsWith (current: Translations, patch: AgentPatch['translations'] = {}): Translations {
  const next = { ...current }
  for (const [language, texts] of Object.entries(patch)) {
    if (texts === null) delete next[language]
    else next[language] = { ...next[language], ...texts }
  }
  return next
}
