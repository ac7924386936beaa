import type { Texts } from '../../texts/en.ts'

type Kind = keyof Texts['audit']['kinds']
type Deed = keyof Texts['audit']['deeds']

/** Kinds of things, by the path segment that identifies them. */
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
  password: 'password',
  saved_replies: 'reply',
  reviews: 'review',
  feeds: 'feed',
  imports: 'import'
}

/** How operations are named, and what they do. */
const DEEDS: Array<[RegExp, Deed]> = [
  [/^(create|add|begin|accept)/, 'added'],
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

/** The kind of thing an event is about, and the number of the agent it belongs to or of the member it is. */
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
