import { Refusal } from '../platform/errors.ts'
import { DEFAULTS } from '../../schema/sqlite/completed.ts'
import { DEFAULT_SETTINGS } from '../../schema/agents.ts'
import type { ConfigKind } from '../../schema/config.ts'
import { NOTHING_EXPECTED } from '../checks/index.ts'
import type { DefaultModel } from '../agents/index.ts'
import { linesOf, unset } from '../business/index.ts'
import { pageAddress } from '../reading/page-address.ts'
import { withoutEnd } from '../platform/text.ts'
import { completeParameter } from '../actions/index.ts'
import { tidied } from '../agents/index.ts'
import type { Term } from '../../schema/agents.ts'
import type { ParameterDraft } from '../../schema/actions.ts'
import type { GuardRuleDraft } from '../../schema/guards.ts'
import { completeRule } from '../guards/index.ts'
import type { Form, Declared } from './contract.ts'
import { businessForm } from './current.ts'

/* Defaults of fields that files omit, and the stored form of those they contain. Pure functions. */

/** The defaults of a kind's fields; fields without a default are missing. */
export function defaultsOf ({ kind, form, key }: Pick<Declared, 'kind' | 'form' | 'key'>, model: DefaultModel): Form {
  switch (kind) {
    case 'agent': return agentDefaults(form, model)
    case 'source': return { folder: [], selected: true }
    case 'question': return { language: null, turns: [], expect: NOTHING_EXPECTED, enabled: true, blocking: true }
    case 'action': return {
      name: key,
      when: '',
      parameters: [],
      result: DEFAULTS.actionResult,
      confirm: form['effect'] === 'read' ? 'nobody' : 'visitor',
      needs_verified: false,
      as_form: false,
      button: '',
      limits: DEFAULTS.actionLimits,
      lookup: null,
      enabled: false
    }
    case 'connection': {
      const host = URL.canParse(String(form['base_url'])) ? new URL(String(form['base_url'])).host : ''
      return { name: key, kind: 'http', auth: 'none', auth_name: null, token_url: null, allowed_hosts: [host], secret: null }
    }
    case 'webhook': return { description: '', is_active: true }
    case 'business': return businessForm(unset(0))
  }
}

function agentDefaults (form: Form, model: DefaultModel): Form {
  const {
    name: _name, systemPrompt: _prompt, behavior: { actionIds: _actions, ...behavior }, ...settings
  } = DEFAULT_SETTINGS
  return {
    ...settings,
    appearance: { ...settings.appearance, chatbotName: form['name'] ?? '' },
    model: { ...settings.model, ...model },
    behavior: { ...behavior, actions: [] },
    publish_on_save: true,
    vocabulary: []
  }
}

/** Fields required to make an object. */
export const REQUIRED: Record<ConfigKind, readonly string[]> = {
  business: [],
  webhook: ['url', 'events'],
  connection: ['base_url'],
  action: ['title', 'effect', 'method', 'path'],
  agent: ['name', 'systemPrompt'],
  source: [],
  question: ['text', 'expect']
}

/** The fields in files in their stored form, so that applying them again changes nothing. */
export function normal ({ kind, form }: Pick<Declared, 'kind' | 'form'>): Form {
  const next = { ...form }
  const change = <T>(field: string, by: (value: T) => unknown) => {
    if (next[field] !== undefined && next[field] !== null) next[field] = by(next[field] as T)
  }
  if (kind === 'business') {
    change<string>('name', (name) => name.trim().replaceAll(/\s+/g, ' '))
    change<string>('address', (address) => linesOf(address).join('\n'))
  }
  if (kind === 'agent') {
    change<Term[]>('vocabulary', tidied)
    change<Form>('behavior', (behavior) => {
      const rules = behavior['guardRules'] as GuardRuleDraft[] | undefined
      return rules ? { ...behavior, guardRules: rules.map(completeRule) } : behavior
    })
  }
  if (kind === 'action') change<ParameterDraft[]>('parameters', (all) => all.map(completeParameter))
  if (kind === 'connection') {
    for (const field of ['base_url', 'token_url']) change<string>(field, (url) => withoutEnd(url, '/'))
    change<string[]>('allowed_hosts', (hosts) => hosts.map((host) => host.toLowerCase()))
  }
  if (kind === 'source') change<string[]>('urls', (urls) => [...new Set(urls.map((url) => pageAddress(url) ?? refuse(url)))])
  return next
}

function refuse (url: string): never {
  throw new Refusal('VALIDATION_ERROR', `${url} is not a valid address: use http:// or https:// and a host, without a user name.`)
}
