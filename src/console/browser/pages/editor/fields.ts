import { AVATAR_TYPES } from '../../../../../schema/agents.ts'
import type { Feature } from '../../../../../schema/plans.ts'
import type { Texts } from '../../texts/en.ts'
import { texts } from '../../texts/index.ts'

/** The control of a field. `kind`: a line of which some values have names in the reader's language. */
export type As =
  'line' | 'kind' | 'text' | 'number' | 'switch' | 'choice' | 'color' | 'lines' | 'providers' | 'provider' | 'model' | 'translations' | 'actions'

/**
 * A field of the editor. Bounds and choices are in the schema at its path; its hint is among the texts under its path.
 */
export interface FieldOf {
  path: string
  /** Its label, among the texts. */
  label: keyof Texts['fields']
  /** How much of the width it takes up. */
  size: 'half' | 'full'
  as: As
  /** The options, if the schema allows more values. */
  choices?: readonly string[]
  /** The path of the field it depends on: if that is empty or off, this one is hidden. */
  within?: keyof Texts['fields']
  /** The feature that the plan must include. */
  needs?: Feature
}

export interface Group { name: keyof Texts['editor']['group'], fields: FieldOf[] }

/** A field whose label is under its own path. */
function field (path: keyof Texts['fields'], as: As, size: FieldOf['size'] = 'full', needs?: Feature): FieldOf {
  return { path, label: path, as, size, ...(needs && { needs }) }
}

/** A field that applies only if another one is on. */
const within = (other: keyof Texts['fields'], of: FieldOf): FieldOf => ({ ...of, within: other })

/** All settings of an agent, in the order in which people look for them. */
export const GROUPS: Group[] = [
  {
    name: 'general',
    fields: [
      field('name', 'line'),
      field('description', 'text'),
      field('status', 'choice'),
      field('agentType', 'kind', 'half'),
      field('agent_category', 'kind', 'half')
    ]
  },
  {
    name: 'instructions',
    fields: [
      field('systemPrompt', 'text'),
      field('behavior.guidelines.dos', 'lines'),
      field('behavior.guidelines.donts', 'lines'),
      field('behavior.multilingualSupport', 'switch'),
      field('behavior.conversationMemory', 'switch'),
      field('behavior.continuousLearning', 'switch')
    ]
  },
  {
    name: 'look',
    fields: [
      field('appearance.chatbotName', 'line'),
      field('appearance.welcomeMessage', 'text'),
      field('appearance.primaryColor', 'color', 'half'),
      field('appearance.secondaryColor', 'color', 'half'),
      field('appearance.position', 'choice', 'half'),
      field('appearance.buttonText', 'line', 'half'),
      field('appearance.fontFamily', 'line'),
      { ...field('appearance.avatar.type', 'choice', 'half'), choices: AVATAR_TYPES },
      field('appearance.avatar.src', 'line'),
      field('is_white_label', 'switch', 'full', 'WHITE_LABELING'),
      field('translations', 'translations')
    ]
  },
  {
    name: 'behaviour',
    fields: [
      field('behavior.suggestions', 'lines'),
      field('behavior.autoShowAfter', 'number', 'half'),
      field('behavior.showOnMobile', 'switch'),
      field('behavior.collectVisitorData', 'switch'),
      field('behavior.actionIds', 'actions'),
      field('is_chatapp_enabled', 'switch')
    ]
  },
  {
    name: 'people',
    fields: [
      field('behavior.expertHandoff', 'switch'),
      within('behavior.expertHandoff', field('behavior.escalationPrompt', 'text')),
      field('behavior.aiToAiHandoff', 'switch'),
      within('behavior.aiToAiHandoff', field('behavior.agentHandoffPrompt', 'text')),
      field('behavior.email', 'line', 'half'),
      field('behavior.ticketType', 'choice', 'half'),
      field('ticketing_providers', 'providers'),
      within('ticketing_providers', field('default_ticketing_provider', 'provider', 'half')),
      field('behavior.autoTicketReply', 'switch', 'full', 'AUTO_TICKET_RESPONSE'),
      field('behavior.followupCount', 'number', 'half'),
      within('behavior.followupCount', field('behavior.followupInterval', 'number', 'half')),
      within('behavior.followupCount', field('behavior.followupMessages', 'lines'))
    ]
  },
  {
    name: 'model',
    fields: [
      field('model.response_model', 'model', 'half'),
      field('model.display_model', 'line', 'half'),
      field('model.temperature', 'number', 'half'),
      field('model.token_length', 'number', 'half')
    ]
  },
  {
    name: 'privacy',
    fields: [
      field('gdpr_settings.gdpr_message_display', 'switch'),
      within('gdpr_settings.gdpr_message_display', field('gdpr_settings.data_retention_message', 'text')),
      field('gdpr_settings.data_retention_days', 'number', 'half'),
      field('privacy_url', 'line')
    ]
  }
]

export const FIELDS: readonly FieldOf[] = GROUPS.flatMap(({ fields }) => fields)

/** What a choice is called in the reader's language; the stored value itself if it has no name. */
export const choiceCalled = (value: string): string => (texts.value.choices as Record<string, string>)[value] ?? value

/** What a type or category of agents is called in the reader's language: as it was typed, unless it is a default. */
export const kindCalled = (value: string): string => (texts.value.kinds as Record<string, string>)[value] ?? value

/** The stored type or category that is called this. */
export const kindBy = (typed: string): string =>
  Object.entries(texts.value.kinds).find(([, name]) => name === typed)?.[0] ?? typed
