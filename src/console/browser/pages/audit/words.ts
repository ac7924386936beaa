import type { Texts } from '../../texts/index.ts'

type Kind = keyof Texts['audit']['kinds']
type Deed = keyof Texts['audit']['deeds']

/** What is at a path, by the part of it that says so. */
const KINDS: Record<string, Kind> = {
  agents: 'agent',
  versions: 'version',
  questions: 'question',
  question: 'question',
  runs: 'run',
  vocabulary: 'vocabulary',
  knowledge_sources: 'source',
  knowledge_folders: 'folder',
  widget_keys: 'widgetKey',
  identity_secrets: 'identitySecret',
  suggestions: 'suggestion',
  conversations: 'conversation',
  notes: 'note',
  tickets: 'ticket',
  visitors: 'visitor',
  webhooks: 'webhook',
  connections: 'connection',
  actions: 'action',
  calls: 'call',
  deliveries: 'delivery',
  ticketing_providers: 'ticketing',
  model_providers: 'model',
  api_keys: 'apiKey',
  assistants: 'assistant',
  members: 'member',
  invitations: 'invitation',
  business: 'business',
  config: 'files',
  account: 'account',
  me: 'person',
  session: 'session',
  sessions: 'session',
  passkeys: 'passkey',
  password: 'password'
}

/** How an operation is called, and what it does. */
const DEEDS: Array<[RegExp, Deed]> = [
  [/^(create|add|begin)/, 'added'],
  [/^(delete|remove|revoke|end|signOut|dismiss)/, 'removed'],
  [/^get/, 'read'],
  [/^export/, 'exported'],
  [/^erase/, 'erased'],
  [/^train/, 'trained'],
  [/^(approve|confirm|allow)/, 'approved'],
  [/^takeOver/, 'taken'],
  [/^release/, 'released'],
  [/^close/, 'closed'],
  [/^publish/, 'published'],
  [/^restore/, 'restored'],
  [/^apply/, 'applied'],
  [/^(replay|test)/, 'sent'],
  [/^rotate/, 'renewed']
]

/** What kind of thing an event is about, and the agent it belongs to or the member it is, by their numbers. */
export function kindOf (target: string): { kind: Kind, agent?: number, member?: number } {
  const parts = target.split('/')
  const at = parts.findLastIndex((part) => part in KINDS)
  if (at === -1) return { kind: 'other' }
  const numberOf = (name: string) => Number(parts[parts.indexOf(name) + 1]) || undefined
  const agent = parts[0] === 'agents' && numberOf('agents')
  const member = parts[0] === 'members' && numberOf('members')
  return { kind: KINDS[parts[at]!]!, ...(agent && { agent }), ...(member && { member }) }
}

/** What was done to it. */
export const deedOf = (action: string): Deed => DEEDS.find(([form]) => form.test(action))?.[1] ?? 'changed'
