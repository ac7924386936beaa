import {
  AGENT_DEFAULTS, ASSIGNED, DEFAULT_SETTINGS, MOST_LANGUAGES, type AgentDraft, type AgentPatch, type AgentRecord,
  type AgentSettings
} from '../../schema/agents.ts'
import type { Permission } from '../../schema/access.ts'
import type { Id } from '../../schema/common.ts'
import type { Tier } from '../../schema/plans.ts'
import { invalid } from '../platform/errors.ts'
import { demand } from '../access/index.ts'
import { atOnce, inTurns } from '../platform/work/slices.ts'
import { checkRules, completeRule, trying, type SaidLately, type Tried } from '../guards/index.ts'
import { demandFeature } from '../plans/index.ts'
import type { NewAgent } from './store.ts'
import { translationsWith } from './translated.ts'
import { isObject } from '../platform/objects.ts'

/** The default model of an agent. */
export interface DefaultModel { response_model: string, display_model: string }

/**
 * Who changes an agent, as far as it affects what may be set. `ticketing`: names of the account's ticketing providers;
 * `actions`: ids of its actions; `said`: recent messages with an agent of it; `tried`: results of trying the guard
 * rules of a change, see `havingTried`.
 */
export interface Author {
  tier: Tier,
  permissions: readonly Permission[],
  ticketing: readonly string[],
  actions?: readonly Id[]
  said?: (agent: Id) => Promise<SaidLately>
  tried?: Tried
}

/** A new agent: the draft merged over the defaults. Refuses what `checkChange` refuses. */
export function newAgent (draft: AgentDraft, defaults: DefaultModel, author: Author): NewAgent {
  const blank: NewAgent = {
    ...DEFAULT_SETTINGS,
    name: draft.name,
    appearance: { ...AGENT_DEFAULTS.appearance, chatbotName: draft.name },
    model: { ...AGENT_DEFAULTS.model, ...defaults },
    systemPrompt: draft.systemPrompt,
    publish_on_save: true,
    search_text: ''
  }
  return changed(blank, draft, author)
}

/**
 * The agent with the patch applied: an absent field stays, objects merge field by field, arrays are replaced.
 * Throws `feature_unavailable`, `permission_denied` or VALIDATION_ERROR for what this author may not set; what is
 * already set may stay set, so a downgrade loses nothing.
 */
export function changed<T extends NewAgent> (current: T, patch: AgentPatch, author: Author): T {
  const next = { ...merge(current, patch), translations: translationsWith(current.translations, patch.translations) }
  if (
    patch.model?.response_model !== undefined &&
    patch.model.display_model === undefined &&
    next.model.response_model !== current.model.response_model
  ) {
    next.model = { ...next.model, display_model: displayName(next.model.response_model) }
  }
  if (patch.behavior?.guardRules) {
    next.behavior = { ...next.behavior, guardRules: patch.behavior.guardRules.map(completeRule) }
    checkGuards(current, next, author)
  }
  next.search_text = searchText(next)
  checkChange(current, next, author)
  return next
}

const NOTHING_SAID: SaidLately = { asked: [], answered: [] }

/**
 * The author of a change whose guard rules were already tried, in slices that let others run: `changed` would try them
 * in one go. `agent`: the one to change; undefined for a new one.
 */
export async function havingTried (
  author: Author, { behavior }: Pick<AgentPatch, 'behavior'>, agent?: Id
): Promise<Author> {
  const rules = (behavior?.guardRules ?? []).map(completeRule)
  if (rules.length === 0) return author
  const lately = agent === undefined ? undefined : await author.said?.(agent)
  return { ...author, tried: await inTurns(trying(rules, lately ?? NOTHING_SAID)) }
}

/** Refuses rules as `checkRules` does. */
function checkGuards (
  current: NewAgent, { behavior: { guardRules: rules }, systemPrompt }: NewAgent, { tried }: Author
) {
  checkRules(rules, current.behavior.guardRules, tried ?? atOnce(trying(rules, NOTHING_SAID)), systemPrompt)
}

/** `GPT 4o Mini` of `openai/gpt-4o-mini`: the last part of the identifier as a person would write it. */
export function displayName (model: string): string {
  const words = (model.split('/').at(-1) || model).split(/[-_ ]+/).filter(Boolean)
  const shown = words
    .map((word) => (/^[^aeiou\d]{2,4}$/i.test(word) ? word.toUpperCase() : word[0]!.toUpperCase() + word.slice(1)))
    .join(' ')
  return shown || model
}

/** Text normalised for search, regardless of compatibility forms and case. */
export function fold (text: string): string {
  return text.normalize('NFKC').toLowerCase()
}

/**
 * The fields of `current`, replaced or merged by those in the patch. Fields that only the server assigns are ignored.
 */
function merge<T extends object> (current: T, patch: object): T {
  const next = { ...current }
  for (const [field, value] of Object.entries(patch)) {
    if (!(field in current) || ASSIGNED.includes(field)) continue
    const old = current[field as keyof T]
    next[field as keyof T] = isObject(old) && isObject(value) ? merge(old, value) as T[keyof T] : value
  }
  return next
}

/** The agent after a ticketing provider that it names was renamed, without duplicate names. */
export function withProviderRenamed<T extends Ticketing> (agent: T, from: string, to: string): T {
  const renamed = (name: string) => name === from ? to : name
  const { default_ticketing_provider: first } = agent
  return {
    ...agent,
    ticketing_providers: [...new Set(agent.ticketing_providers.map(renamed))],
    default_ticketing_provider: first === null ? null : renamed(first)
  }
}

type Ticketing = Pick<AgentSettings, 'ticketing_providers' | 'default_ticketing_provider'>

/** Settings without deleted providers and actions, so that an old version can still be used. */
function withoutGone (
  settings: AgentSettings, current: AgentRecord, { ticketing, actions = [] }: Author
): AgentSettings {
  const { default_ticketing_provider: first, ticketing_providers: all, behavior } = settings
  const known = [...ticketing, ...current.ticketing_providers]
  const there = [...actions, ...current.behavior.actionIds]
  return {
    ...settings,
    ticketing_providers: all.filter((name) => known.includes(name)),
    default_ticketing_provider: first !== null && known.includes(first) ? first : null,
    behavior: { ...behavior, actionIds: (behavior.actionIds ?? []).filter((id) => there.includes(id)) }
  }
}

/** The agent with all its settings replaced, such as by those of an earlier version. Refuses as `changed`. */
export function replaced (current: AgentRecord, settings: AgentSettings, author: Author): AgentRecord {
  const next = { ...current, ...withoutGone(settings, current, author) }
  next.search_text = searchText(next)
  checkChange(current, next, author)
  return next
}

/** An agent as its editors see it, from its row, unpublished changes included. */
export const drafted = (row: AgentRecord): AgentRecord => row.draft ? { ...row, ...row.draft } : row

/** The text of an agent that lists are searched by. */
export const searchText = ({ name, description }: Pick<AgentSettings, 'name' | 'description'>) =>
  fold(`${name}\n${description}`)

function checkChange (current: NewAgent, next: NewAgent, { tier, permissions, ticketing, actions = [] }: Author) {
  if (next.is_white_label && !current.is_white_label) demandFeature(tier, 'WHITE_LABELING', 'is_white_label')
  if (next.behavior.autoTicketReply && !current.behavior.autoTicketReply) {
    demandFeature(tier, 'AUTO_TICKET_RESPONSE', 'behavior.autoTicketReply')
  }
  // Publishing on save requires the permission to publish.
  if (next.publish_on_save !== current.publish_on_save) demand(permissions, ['MANAGE_AGENTS'], 'set publish_on_save')
  for (const field of ['is_white_label', 'privacy_url', 'ticketing_providers'] as const) {
    if (JSON.stringify(next[field]) !== JSON.stringify(current[field])) {
      demand(permissions, ['CONFIGURE_BUSINESS'], `set ${field}`)
    }
  }
  if (Object.keys(next.translations).length > MOST_LANGUAGES) {
    throw invalid({ field: 'translations', message: `translations may hold ${MOST_LANGUAGES} languages at most.` })
  }
  checkActions(next.behavior.actionIds, [...actions, ...current.behavior.actionIds])
  checkProviders(next.ticketing_providers, [...ticketing, ...current.ticketing_providers])
  const { default_ticketing_provider: provider, ticketing_providers: providers } = next
  if (provider !== null && !providers.includes(provider)) {
    const known = providers.length
      ? `one of ${providers.join(', ')}, or null`
      : 'null, because ticketing_providers is empty'
    throw invalid({ field: 'default_ticketing_provider', message: `default_ticketing_provider must be ${known}.` })
  }
}

/** Refuses an action that does not exist; those already set may stay. */
function checkActions (named: readonly Id[], known: readonly Id[]) {
  const i = named.findIndex((id) => !known.includes(id))
  if (i < 0) return
  const field = `behavior.actionIds[${i}]`
  throw invalid({ field, message: `${field} is ${named[i]}, and there is no such action. Create it first (/v1/actions), or leave it out.` })
}

/** Refuses the name of a ticketing provider that does not exist; those already set may stay, even if deleted. */
function checkProviders (named: readonly string[], known: readonly string[]) {
  const i = named.findIndex((name) => !known.includes(name))
  if (i < 0) return
  const field = `ticketing_providers[${i}]`
  const message = `${field} names "${named[i]}", and there is no such ticketing provider. Add it first (/v1/ticketing_providers), or leave it out.`
  throw invalid({ field, message })
}
