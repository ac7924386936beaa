import { AVATAR_TYPES } from '../../../../../schema/agents.ts'
import type { Feature } from '../../../../../schema/plans.ts'
import type { Texts } from '../../texts/en.ts'

/** How a field is filled in. */
export type As =
  'line' | 'text' | 'number' | 'switch' | 'choice' | 'color' | 'lines' | 'providers' | 'provider' | 'model' | 'translations' | 'actions'

/**
 * A field of the editor. Bounds and choices are in the schema at its path; its hint is among the texts under its path.
 */
export interface FieldOf {
  path: string
  /** Its label, among the texts. */
  label: keyof Texts['fields']
  /** How much of the width it takes. */
  size: 'half' | 'full'
  as: As
  /** What is chosen from, where the schema takes more than that. */
  choices?: readonly string[]
  /** Without this one, or where it is off, the field has no use and is not there. */
  within?: keyof Texts['fields']
  /** What the plan must include. */
  needs?: Feature
}

export interface Group { name: keyof Texts['editor']['group'], fields: FieldOf[] }

/** A field whose label stands under its own path, as all do. */
function field (path: keyof Texts['fields'], as: As, size: FieldOf['size'] = 'full', needs?: Feature): FieldOf {
  return { path, label: path, as, size, ...(needs && { needs }) }
}

/** A field that has a use only where another one is on. */
const within = (other: keyof Texts['fields'], of: FieldOf): FieldOf => ({ ...of, within: other })

/** Everything that can be set of an agent, in the order in which people look for it. */
export const GROUPS: Group[] = [
  {
    name: 'general',
    fields: [
      field('name', 'line'),
      field('description', 'text'),
      field('status', 'choice'),
      field('agentType', 'line', 'half'),
      field('agent_category', 'line', 'half')
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
