import t from 'tap'
import { PERMISSIONS, type Permission } from '../../schema/access.ts'
import { newKey } from '../../src/access/keys.ts'
import { build, draft, routesOf, type Method } from '../helper.ts'

/** Who may call a route: anybody, any valid key, signed-in users, or keys with one of these permissions. */
type Allowed = 'anyone' | 'any user' | 'a session' | Permission[]
interface Row {
  allowed: Allowed
  body?: object
  /** The body sent when permissions are tried. */
  headers?: Record<string, string>
  /** It accepts unknown fields, as the clients that it is made for send them. */
  isOpen?: boolean
  /** The success status, if not 200 or 201. */
  status?: number
}
const READING: Allowed = ['REPLY_CONVERSATION', 'VIEW_ANALYTICS']
const SPEAKING: Allowed = ['REPLY_CONVERSATION', 'MANAGE_AGENTS']
const PROVIDER = { name: 'Ours', provider: 'openai', key: 'sk-x', models: ['gpt-*'] }
const CONNECTION = { name: 'Ours', base_url: 'https://nobody.invalid' }
const ACTION = { connection: 987_654, name: 'x', title: 'x', effect: 'write', confirm: 'person', method: 'POST', path: '/x' }
const WEBHOOK = { url: 'https://example.com/hook', events: ['message.completed'] }
const TICKETING = { name: 'Ours', kind: 'linear', settings: { team: 'x' }, credentials: { token: 'x' } }
const TICKETS: Allowed = ['CREATE_TICKET']
const BUSINESS: Allowed = ['CONFIGURE_BUSINESS']
const SETTING: Allowed = ['MANAGE_AGENTS', 'MANAGE_AGENT_SETTINGS']
const PUSHED_TO = {
  endpoint: 'https://push.example.com/send/abc',
  keys: {
    p256dh: 'BCVxsr7N_eNgVRqvHtD0zTZsEc6-VV-JvLexhqUzORcxaOzi6-AYWXvTBHm4bjyPjs7Vd8pZGH6SRpkNtoIAiw4',
    auth: 'BTBZMqHH6r4Tts7J_aSIgg'
  }
}
const WIDGET = { name: 'Shop', origins: ['https://shop.example'] }
const FEED = { name: 'x', kind: 'drive_folder', config: { folder: 'x' } }
const ASKED = { text: 'How long?', expect: { says: ['30 days'] } }
const KNOWLEDGE: Allowed = ['MANAGE_KNOWLEDGE_BASE']

/** The two ways to send a key. */
const SCHEMES = ['Api-Key', 'Bearer'] as const

/** A configuration that manages nothing. */
const NO_FILES = { files: [{ path: 'agenthall.yaml', text: 'format: 1\nmanage: []\n' }] }

/** All routes. A missing route fails the test, and so does one that no longer exists. */
const TABLE: Record<string, Row> = {
  'GET /': { allowed: 'anyone' },
  'GET /healthz': { allowed: 'anyone' },
  'GET /readyz': { allowed: 'anyone' },
  'GET /openapi.json': { allowed: 'anyone' },
  'OPTIONS /openapi.json': { allowed: 'anyone', status: 204 },
  'GET /docs': { allowed: 'anyone' },
  'GET /docs/look.css': { allowed: 'anyone' },
  'GET /docs/start.js': { allowed: 'anyone' },
  'GET /console': { allowed: 'anyone' },
  'GET /console/sw.js': { allowed: 'anyone' },
  'GET /console/:name': { allowed: 'anyone', status: 404 },
  'GET /docs/swagger-ui-bundle.js': { allowed: 'anyone' },
  'GET /docs/swagger-ui.css': { allowed: 'anyone' },
  'GET /media/:path': { allowed: 'anyone', status: 404 },
  'POST /v1/session': { allowed: 'anyone', body: { email: 'a@example.com', password: 'x' }, status: 401 },
  'POST /v1/session/passkey/options': { allowed: 'anyone' },
  'POST /v1/session/passkey': { allowed: 'anyone', body: { response: {} }, status: 401 },
  'POST /v1/links/request': { allowed: 'anyone', body: { email: 'nobody@example.com' }, status: 409 },
  'POST /v1/links/look': { allowed: 'anyone', body: { token: 'x' }, status: 410 },
  'POST /v1/links/use': { allowed: 'anyone', body: { token: 'x', password: 'correct horse battery' }, status: 410 },
  'POST /v1/invitations/accept': { allowed: 'anyone', body: { token: 'x' }, status: 410 },
  'POST /mcp': {
    allowed: 'any user', body: { jsonrpc: '2.0', id: 1, method: 'ping' }, headers: { 'mcp-protocol-version': '2025-11-25' }, isOpen: true
  },
  'GET /rate/:id': { allowed: 'anyone', status: 404 },
  'POST /rate/:id': { allowed: 'anyone', status: 404 },
  'GET /.well-known/oauth-protected-resource/mcp': { allowed: 'anyone' },
  'OPTIONS /.well-known/oauth-protected-resource/mcp': { allowed: 'anyone', status: 204 },
  'GET /.well-known/oauth-protected-resource': { allowed: 'anyone' },
  'OPTIONS /.well-known/oauth-protected-resource': { allowed: 'anyone', status: 204 },
  'GET /.well-known/oauth-authorization-server': { allowed: 'anyone' },
  'OPTIONS /.well-known/oauth-authorization-server': { allowed: 'anyone', status: 204 },
  'GET /oauth/authorize': { allowed: 'anyone', status: 302 },
  'POST /oauth/token': { allowed: 'anyone', status: 400 },
  'OPTIONS /oauth/token': { allowed: 'anyone', status: 204 },
  'POST /oauth/revoke': { allowed: 'anyone' },
  'OPTIONS /oauth/revoke': { allowed: 'anyone', status: 204 },
  'POST /v1/assistants/look': { allowed: 'a session', body: { query: 'x' }, status: 400 },
  'POST /v1/assistants': { allowed: 'a session', body: { query: 'x', permissions: ['VIEW_ANALYTICS'] }, status: 400 },
  'GET /v1/audit': { allowed: BUSINESS },
  'GET /v1/audit/verification': { allowed: BUSINESS },
  'GET /v1/going_live': { allowed: BUSINESS },
  'GET /v1/language_models': { allowed: BUSINESS },
  'POST /v1/language_models/test': { allowed: BUSINESS, body: { model: 'small' } },
  'GET /v1/account': { allowed: 'any user' },
  'PATCH /v1/account': { allowed: ['MANAGE_BILLING'], body: { tier: 'enterprise' } },
  'GET /v1/config': { allowed: ['MANAGE_AGENTS'] },
  'GET /v1/config/state': { allowed: ['MANAGE_AGENTS', 'MANAGE_AGENT_SETTINGS', 'CONFIGURE_BUSINESS'] },
  'POST /v1/config/plan': { allowed: ['MANAGE_AGENTS'], body: NO_FILES },
  'POST /v1/config/apply': { allowed: ['MANAGE_AGENTS'], body: { plan: NO_FILES, if: {} } },
  'GET /v1/imports': { allowed: ['MANAGE_AGENTS'] },
  'POST /v1/imports': { allowed: ['MANAGE_AGENTS'], status: 415 },
  'GET /v1/imports/:id': { allowed: ['MANAGE_AGENTS'] },
  'GET /v1/imports/:id/report': { allowed: ['MANAGE_AGENTS'], status: 404 },
  'POST /v1/imports/:id/apply': { allowed: ['MANAGE_AGENTS'], body: {}, status: 409 },
  'DELETE /v1/imports/:id': { allowed: ['MANAGE_AGENTS'] },
  'GET /v1/keys': { allowed: ['MANAGE_AGENTS'] },
  'PUT /v1/keys/agents/:name': { allowed: ['MANAGE_AGENTS'], body: draft },
  'PUT /v1/keys/agents/:name/sources/:part': { allowed: ['MANAGE_KNOWLEDGE_BASE'], body: { plain_text: 'x' } },
  'PUT /v1/keys/agents/:name/questions/:part': { allowed: ['MANAGE_AGENTS'], body: ASKED },
  'GET /v1/saved_replies': { allowed: ['REPLY_CONVERSATION'] },
  'POST /v1/saved_replies': { allowed: ['REPLY_CONVERSATION'], body: { key: 'x', texts: { en: 'x' } } },
  'GET /v1/saved_replies/:id': { allowed: ['REPLY_CONVERSATION'] },
  'PATCH /v1/saved_replies/:id': { allowed: ['REPLY_CONVERSATION'], body: { key: 'y' } },
  'DELETE /v1/saved_replies/:id': { allowed: ['REPLY_CONVERSATION'] },
  'GET /v1/colleagues': { allowed: 'any user' },
  'GET /v1/members': { allowed: ['SEND_INVITE'] },
  'GET /v1/members/:id': { allowed: ['SEND_INVITE'] },
  'PATCH /v1/members/:id': { allowed: ['SEND_INVITE'], body: { permissions: ['SEND_INVITE'] } },
  'DELETE /v1/members/:id': { allowed: ['SEND_INVITE'] },
  'GET /v1/invitations': { allowed: ['SEND_INVITE'] },
  'POST /v1/invitations': { allowed: ['SEND_INVITE'], body: { permissions: ['SEND_INVITE'] } },
  'GET /v1/invitations/:id': { allowed: ['SEND_INVITE'] },
  'DELETE /v1/invitations/:id': { allowed: ['SEND_INVITE'] },
  'DELETE /v1/session': { allowed: 'a session' },
  'GET /v1/me': { allowed: 'any user' },
  'PATCH /v1/me': { allowed: 'a session', body: { name: 'x' } },
  'PUT /v1/me/password': {
    allowed: 'a session', body: { current_password: 'x', password: 'correct horse battery' }, status: 400
  },
  'PUT /v1/me/account': { allowed: 'a session', body: { account: 1 } },
  'GET /v1/me/sessions': { allowed: 'any user' },
  'DELETE /v1/me/sessions': { allowed: 'a session' },
  'GET /v1/me/sessions/:id': { allowed: 'any user', status: 404 },
  'DELETE /v1/me/sessions/:id': { allowed: 'any user', status: 404 },
  'GET /v1/me/push': { allowed: 'a session' },
  'PUT /v1/me/push': { allowed: 'a session', body: PUSHED_TO },
  'DELETE /v1/me/push': { allowed: 'a session' },
  'GET /v1/me/passkeys': { allowed: 'a session' },
  'POST /v1/me/passkeys': { allowed: 'a session', body: { response: {} }, status: 400 },
  'POST /v1/me/passkeys/options': { allowed: 'a session' },
  'GET /v1/me/passkeys/:id': { allowed: 'a session', status: 404 },
  'DELETE /v1/me/passkeys/:id': { allowed: 'a session', status: 404 },
  'GET /v1/api_keys': { allowed: ['MANAGE_API_KEY'] },
  'POST /v1/api_keys': { allowed: ['MANAGE_API_KEY'], body: { name: 'x' } },
  'GET /v1/api_keys/:id': { allowed: ['MANAGE_API_KEY'] },
  'DELETE /v1/api_keys/:id': { allowed: ['MANAGE_API_KEY'] },
  'GET /v1/agents': { allowed: 'any user' },
  'POST /v1/agents': { allowed: ['MANAGE_AGENTS'], body: draft },
  'GET /v1/agents/:id': { allowed: 'any user' },
  'PUT /v1/agents/:id': { allowed: ['MANAGE_AGENTS', 'MANAGE_AGENT_SETTINGS'], body: { description: 'x' } },
  'GET /v1/agents/:id/vocabulary': { allowed: 'any user' },
  'PUT /v1/agents/:id/vocabulary': { allowed: ['MANAGE_AGENTS', 'MANAGE_AGENT_SETTINGS'], body: { terms: [] } },
  'POST /v1/agents/:id/guard_rules/preview': { allowed: ['MANAGE_AGENTS', 'MANAGE_AGENT_SETTINGS'], body: {} },
  'DELETE /v1/agents/:id': { allowed: ['MANAGE_AGENTS'] },
  'GET /v1/agents/:id/versions': { allowed: 'any user' },
  'GET /v1/agents/:id/versions/:number': { allowed: 'any user' },
  'GET /v1/agents/:id/versions/:number/diff': { allowed: 'any user' },
  'POST /v1/agents/:id/publish': { allowed: ['MANAGE_AGENTS'], body: { note: 'x' }, status: 409 },
  'POST /v1/agents/:id/versions/:number/restore': { allowed: ['MANAGE_AGENTS'] },
  'POST /v1/agents/:id/versions/:number/publish': { allowed: ['MANAGE_AGENTS'], body: { note: 'x' }, status: 409 },
  'GET /v1/agents/:id/feeds': { allowed: ['MANAGE_KNOWLEDGE_BASE'] },
  'POST /v1/agents/:id/feeds': { allowed: ['MANAGE_KNOWLEDGE_BASE'], body: FEED },
  'GET /v1/agents/:id/feeds/:feed': { allowed: ['MANAGE_KNOWLEDGE_BASE'] },
  'PATCH /v1/agents/:id/feeds/:feed': { allowed: ['MANAGE_KNOWLEDGE_BASE'], body: { name: 'y' } },
  'DELETE /v1/agents/:id/feeds/:feed': { allowed: ['MANAGE_KNOWLEDGE_BASE'] },
  'POST /v1/agents/:id/feeds/:feed/look': { allowed: ['MANAGE_KNOWLEDGE_BASE'], status: 202 },
  'POST /v1/agents/:id/feeds/:feed/approve_removal': { allowed: ['MANAGE_KNOWLEDGE_BASE'], status: 409 },
  'GET /v1/agents/:id/knowledge/stale': { allowed: 'any user' },
  'GET /v1/agents/:id/knowledge/gaps': { allowed: ['VIEW_ANALYTICS'] },
  'GET /v1/agents/:id/questions': { allowed: 'any user' },
  'POST /v1/agents/:id/questions': { allowed: ['MANAGE_AGENTS'], body: ASKED },
  'GET /v1/agents/:id/questions/:question': { allowed: 'any user' },
  'PATCH /v1/agents/:id/questions/:question': { allowed: ['MANAGE_AGENTS'], body: { blocking: false } },
  'DELETE /v1/agents/:id/questions/:question': { allowed: ['MANAGE_AGENTS'] },
  'GET /v1/agents/:id/questions.csv': { allowed: 'any user' },
  'POST /v1/agents/:id/questions/import': { allowed: ['MANAGE_AGENTS'], body: { csv: 'text,says\nx,x' } },
  'POST /v1/conversations/:id/messages/:message/question': { allowed: ['MANAGE_AGENTS'] },
  'GET /v1/agents/:id/runs': { allowed: 'any user' },
  'POST /v1/agents/:id/runs': { allowed: ['MANAGE_AGENTS'], body: { of: 'live' }, status: 202 },
  'GET /v1/agents/:id/runs/:run': { allowed: 'any user' },
  'POST /v1/agents/:id/runs/:run/cancel': { allowed: ['MANAGE_AGENTS'] },
  'GET /v1/agents/:id/runs/:run/events': { allowed: 'any user', headers: { 'last-event-id': 'x' }, status: 400 },
  'GET /v1/agents/:id/knowledge_sources': { allowed: 'any user' },
  'POST /v1/agents/:id/knowledge_sources': { allowed: KNOWLEDGE, body: { plain_text: 'x' } },
  'POST /v1/agents/:id/knowledge_sources/preview': { allowed: KNOWLEDGE, body: { plain_text: 'x' } },
  'POST /v1/agents/:id/knowledge_sources/pages': {
    allowed: KNOWLEDGE, body: { url: 'http://10.0.0.1/' }, status: 400
  },
  'GET /v1/agents/:id/knowledge_sources/:sid': { allowed: 'any user' },
  'PUT /v1/agents/:id/knowledge_sources/:sid': { allowed: KNOWLEDGE, body: { title: 'x' } },
  'DELETE /v1/agents/:id/knowledge_sources/:sid': { allowed: KNOWLEDGE },
  'GET /v1/agents/:id/knowledge_sources/:sid/text': { allowed: 'any user' },
  'GET /v1/agents/:id/knowledge_sources/:sid/change': { allowed: 'any user' },
  'POST /v1/agents/:id/knowledge_sources/:sid/train': { allowed: KNOWLEDGE, status: 202 },
  'GET /v1/agents/:id/widget_keys': { allowed: 'any user' },
  'POST /v1/agents/:id/widget_keys': { allowed: SETTING, body: WIDGET },
  'GET /v1/agents/:id/widget_keys/:key': { allowed: 'any user' },
  'PATCH /v1/agents/:id/widget_keys/:key': { allowed: SETTING, body: { name: 'x' } },
  'DELETE /v1/agents/:id/widget_keys/:key': { allowed: SETTING },
  'POST /v1/agents/:id/widget_keys/:key/identity_secrets': { allowed: SETTING },
  'DELETE /v1/agents/:id/widget_keys/:key/identity_secrets/:secret': { allowed: SETTING },
  'GET /v1/agents/:id/knowledge_folders': { allowed: 'any user' },
  'POST /v1/agents/:id/knowledge_folders': { allowed: KNOWLEDGE, body: { name: 'x' } },
  'GET /v1/agents/:id/knowledge_folders/:fid': { allowed: 'any user' },
  'PUT /v1/agents/:id/knowledge_folders/:fid': { allowed: KNOWLEDGE, body: { name: 'x' } },
  'DELETE /v1/agents/:id/knowledge_folders/:fid': { allowed: KNOWLEDGE },
  // A stream has no end; with an invalid position it is refused after everything that is tried here.
  'GET /v1/agents/:id/events': { allowed: 'any user', headers: { 'last-event-id': 'x' }, status: 400 },
  'POST /v1/agents/:id/search': { allowed: 'any user', body: { query: 'x' } },
  'GET /v1/business': { allowed: ['CONFIGURE_BUSINESS'] },
  'PUT /v1/business': { allowed: ['CONFIGURE_BUSINESS'], body: { time_zone: 'Europe/Berlin' } },
  'GET /v1/model_providers': { allowed: ['CONFIGURE_BUSINESS'] },
  'POST /v1/model_providers': { allowed: ['CONFIGURE_BUSINESS'], body: PROVIDER },
  'GET /v1/model_providers/:id': { allowed: ['CONFIGURE_BUSINESS'] },
  'DELETE /v1/model_providers/:id': { allowed: ['CONFIGURE_BUSINESS'] },
  'GET /v1/deliveries': { allowed: BUSINESS },
  'GET /v1/deliveries/:id': { allowed: BUSINESS },
  'POST /v1/deliveries/:id/replay': { allowed: BUSINESS, status: 409 },
  'GET /v1/webhooks': { allowed: BUSINESS },
  'POST /v1/webhooks': { allowed: BUSINESS, body: WEBHOOK },
  'GET /v1/webhooks/:id': { allowed: BUSINESS },
  'PATCH /v1/webhooks/:id': { allowed: BUSINESS, body: { description: 'x' } },
  'DELETE /v1/webhooks/:id': { allowed: BUSINESS },
  'POST /v1/webhooks/:id/rotate': { allowed: BUSINESS },
  'POST /v1/webhooks/:id/test': { allowed: BUSINESS, status: 202 },
  'POST /v1/conversations/:id/tickets': { allowed: TICKETS, body: {} },
  'POST /v1/tickets': { allowed: TICKETS, body: { agent: 1, subject: 'x' } },
  'GET /v1/tickets': { allowed: TICKETS },
  'GET /v1/tickets/:id': { allowed: TICKETS },
  'PATCH /v1/tickets/:id': { allowed: TICKETS, body: { status: 'closed' } },
  'POST /v1/tickets/:id/messages': { allowed: TICKETS, body: { text: 'x' }, status: 409 },
  'GET /v1/ticketing_providers': { allowed: BUSINESS },
  'POST /v1/ticketing_providers': { allowed: BUSINESS, body: TICKETING },
  'GET /v1/ticketing_providers/:id': { allowed: BUSINESS },
  'PATCH /v1/ticketing_providers/:id': { allowed: BUSINESS, body: { settings: { team: 'y' } } },
  'DELETE /v1/ticketing_providers/:id': { allowed: BUSINESS },
  'POST /v1/inbound/mail/:token': { allowed: 'anyone', status: 404 },
  'POST /v1/inbound/tickets/:token': { allowed: 'anyone', status: 404 },
  'GET /v1/usage': { allowed: ['VIEW_ANALYTICS'] },
  'GET /v1/conversations': { allowed: READING },
  'GET /v1/agents/:id/conversations': { allowed: READING },
  'POST /v1/agents/:id/conversations': { allowed: SPEAKING, body: {} },
  'GET /v1/conversations/:id': { allowed: READING },
  'PATCH /v1/conversations/:id': { allowed: SPEAKING, body: { subject: 'x' } },
  'DELETE /v1/conversations/:id': { allowed: ['MANAGE_AGENTS'] },
  'GET /v1/conversations/:id/messages': { allowed: READING },
  'POST /v1/conversations/:id/messages': { allowed: SPEAKING, body: { text: 'Hi' } },
  'GET /v1/conversations/:id/messages/:message': { allowed: READING },
  'POST /v1/conversations/:id/messages/:message/stop': { allowed: SPEAKING },
  'POST /v1/conversations/:id/messages/:message/regenerate': { allowed: SPEAKING },
  'PUT /v1/conversations/:id/messages/:message/feedback': { allowed: SPEAKING, body: { score: 1 } },
  'POST /v1/conversations/:id/attachments': { allowed: SPEAKING, status: 415 },
  'GET /v1/conversations/:id/events': { allowed: READING, headers: { 'last-event-id': 'x' }, status: 400 },
  'POST /v1/conversations/:id/handoff': { allowed: SPEAKING, body: {}, status: 409 },
  'DELETE /v1/conversations/:id/handoff': { allowed: SPEAKING, status: 409 },
  'POST /v1/conversations/:id/takeover': { allowed: ['REPLY_CONVERSATION'], body: {} },
  'PUT /v1/conversations/:id/assignee': { allowed: ['REPLY_CONVERSATION'], body: { assignee: null } },
  'POST /v1/conversations/:id/draft': { allowed: ['REPLY_CONVERSATION'], status: 409 },
  'GET /v1/tags': { allowed: ['REPLY_CONVERSATION', 'VIEW_ANALYTICS'] },
  'POST /v1/conversations/:id/release': { allowed: ['REPLY_CONVERSATION'], status: 409 },
  'POST /v1/conversations/:id/close': { allowed: SPEAKING, body: {} },
  'POST /v1/conversations/:id/typing': { allowed: SPEAKING, body: {}, status: 202 },
  'POST /v1/conversations/:id/calls': { allowed: SPEAKING, body: { action: 1 }, status: 409 },
  'GET /v1/conversations/:id/calls/:call': { allowed: ['REPLY_CONVERSATION'] },
  'POST /v1/conversations/:id/calls/:call/confirm': { allowed: ['REPLY_CONVERSATION'], body: { digest: 'x' }, status: 409 },
  'POST /v1/conversations/:id/calls/:call/refuse': { allowed: ['REPLY_CONVERSATION'], body: { digest: 'x' }, status: 409 },
  'GET /v1/calls': { allowed: READING },
  'GET /v1/connections': { allowed: ['CONFIGURE_BUSINESS', 'MANAGE_AGENTS'] },
  'POST /v1/connections': { allowed: BUSINESS, body: CONNECTION },
  'GET /v1/connections/:id': { allowed: BUSINESS },
  'PUT /v1/connections/:id': { allowed: BUSINESS, body: CONNECTION },
  'DELETE /v1/connections/:id': { allowed: BUSINESS },
  'POST /v1/connections/:id/test': { allowed: BUSINESS },
  'GET /v1/actions': { allowed: ['MANAGE_AGENTS', 'REPLY_CONVERSATION'] },
  'POST /v1/actions': { allowed: ['MANAGE_AGENTS'], body: ACTION, status: 400 },
  'POST /v1/actions/import': { allowed: ['MANAGE_AGENTS'], body: { connection: 987_654, openapi: {} }, status: 400 },
  'GET /v1/actions/:id': { allowed: ['MANAGE_AGENTS'] },
  'PATCH /v1/actions/:id': { allowed: ['MANAGE_AGENTS'], body: { title: 'x' } },
  'DELETE /v1/actions/:id': { allowed: ['MANAGE_AGENTS'] },
  'POST /v1/actions/:id/test': { allowed: ['MANAGE_AGENTS'], body: {} },
  'GET /v1/conversations/:id/notes': { allowed: ['REPLY_CONVERSATION'] },
  'POST /v1/conversations/:id/notes': { allowed: ['REPLY_CONVERSATION'], body: { text: 'x' } },
  'GET /v1/conversations/:id/notes/:note': { allowed: ['REPLY_CONVERSATION'] },
  'DELETE /v1/conversations/:id/notes/:note': { allowed: ['REPLY_CONVERSATION'] },
  'GET /v1/conversations/:id/seen': { allowed: ['REPLY_CONVERSATION'] },
  'PUT /v1/conversations/:id/seen': { allowed: ['REPLY_CONVERSATION'], body: { up_to: 1 } },
  'PUT /v1/conversations/:id/looking': { allowed: ['REPLY_CONVERSATION'], body: { state: 'looking' } },
  'GET /v1/me/unread': { allowed: ['REPLY_CONVERSATION'] },
  'GET /v1/me/duty': { allowed: ['REPLY_CONVERSATION'] },
  'PUT /v1/me/duty': { allowed: ['REPLY_CONVERSATION'], body: { on: true } },
  'GET /v1/members/:id/duty': { allowed: ['SEND_INVITE'] },
  'PUT /v1/members/:id/capacity': { allowed: ['SEND_INVITE'], body: { capacity: 5 } },
  'GET /v1/events': { allowed: READING, headers: { 'last-event-id': 'x' }, status: 400 },
  'GET /v1/visitors': { allowed: READING },
  'POST /v1/visitors': { allowed: SPEAKING, body: { agent: 1 } },
  'GET /v1/visitors/names': { allowed: READING },
  'GET /v1/conversations/previews': { allowed: READING },
  'GET /v1/visitors/:id': { allowed: READING },
  'PATCH /v1/visitors/:id': { allowed: SPEAKING, body: { name: 'x' } },
  'GET /v1/visitors/:id/export': { allowed: ['CONFIGURE_BUSINESS'] },
  'DELETE /v1/visitors/:id': { allowed: ['CONFIGURE_BUSINESS'] },
  'GET /v1/agents/:id/retention': { allowed: ['MANAGE_AGENTS', 'MANAGE_AGENT_SETTINGS', 'CONFIGURE_BUSINESS'] },
  'GET /v1/analytics': { allowed: ['VIEW_ANALYTICS'] },
  'GET /v1/analytics/parts': { allowed: ['VIEW_ANALYTICS'] },
  'GET /v1/satisfaction': { allowed: READING },
  'PUT /v1/conversations/:id/satisfaction': { allowed: SPEAKING, body: { score: 5 }, status: 409 },
  'GET /v1/reviews': { allowed: READING },
  'PUT /v1/reviews/:id': { allowed: ['REPLY_CONVERSATION'], body: { verdict: 'right' } },
  'GET /v1/agents/:id/analytics': { allowed: ['VIEW_ANALYTICS'] },
  'GET /v1/agents/:id/suggestions': { allowed: KNOWLEDGE },
  'POST /v1/agents/:id/suggestions/:sid/approve': { allowed: KNOWLEDGE, body: { answer: 'x' } },
  'POST /v1/agents/:id/suggestions/:sid/dismiss': { allowed: KNOWLEDGE },
  'GET /v1/privacy/receipts': { allowed: ['CONFIGURE_BUSINESS'] },
  'GET /v1/models': { allowed: 'any user' },
  'GET /v1/models/:model': { allowed: 'any user' },
  'POST /v1/chat/completions': {
    allowed: SPEAKING, body: { model: 'agent-1', messages: [{ role: 'user', content: 'Hi' }] }, isOpen: true
  },
  'POST /v1/agents/:id/chat': {
    allowed: SPEAKING,
    body: { id: 'x', messages: [{ role: 'user', parts: [{ type: 'text', text: 'Hi' }] }] },
    isOpen: true
  },
  'GET /v1/agents/:id/chat/:conversation/stream': { allowed: SPEAKING, status: 204 }
}

const rows = Object.entries(TABLE).map(([route, row]) => {
  const [method, url] = route.split(' ') as [Method, string]
  return { route, method, url, ...row }
})
const guarded = rows.filter(({ allowed }) => allowed !== 'anyone')
/** Those that keys may call. */
const keyed = guarded.filter(({ allowed }) => allowed !== 'a session')

type Built = Awaited<ReturnType<typeof build>>
type Client = ReturnType<Built['withKey']>

/** What a route's address can name: an agent or a key, and a source and a folder of the agent. */
interface Ids {
  id: number | string
  sid: number
  fid: number
  message: string
  conversation: string
  note: string
  call: string
  key: string
  secret: number
  number: number
  question: number
  run: number
  feed: number
}
/** The id of what was made; says what the server said if nothing was. */
function idOf ({ statusCode, body }: { statusCode: number, body: string }): string {
  const { data: { id } = {} } = JSON.parse(body) as { data?: { id?: string } }
  if (id === undefined) throw new Error(`Nothing was made: ${statusCode} ${body}`)
  return id
}

const NAMES = {
  message: `msg_${'x'.repeat(22)}`,
  conversation: 'x',
  note: `note_${'x'.repeat(22)}`,
  call: `call_${'x'.repeat(22)}`,
  key: `agw_${'x'.repeat(22)}`,
  secret: 987_654,
  number: 987_654,
  question: 987_654,
  run: 987_654,
  feed: 987_654
}
const FIRST: Ids = { id: 1, sid: 1, fid: 1, ...NAMES, number: 1 }
const NOWHERE: Ids = { id: 987_654, sid: 987_654, fid: 987_654, ...NAMES }

/** An id that does not exist, of the kind that a route's address names. */
function nowhere (url: string): Ids {
  if (url.startsWith('/v1/tickets')) return { ...NOWHERE, id: `tkt_${'a'.repeat(20)}` }
  const prefix = /^\/v1\/(conv|vis)/.exec(url)?.[1]
  return prefix ? { ...NOWHERE, id: `${prefix}_${'x'.repeat(22)}` } : NOWHERE
}

function address (url: string, ids: Ids): string {
  return url
    .replace(
      /:(id|sid|fid|feed|message|conversation|note|call|key|secret|number|question|run)/g,
      (_whole, name: keyof Ids) => String(ids[name])
    )
    .replace(':path', 'x')
    .replace(':name', `agent-${ids.id}`)
    .replace(':part', 'x')
    .replace(':model', `agent-${ids.id}`)
}

/** Sends a route's request, as the client, with these ids. */
async function call (as: Client, { method, url, body, headers }: typeof rows[number], ids = FIRST, extra: object = {}) {
  return await as[method.toLowerCase() as 'get'](address(url, ids), body && { ...body, ...extra }, headers)
}

/** An invitation, or the member created from it. */
async function invited (as: Client, url: string): Promise<number> {
  const { id, link } = (await as.post('/v1/invitations', { permissions: ['SEND_INVITE'] })).json().data
  if (url.startsWith('/v1/invitations')) return id
  const who = { email: `${id}@example.com`, password: 'correct horse battery staple' }
  await as.post('/v1/invitations/accept', { token: link.split('/').at(-1), ...who })
  return (await as.get('/v1/members')).json().data.at(-1).id
}

/** What an agent could learn: a question that it could not answer. */
async function suggested (as: Client, id: number, settled: () => Promise<void>): Promise<number> {
  await as.put(`/v1/agents/${id}`, { behavior: { continuousLearning: true } })
  const conversation = (await as.post(`/v1/agents/${id}/conversations`, {})).json().data.id
  await as.post(`/v1/conversations/${conversation}/messages`, { text: 'How heavy are gift cards?' })
  await settled()
  return (await as.get(`/v1/agents/${id}/suggestions`)).json().data[0].id
}

/** An import that has not been inspected yet. */
async function uploaded (as: Client): Promise<number> {
  for (const { id } of (await as.get('/v1/imports')).json().data.slice(20)) await as.delete(`/v1/imports/${id}`)
  const form = '--b\r\nContent-Disposition: form-data; name="file"; filename="x.json"\r\n\r\n{}\r\n--b--\r\n'
  return (await as.post('/v1/imports', form, { 'content-type': 'multipart/form-data; boundary=b' })).json().data.id
}

/** A new connection, or an action over it. */
async function connectedTo (as: Client, url: string): Promise<number> {
  // An account has a limit of these, and this needs more.
  for (const { id } of (await as.get('/v1/actions')).json().data.slice(20)) await as.delete(`/v1/actions/${id}`)
  for (const { id } of (await as.get('/v1/connections')).json().data.slice(20)) await as.delete(`/v1/connections/${id}`)
  const connection = (await as.post('/v1/connections', CONNECTION)).json().data.id
  if (url.startsWith('/v1/connections')) return connection
  const name = `x${connection}`
  return (await as.post('/v1/actions', { ...ACTION, connection, name, enabled: true })).json().data.id
}

/** A call that waits for a person to confirm it. */
async function callIn (as: Client, agent: number, conversation: string): Promise<string> {
  const action = await connectedTo(as, '/v1/actions')
  await as.put(`/v1/agents/${agent}`, { behavior: { actionIds: [action] } })
  return (await as.post(`/v1/conversations/${conversation}/calls`, { action })).json().data.id
}

/** An answer that somebody should review. */
async function reviewed (as: Client): Promise<number> {
  const agent = (await as.post('/v1/agents', draft)).json().data.id
  const conversation = (await as.post(`/v1/agents/${agent}/conversations`, {})).json().data.id
  const answer = (await as.post(`/v1/conversations/${conversation}/messages`, { text: 'Hello?' })).json().data
  await as.put(`/v1/conversations/${conversation}/messages/${answer.id}/feedback`, { score: -1 })
  return (await as.get('/v1/reviews')).json().data[0].id
}

/** New things of a client that the route's address can name. `settled`: resolves once the background work is done. */
async function things (as: Client, url: string, settled = async () => {}): Promise<Ids> {
  if (url.startsWith('/v1/api_keys')) return { ...FIRST, id: (await as.post('/v1/api_keys', {})).json().data.id }
  if (url.startsWith('/v1/invitations/') || url.startsWith('/v1/members/')) {
    return { ...FIRST, id: await invited(as, url) }
  }
  if (url.startsWith('/v1/reviews/')) return { ...FIRST, id: await reviewed(as) }
  if (url.startsWith('/v1/saved_replies/')) {
    const key = `k${(await as.get('/v1/saved_replies')).json().data.length}`
    const { id } = (await as.post('/v1/saved_replies', { key, texts: { en: 'x' } })).json().data
    return { ...FIRST, id }
  }
  if (url.startsWith('/v1/model_providers/')) {
    return { ...FIRST, id: (await as.post('/v1/model_providers', PROVIDER)).json().data.id }
  }
  if (url.startsWith('/v1/keys/agents/')) {
    await as.put('/v1/keys/agents/agent-1', draft)
    return FIRST
  }
  if (url.startsWith('/v1/imports/')) return { ...FIRST, id: await uploaded(as) }
  if (/^\/v1\/(connections|actions)\//.test(url)) return { ...FIRST, id: await connectedTo(as, url) }
  if (/^\/v1\/(webhooks|deliveries)\//.test(url)) {
    // An account may have twenty, and this needs more.
    const { id } = (await as.get('/v1/webhooks')).json().data[0] ?? (await as.post('/v1/webhooks', WEBHOOK)).json().data
    return {
      ...FIRST, id: url.startsWith('/v1/webhooks') ? id : (await as.post(`/v1/webhooks/${id}/test`)).json().data.id
    }
  }
  if (url.startsWith('/v1/ticketing_providers/')) {
    const { id } =
      (await as.get('/v1/ticketing_providers')).json().data[0] ??
      (await as.post('/v1/ticketing_providers', { ...TICKETING, name: 'Theirs' })).json().data
    return { ...FIRST, id }
  }
  const { id } = (await as.post('/v1/agents', draft)).json().data
  if (url.startsWith('/v1/tickets/')) {
    return { ...FIRST, id: (await as.post('/v1/tickets', { agent: id, subject: 'x' })).json().data.id }
  }
  if (url.startsWith('/v1/visitors')) {
    return { ...FIRST, id: (await as.post('/v1/visitors', { agent: id })).json().data.id }
  }
  if (url.startsWith('/v1/conversations')) {
    const conversation = (await as.post(`/v1/agents/${id}/conversations`, {})).json().data.id
    const message = url.includes(':message')
      ? idOf(await as.post(`/v1/conversations/${conversation}/messages`, { text: 'Hi' }))
      : NAMES.message
    const note = url.includes(':note')
      ? (await as.post(`/v1/conversations/${conversation}/notes`, { text: 'x' })).json().data.id
      : NAMES.note
    const called = url.includes(':call') ? await callIn(as, id, conversation) : NAMES.call
    return { ...FIRST, id: conversation, message, note, call: called }
  }
  if (url.includes('/suggestions/')) return { ...FIRST, id, sid: await suggested(as, id, settled) }
  const sid = url.includes(':sid')
    ? (await as.post(`/v1/agents/${id}/knowledge_sources`, { plain_text: 'x' })).json().data[0].id
    : 1
  const fid = url.includes(':fid')
    ? (await as.post(`/v1/agents/${id}/knowledge_folders`, { name: 'x' })).json().data.id
    : 1
  const key = url.includes(':key') ? (await as.post(`/v1/agents/${id}/widget_keys`, WIDGET)).json().data.id : NAMES.key
  const secret = url.includes(':secret')
    ? (await as.post(`/v1/agents/${id}/widget_keys/${key}/identity_secrets`)).json().data.id
    : NAMES.secret
  const question = url.includes(':question') ? (await as.post(`/v1/agents/${id}/questions`, ASKED)).json().data.id : 1
  const feed = url.includes(':feed') ? (await as.post(`/v1/agents/${id}/feeds`, FEED)).json().data.id : 1
  const run = url.includes(':run') ? (await as.post(`/v1/agents/${id}/runs`, {})).json().data.id : 1
  return { ...FIRST, id, sid, fid, key, secret, question, run, feed }
}

t.test('the matrix holds every route, and HEAD goes where GET does', async (t) => {
  const { app } = await build(t)
  // What is for visitors is tried in permits.test.ts, and its requirements are in the snapshot of open routes.
  const isForVisitors = (url: string) => /^\/(v1\/widget|widget|chat)[/.]/.test(url)
  const routes = (await routesOf(app))
    .filter(({ url }) => !isForVisitors(url))
    .map(({ method, url }) => `${method} ${url}`)
  const heads = Object.keys(TABLE)
    .filter((route) => route.startsWith('GET'))
    .map((route) => route.replace('GET', 'HEAD'))
  t.strictSame(routes.sort(), [...Object.keys(TABLE), ...heads].sort())
})

t.test('no key, a bad, a revoked and an expired one get the same 401 on every route that needs one', async (t) => {
  const { user, withKey, clock, stores } = await build(t)
  const as = await user()
  await as.post('/v1/agents', draft)
  const key = async (expires: string | null) =>
    (await stores.access.createKey(as.id, () => ({ name: 'x', permissions: [...PERMISSIONS], expires_at: expires })))
      .answer
  const revoked = await key(null)
  const expired = await key('2026-01-01T00:01:00.000000Z')
  t.equal((await withKey(revoked.key).get('/v1/me')).statusCode, 200)
  t.equal((await withKey(expired.key).get('/v1/me')).statusCode, 200)
  await as.delete(`/v1/api_keys/${revoked.id}`)
  clock.advance(60_000)
  const bodies = new Set<string>()
  for (const bad of [undefined, 'x', as.key + '0', newKey(), revoked.key, expired.key]) {
    for (const row of guarded) {
      for (const scheme of SCHEMES) {
        const answer = await call(withKey(bad, scheme), row)
        t.equal(answer.statusCode, 401, `${row.route} ${scheme}`)
        // Routes in the format that other vendors' clients expect say the same in their format.
        if (!/^\/v1\/(?:models|chat)/.test(row.url)) bodies.add(answer.body)
        if (row.method === 'GET') t.equal((await withKey(bad, scheme).head(address(row.url, FIRST))).statusCode, 401)
      }
    }
  }
  t.equal(bodies.size, 1, 'nothing tells them apart')
  for (const row of rows.filter(({ allowed }) => allowed === 'anyone')) {
    t.equal((await call(withKey(undefined), row)).statusCode, row.status ?? 200, row.route)
  }
  t.equal((await as.get('/v1/agents')).json().data.length, 1)
})

// Planted fault: PUT without its permission list ('any user').
for (const scheme of SCHEMES) {
  t.test(`each of the ten permissions alone opens exactly what the table says, with ${scheme}`, async (t) => {
    const { user, withKey, stores, settled } = await build(t)
    const as = await user()
    const seen: Record<string, string[]> = {}
    const expected: Record<string, string[]> = {}
    // A refused request changes nothing, so that one thing of a kind serves for all callers without access to it.
    const standing = new Map<string, Ids>()
    for (const permission of PERMISSIONS) {
      for (const row of keyed) {
        const isAllowed = row.allowed === 'any user' || row.allowed.includes(permission)
        const ids = (!isAllowed && standing.get(row.url)) || await things(as, row.url, settled)
        if (!isAllowed) standing.set(row.url, ids)
        const alone = (
          await stores.access.createKey(as.id, () => ({ name: 'x', permissions: [permission], expires_at: null }))
        ).answer
        const answer = await call(withKey(alone.key, scheme), row, ids)
        if (answer.statusCode === 403) {
          t.match(
            answer.json().error,
            { code: 'permission_denied', status: 403, fields: { permissions: row.allowed } },
            row.route
          )
        } else {
          t.ok(
            row.status ? answer.statusCode === row.status : [200, 201].includes(answer.statusCode),
            `${row.route} ${answer.statusCode}`
          )
          ;(seen[row.route] ??= []).push(permission)
        }
        if (isAllowed) (expected[row.route] ??= []).push(permission)
      }
    }
    t.strictSame(seen, expected)
  })
}

/** Messages, searches, trials, and what concerns nobody else: of these the audit log says nothing. */
const NOT_AUDITED = new Set([
  'POST /v1/agents/:id/knowledge_sources/preview', 'POST /v1/agents/:id/knowledge_sources/pages',
  'POST /v1/agents/:id/search', 'POST /v1/agents/:id/conversations',
  'POST /v1/conversations/:id/messages', 'POST /v1/conversations/:id/messages/:message/stop',
  'POST /v1/conversations/:id/messages/:message/regenerate', 'PUT /v1/conversations/:id/messages/:message/feedback',
  'PUT /v1/conversations/:id/satisfaction',
  'POST /v1/conversations/:id/attachments', 'POST /v1/conversations/:id/handoff',
  'DELETE /v1/conversations/:id/handoff', 'POST /v1/conversations/:id/typing',
  'PUT /v1/conversations/:id/seen', 'PUT /v1/conversations/:id/looking', 'PUT /v1/me/duty', 'POST /v1/conversations/:id/draft',
  'POST /v1/connections/:id/test', 'POST /v1/language_models/test', 'POST /v1/config/plan', 'POST /v1/agents/:id/guard_rules/preview',
  'PUT /v1/me/account', 'PUT /v1/me/push', 'DELETE /v1/me/push',
  'POST /v1/me/passkeys/options', 'POST /v1/chat/completions', 'POST /v1/agents/:id/chat',
  'POST /mcp'
])
const READINGS = new Set(['GET /v1/conversations/:id/calls/:call', 'GET /v1/visitors/:id', 'GET /v1/visitors/:id/export'])

t.test('the audit log tells of each change in its transaction, of who read a visitor, and of nothing else', async (t) => {
  const { app, user, withSession, stores, settled } = await build(t)
  const as = await user()
  const { paths } = (await app.inject('/openapi.json')).json()
  const operationOf = ({ url, method }: typeof rows[number]) =>
    paths[url.replaceAll(/:(\w+)/g, '{$1}')][method.toLowerCase()].operationId
  const { record } = stores.audit
  const apart: string[] = []
  stores.audit.record = async (context) => {
    apart.push(context.action)
    await record(context)
  }
  const newest = async () => (await stores.audit.list(as.id, {}, undefined, 1)).items[0]
  for (const row of guarded) {
    const ids = await things(as, row.url, settled)
    const before = await newest()
    const who = row.allowed === 'a session' ? { key: undefined, ...await withSession(as.id) } : as
    const { statusCode } = await call(who, row, ids)
    const after = await newest()
    const isTold = statusCode < 300 && !NOT_AUDITED.has(row.route) && (row.method !== 'GET' || READINGS.has(row.route))
    t.equal(after?.id !== before?.id, isTold, `${row.route} ${statusCode}`)
    if (isTold) t.equal(after!.action, operationOf(row), row.route)
    if (isTold && statusCode === 201 && !/replace|approve|rotate|messages/.test(row.url)) {
      t.match(after!.target, /\d|_/, `${row.route}: ${after!.target}`)
    }
  }
  // Erasing takes many commits, including the receipt; a tier that stays the same takes none.
  t.same([...new Set(apart)].sort(), ['eraseVisitor', 'testAction', 'updateAccount'], 'told of behind what was done')
  t.match(await stores.audit.verify(as.id), { fault: null })
})

t.test('what concerns the person alone is open to a session, and to no key whatever it may do', async (t) => {
  const { user, withSession } = await build(t)
  const as = await user()
  for (const row of guarded.filter(({ allowed }) => allowed === 'a session')) {
    const refused = await call(as, row)
    t.match(
      [refused.statusCode, refused.json().error],
      [403, { code: 'permission_denied', fields: { needs: 'session' } }],
      row.route
    )
    const { statusCode } = await call({ key: undefined, ...await withSession(as.id) }, row)
    t.ok(row.status ? statusCode === row.status : [200, 201].includes(statusCode), `${row.route} ${statusCode}`)
  }
})

/** What may differ between two responses about nonexistent things. */
function comparable ({ statusCode, body, headers }: Awaited<ReturnType<Client['get']>>) {
  const { 'x-request-id': _id, 'x-ratelimit-remaining': _remaining, date: _date, ...rest } = headers
  return { statusCode, body, headers: rest }
}

// Planted faults: the store's look-up without its owner clause; a source's without its owner, and without its agent.
t.test('another user\'s id answers byte for byte as an absent one, and nothing happens to what it names', async (t) => {
  const { user } = await build(t)
  const [as, other] = [await user(), await user()]
  const [theirs, mine] = [await things(other, ':sid:fid:key:secret'), await things(as, ':sid:fid:key:secret')]
  const key = (await other.post('/v1/api_keys', {})).json().data.id
  const gone = await things(as, '')
  await as.delete(`/v1/agents/${gone.id}`)
  const look = async () =>
    [
      await other.get('/v1/agents'),
      await other.get('/v1/api_keys'),
      await other.get(`/v1/agents/${theirs.id}/knowledge_sources`),
      await other.get(`/v1/agents/${theirs.id}/knowledge_folders`)
    ].map(({ body }) => body.replace(/"last_used_at":"[^"]+"/, ''))
  // What does not belong to an agent is named on its own.
  const others = new Map<string, Ids>()
  const namedBy = async (url: string) => {
    const kind =
      /^\/v1\/(?:conversations|visitors|members|invitations|model_providers|tickets|ticketing_providers|webhooks|deliveries)\b/.exec(
        url
      )?.[0]
    if (url.startsWith('/v1/api_keys')) return { ...theirs, id: key }
    if (kind && !others.has(kind)) others.set(kind, await things(other, `${kind}/:message`))
    return kind && others.get(kind)
  }
  for (const { url } of keyed) await namedBy(url)
  const before = await look()
  // A key is a name that each account chooses: another account's is one that is free here.
  const withId = keyed.filter(({ url }) => url.includes(':') && !url.startsWith('/v1/keys/'))
  t.ok(withId.length >= 18)
  for (const { method, url, body, route } of withId) {
    for (const headers of [{}, { 'if-match': '*' }, { 'if-none-match': '*' }, { 'if-match': '"x"' }] as Array<
      Record<string, string>
    >) {
      const ask = async (ids: Ids) =>
        comparable(await as[method.toLowerCase() as 'get'](address(url, ids), body, headers))
      const absent = await ask(nowhere(url))
      t.equal(absent.statusCode, 404, route)
      const named = await namedBy(url)
      for (const ids of named ? [named] : [theirs, { ...mine, id: theirs.id }, { ...theirs, id: gone.id }]) {
        t.strictSame(await ask(ids), absent, route)
      }
      // The caller's own agent with a source or a folder of another.
      if (/:[sf]id/.test(url)) {
        t.strictSame(await ask({ ...theirs, id: mine.id }), await ask({ ...NOWHERE, id: mine.id }), route)
      }
    }
  }
  t.strictSame(await look(), before)
})

// Planted faults: the lists of tickets, of webhooks and of conversations without their owner's clause.
t.test('no list holds anything of somebody else, and no filter finds it there', async (t) => {
  const { app, user, settled, withSession } = await build(t)
  const [as, other] = [await user(), await user()]
  const mine = await things(as, '')
  const lists = keyed.filter(({ method, url }) => method === 'GET' && !/:(?!id)/.test(url) &&
    !/events$|^\/v1\/(?!agents\/)[^:]*:/.test(url) && !url.startsWith('/v1/models/'))
  t.ok(lists.length >= 25, `${lists.length} lists`)
  const at = /\d{4}-\d\d-\d\dT[\d:.]+Z/g
  const ask = async (who: Client, url: string, ids: Ids, query = '') => {
    const { statusCode, body } = await who.get(address(url, ids) + query)
    return { url, statusCode, body: body.replaceAll(at, 'then') }
  }
  const look = async () => await Promise.all(lists.map(({ url }) => ask(as, url, mine)))
  const before = await look()

  // Another account has some of everything.
  for (const { url } of keyed.filter(({ url }) => url.includes(':'))) await things(other, url, settled)
  const agent = await things(other, ':sid:fid:feed:key:secret:question:run')
  await withSession(other.id)
  const visitor = (await other.post('/v1/visitors', { agent: agent.id })).json().data.id
  const conversation = (await other.post(`/v1/agents/${agent.id}/conversations`, { visitor })).json().data.id
  await other.post(`/v1/conversations/${conversation}/messages`, { text: 'Hi' })
  await other.post(`/v1/conversations/${conversation}/tickets`, {})
  await other.patch(`/v1/conversations/${conversation}`, { tags: ['vip'] })
  await other.put('/v1/business', { asks_satisfaction: true })
  await other.post(`/v1/conversations/${conversation}/close`, {})
  await other.put(`/v1/conversations/${conversation}/satisfaction`, { score: 4 })
  await other.delete(`/v1/visitors/${(await other.post('/v1/visitors', { agent: agent.id })).json().data.id}`)
  await suggested(other, agent.id as number, settled)
  await settled()
  t.strictSame(await look(), before)
  const empty = (await Promise.all(lists.map(({ url }) => ask(other, url, agent))))
    .filter(({ statusCode, body }) => statusCode !== 200 || /"data":\[\]/.test(body))
    .map(({ url }) => url)
  // Names and previews are returned only for the ids requested, as below; nothing is as old as that yet.
  t.strictSame(empty.sort(), ['/v1/agents/:id/knowledge/stale', '/v1/conversations/previews', '/v1/visitors/names'],
    'of each there is something that could have been shown')

  const { paths } = (await app.inject('/openapi.json')).json()
  const filters: Record<string, unknown> = {
    agent: agent.id, visitor, conversation, ids: visitor, about: `conversations/${conversation}`
  }
  const absent: Record<string, unknown> = {
    agent: NOWHERE.id,
    visitor: nowhere('/v1/visitors').id,
    conversation: nowhere('/v1/conversations').id,
    ids: nowhere('/v1/visitors').id,
    about: `conversations/${nowhere('/v1/conversations').id}`
  }
  const filtered = lists.flatMap(({ url }) => {
    const names = (paths[url.replaceAll(/:(\w+)/g, '{$1}')]?.get.parameters ?? []).map(({ name }: any) => name)
    return names.filter((name: string) => name in filters).map((name: string) => [url, name] as const)
  })
  const valueOf = (values: Record<string, unknown>, url: string, name: string) =>
    values[name === 'ids' && url.startsWith('/v1/conversations') ? 'conversation' : name]
  t.ok(filtered.length >= 5, `${filtered.length} filters`)
  for (const [url, name] of filtered) {
    const found = await ask(as, url, mine, `?${name}=${valueOf(filters, url, name)}`)
    t.strictSame(found, await ask(as, url, mine, `?${name}=${valueOf(absent, url, name)}`), `${url}?${name}`)
    t.equal((await ask(other, url, agent, `?${name}=${valueOf(filters, url, name)}`)).statusCode, 200, 'its owner may ask')
  }
})

t.test('another user\'s id in a body changes nothing of theirs and gives nothing of theirs', async (t) => {
  const { user } = await build(t)
  const [as, other] = [await user(), await user()]
  const theirs = (await other.post('/v1/agents', { ...draft, name: 'Theirs' })).json().data
  const mine = (
    await as.post('/v1/agents', {
      ...draft, id: theirs.id, owner: other.id, knowledge_sources: [{ id: 1, owner: other.id }]
    })
  ).json().data
  t.strictSame([mine.owner, mine.knowledge_sources], [as.id, []])
  t.not(mine.id, theirs.id)
  const moved = (await as.put(`/v1/agents/${mine.id}`, { id: theirs.id, owner: other.id, name: 'Moved' })).json().data
  t.strictSame([moved.id, moved.owner], [mine.id, as.id])
  for (const body of [{ user: other.id }, { user_id: other.id }, { owner: other.id }, { id: 1 }]) {
    t.equal((await as.post('/v1/api_keys', body)).statusCode, 400)
  }
  t.strictSame((await other.get('/v1/agents')).json().data, [theirs])
  t.equal((await as.get('/v1/agents')).json().data.length, 1)
})

// Planted fault: a folder looked up without its agent.
t.test('a folder of another user, or of another agent, cannot be named in a body', async (t) => {
  const { user } = await build(t)
  const [as, other] = [await user(), await user()]
  const [theirs, mine, second] = [
    await things(other, ':sid:fid'), await things(as, ':sid:fid'), await things(as, ':fid')
  ]
  const base = `/v1/agents/${mine.id}`
  const writes: Array<(folder: number) => ReturnType<Client['get']>> = [
    (folder) => as.post(`${base}/knowledge_sources`, { plain_text: 'x', agent_knowledge_folder: folder }),
    (folder) => as.put(`${base}/knowledge_sources/${mine.sid}`, { agent_knowledge_folder: folder }),
    (folder) => as.post(`${base}/knowledge_folders`, { name: 'x', parent: folder }),
    (folder) => as.put(`${base}/knowledge_folders/${mine.fid}`, { parent: folder })
  ]
  const before = [(await as.get(`${base}/knowledge_sources`)).body, (await as.get(`${base}/knowledge_folders`)).body]
  for (const write of writes) {
    const absent = comparable(await write(987_654))
    t.ok([400, 404].includes(absent.statusCode), String(absent.statusCode))
    t.strictSame(comparable(await write(theirs.fid)), absent)
    t.strictSame(comparable(await write(second.fid)), absent)
  }
  t.strictSame(
    [(await as.get(`${base}/knowledge_sources`)).body, (await as.get(`${base}/knowledge_folders`)).body], before
  )
})

t.test(
  'a field that no caller may set is ignored or refused in every write, and an unknown one is refused',
  async (t) => {
    const { user } = await build(t)
    const as = await user()
    await as.post('/v1/agents', draft)
    const writes = keyed.filter(({ body, isOpen }) => body && !isOpen)
    t.ok(writes.length >= 9)
    for (const row of writes) {
      for (const field of [
        'isAdmin', 'ownerId', 'owner_id', 'user', 'plan', 'tier', 'usedBytes', 'deletedAt', 'digest', 'hint',
        'revision', 'search_text', 'last_used_at', 'revoked_at', 'key', '$where', 'features'
      ]) {
        // A provider's key is set by its creator; a saved reply is found by its key.
        if (field === 'key' && /^\/v1\/(model_providers$|saved_replies)/.test(row.url)) continue
        // For a call it is what was shown.
        if (field === 'digest' && row.url.includes('/calls/')) continue
        // What was planned is applied.
        if (field === 'plan' && row.url === '/v1/config/apply') continue
        // Of an account the tier can be changed.
        if (field === 'tier' && row.url === '/v1/account') continue
        const answer = await call(as, row, row.url.startsWith('/v1/agents') ? FIRST : nowhere(row.url), { [field]: 1 })
        t.equal(answer.statusCode, 400, `${row.route} ${field}`)
        t.match(answer.json().error.details, [{ field, message: /is not a known field/ }])
      }
    }
    t.equal((await as.get('/v1/agents')).json().data.length, 1)
  }
)

t.test(
  'a method that a path does not have is a 405 with Allow, an unknown path a 404, with or without a key',
  async (t) => {
    const { app, user, withKey } = await build(t)
    const as = await user()
    for (const url of new Set(rows.map(({ url }) => url))) {
      const known = rows
        .filter((row) => row.url === url)
        .flatMap(({ method }) => (method === 'GET' ? ['GET', 'HEAD'] : [method]))
      const allow = ['GET', 'HEAD', 'POST', 'PUT', 'PATCH', 'DELETE', 'OPTIONS']
        .filter((method) => known.includes(method))
        .join(', ')
      for (const method of ['GET', 'POST', 'PUT', 'PATCH', 'DELETE', 'OPTIONS', 'TRACE'] as const) {
        if (known.includes(method)) continue
        const answer = await app.inject({
          method: method as 'GET',
          url: address(url, FIRST),
          ...(method === 'POST' ? { payload: '<x/>', headers: { 'content-type': 'text/xml' } } : {})
        })
        t.strictSame(
          [answer.statusCode, answer.headers.allow, answer.json().error.code],
          [405, allow, 'method_not_allowed'],
          `${method} ${url}`
        )
      }
    }
    for (const url of [
      '/v1',
      '/v1/',
      '/v2/agents',
      '/api',
      '/api/v1',
      '/v1/agent',
      '/v1/agents/1/x',
      '/metrics.json',
      '/.env',
      '/v1/agents/%',
      '/v1/agents/%zz',
      `/v1/agents/${'1'.repeat(100)}`
    ]) {
      for (const client of [as, withKey(undefined)]) {
        const answer = await client.get(url)
        t.strictSame(
          [answer.statusCode, answer.json()],
          [404, { error: { code: 'not_found', message: 'Nothing is at this address.', status: 404, fields: {} } }],
          url
        )
        t.match(answer.headers['x-request-id'], /^[\w-]+$/)
        t.equal(
          (await client.post(url, '<x/>', { 'content-type': 'text/xml' })).statusCode, 404, 'whatever is sent to it'
        )
      }
    }
  }
)

t.test('every answer carries a request id of its own, which a caller cannot choose', async (t) => {
  const { user } = await build(t)
  const as = await user()
  const ids = await Promise.all(
    Array.from(
      { length: 50 },
      async () =>
        (await as.get('/v1/me', undefined, { 'x-request-id': 'mine', 'request-id': 'mine' })).headers['x-request-id']
    )
  )
  t.equal(new Set(ids).size, 50)
  t.notOk(ids.includes('mine'))
})
