import { Type, type Static } from '@sinclair/typebox'
import { Id, Timestamp, closed, nullable, oneOf, text, title } from './common.ts'
import { ConversationId, MessageId } from './conversations.ts'

const orNull = <T>(schema: object, options: object = {}) =>
  Type.Unsafe<T | null>(Type.Union([schema as never, Type.Null()], options))

/** The protocol of a connection: plain HTTP, or the Model Context Protocol over Streamable HTTP. */
export const ConnectionKind = oneOf(['http', 'mcp'])
export type ConnectionKind = Static<typeof ConnectionKind>

/** How a connection authenticates. */
export const ConnectionAuth = oneOf(['none', 'bearer', 'header', 'basic', 'oauth_client'], {
  description:
    '`bearer`: the secret as a bearer token; `header`: the secret in the header `auth_name`; `basic`: `auth_name` and the secret as user name and password; `oauth_client`: a token fetched from `token_url` for the client `auth_name`'
})
export type ConnectionAuth = Static<typeof ConnectionAuth>

const Address = Type.String({ maxLength: 500, pattern: '^https?://[^\\s?#]+$', examples: ['https://shop.example.com/api'] })
const Host = Type.String({ minLength: 1, maxLength: 260, pattern: '^[^\\s/@?#]+$', examples: ['shop.example.com'] })
const authName = Type.String({
  minLength: 1,
  maxLength: 200,
  pattern: '^[\\x21-\\x7e]+$',
  description: 'Header name, user name or client id',
  examples: ['X-Api-Key']
})

/** Why a call was not carried out, or nobody knows whether it was. */
export const CALL_FAILURES = [
  'timeout', 'no_such_host', 'untrusted', 'unreachable', 'address_refused', 'too_large', 'host_not_allowed', 'no_token',
  'denied', 'not_found', 'limited', 'refused', 'server_error', 'redirected', 'unreadable', 'tool_changed', 'tool_failed',
  'needs_input', 'no_answer', 'stopped', 'not_confirmed', 'taken_over', 'changed'
] as const
export const CallFailure = oneOf(CALL_FAILURES, {
  description:
    'Why it failed. `untrusted`: its certificate is not valid. `address_refused`: not on the public internet. `host_not_allowed`: not in `allowed_hosts`. `no_token`: `token_url` gave none. `denied`: the secret is not accepted. `unreadable`: the response is not in the expected form. `no_answer`: it was sent, and no response came. `stopped`: the server stopped before the response came. `not_confirmed`, `taken_over` and `changed`: it was not sent'
})
export type CallFailure = Static<typeof CallFailure>

/** A system of the business that agents may act in, as stored. */
export const ConnectionRecord = Type.Object({
  id: Id,
  owner: Id,
  name: title(80, { examples: ['Our shop'] }),
  kind: ConnectionKind,
  base_url: Type.String({ description: 'Base URL to which action paths are appended; for MCP, the URL of the server' }),
  auth: ConnectionAuth,
  auth_name: nullable(authName),
  token_url: nullable(Type.String({ description: 'Where the token for `oauth_client` is fetched' })),
  secret: Type.Unsafe<Buffer | null>({}),
  allowed_hosts: Type.Array(Type.String(), { description: 'Exact hosts to send requests to; no others are contacted' }),
  last_ok: nullable({ ...Timestamp, description: 'When it last responded' }),
  last_error: nullable(Type.String({ description: 'Why the last request failed; null if it has responded since' })),
  last_error_code: nullable(CallFailure),
  created_at: Timestamp,
  updated_at: Timestamp
})
export type ConnectionRecord = Static<typeof ConnectionRecord>

/** A connection as responses show it, never with its secret. */
export const Connection = Type.Composite([
  Type.Omit(ConnectionRecord, ['owner', 'secret']),
  Type.Object({ has_secret: Type.Boolean({ description: 'Whether a secret is stored; it is never shown' }) })
], { title: 'Connection' })
export type Connection = Static<typeof Connection>

/** Request to create or replace a connection. */
export const ConnectionDraft = Type.Object(
  {
    name: ConnectionRecord.properties.name,
    kind: Type.Optional(ConnectionKind),
    base_url: Address,
    auth: Type.Optional(ConnectionAuth),
    auth_name: Type.Optional(nullable(authName)),
    token_url: Type.Optional(nullable(Address)),
    secret: Type.Optional(Type.String({
      minLength: 1,
      maxLength: 4000,
      pattern: '^[\\x21-\\x7e]+$',
      description: 'Stored encrypted and never shown again. If omitted when replacing, the previous secret is kept'
    })),
    allowed_hosts: Type.Optional(Type.Array(Host, {
      minItems: 1, maxItems: 10, uniqueItems: true, description: 'Default: only the host of `base_url`'
    }))
  },
  {
    ...closed,
    title: 'ConnectionDraft',
    examples: [{ name: 'Our shop', base_url: 'https://shop.example.com/api', auth: 'bearer', secret: 'sk-example' }]
  }
)
export type ConnectionDraft = Static<typeof ConnectionDraft>

/** The result of a test. */
export const ConnectionTried = Type.Object({
  ok: Type.Boolean(),
  status: nullable(Type.Integer({ description: 'HTTP status of the response; null without one' })),
  ms: Type.Integer({ minimum: 0 }),
  message: Type.String({ description: 'What to do, in a sentence' }),
  error_code: nullable(CallFailure)
}, { title: 'ConnectionTried' })
export type ConnectionTried = Static<typeof ConnectionTried>

/** The effect of an action on the system behind it. */
export const Effect = oneOf(['read', 'write'])
export type Effect = Static<typeof Effect>

/** Who has to confirm it first. */
export const Confirm = oneOf(['nobody', 'visitor', 'person'])
export type Confirm = Static<typeof Confirm>

/** Where a parameter's value comes from; all but `model` are filled in by the server and never shown to a model. */
export const ParameterSource = oneOf([
  'model', 'visitor.external_id', 'visitor.verified_email', 'conversation', 'constant'
])
export type ParameterSource = Static<typeof ParameterSource>

const Scalar = Type.Union([Type.String({ maxLength: 500 }), Type.Number(), Type.Boolean()])

/** A value used in a request. */
export const Parameter = Type.Object({
  name: Type.String({
    pattern: '^[A-Za-z0-9_$.\\[\\]-]{1,64}$',
    description: 'Name the target API expects; in a body, `customer.email` sets a field of a nested object',
    examples: ['order_number']
  }),
  in: oneOf(['path', 'query', 'body', 'header']),
  type: oneOf(['string', 'integer', 'number', 'boolean']),
  description: text(300, { description: 'What the value is, for the model and for forms' }),
  required: Type.Boolean(),
  enum: Type.Array(Type.String({ maxLength: 200 }), { maxItems: 100, description: 'Allowed values; empty: any' }),
  pattern: text(100, {
    description: 'Pattern that a text must match: letters, classes and counts, such as `[A-Z]{2}\\d+`; empty: anything'
  }),
  max: Type.Integer({
    minimum: 1, maximum: 1_000_000_000, description: 'Maximum characters of a text, or the largest number'
  }),
  from: ParameterSource,
  value: orNull<string | number | boolean>(Scalar, { description: 'Value of a `constant`' })
}, { ...closed, title: 'ActionParameter' })
export type Parameter = Static<typeof Parameter>

const ParameterDraft = Type.Composite([
  Type.Pick(Parameter, ['name', 'in', 'type']),
  Type.Partial(Type.Omit(Parameter, ['name', 'in', 'type']))
], { ...closed, title: 'ActionParameterDraft' })
export type ParameterDraft = Static<typeof ParameterDraft>

/** Which part of a response is used. */
export const ResultOf = Type.Object({
  pick: Type.Array(Type.String({ maxLength: 200, pattern: '^(?:/[^\\s]*)?$' }), {
    maxItems: 30, description: 'JSON pointers to the parts to use; empty: everything', examples: [['/status', '/eta']]
  }),
  max_bytes: Type.Integer({ minimum: 100, maximum: 262_144, description: 'Longer responses are refused' })
}, { ...closed, title: 'ActionResult' })
export type ResultOf = Static<typeof ResultOf>

/** Rate limits and timeouts. */
export const ActionLimits = Type.Object({
  timeout_ms: Type.Integer({ minimum: 100, maximum: 20_000 }),
  per_conversation: Type.Integer({ minimum: 1, maximum: 1000 }),
  per_day: Type.Integer({ minimum: 1, maximum: 1_000_000 })
}, { ...closed, title: 'ActionLimits' })
export type ActionLimits = Static<typeof ActionLimits>

/** Something that agents may do, as stored. */
export const ActionRecord = Type.Object({
  id: Id,
  owner: Id,
  connection: Id,
  name: Type.String({ pattern: '^[a-z0-9_]{1,48}$', description: 'Unique in the account', examples: ['track_order'] }),
  title: title(80, { description: 'Shown to visitors while the action runs', examples: ['Looking up your order'] }),
  when: text(1000, { description: 'When an agent should run it', examples: ['The visitor asks where an order is.'] }),
  effect: Effect,
  method: oneOf(['GET', 'POST', 'PUT', 'PATCH', 'DELETE']),
  path: Type.String({
    minLength: 1,
    maxLength: 500,
    pattern: '^[^\\s?#\\\\]+$',
    description: 'Path appended to the connection\'s `base_url`, with `{name}` for each path parameter; for MCP, the name of the tool',
    examples: ['/orders/{order_number}']
  }),
  parameters: Type.Array(Parameter),
  result: ResultOf,
  confirm: Confirm,
  needs_verified: Type.Boolean({ description: 'Whether it runs only for visitors verified by the business' }),
  as_form: Type.Boolean({ description: 'Whether visitors are offered it as a button with a form; needs no model' }),
  button: text(80, {
    description: 'Label of the form\'s button; empty: `title`', examples: ['Track my order']
  }),
  limits: ActionLimits,
  lookup: nullable(Type.String({
    maxLength: 500,
    pattern: '^/(?:(?!\\{key\\})[^\\s?#\\\\])*\\{key\\}[^\\s#\\\\]*$',
    description: 'Path queried with GET to find out whether a call that got no response was carried out; `{key}` is its Idempotency-Key. 200: it was; 404: it was not',
    examples: ['/requests/{key}']
  })),
  version: Type.Integer({ minimum: 1, description: 'Increases with each change' }),
  enabled: Type.Boolean({ description: 'Whether the action is on; it never runs while off' }),
  /** The tool's definition when it was switched on; null unless it comes from an MCP server. */
  schema_digest: nullable(Type.String()),
  created_at: Timestamp,
  updated_at: Timestamp
})
export type ActionRecord = Static<typeof ActionRecord>

/** An action as responses show it. */
export const Action = Type.Omit(ActionRecord, ['owner', 'schema_digest'], { title: 'Action' })
export type Action = Static<typeof Action>

const changeable = {
  title: ActionRecord.properties.title,
  when: Type.Optional(ActionRecord.properties.when),
  effect: ActionRecord.properties.effect,
  method: ActionRecord.properties.method,
  path: ActionRecord.properties.path,
  parameters: Type.Optional(Type.Array(ParameterDraft, { maxItems: 40 })),
  result: Type.Optional(Type.Partial(ResultOf, { ...closed, title: 'ActionResultDraft' })),
  confirm: Type.Optional(Confirm),
  needs_verified: Type.Optional(Type.Boolean()),
  as_form: Type.Optional(ActionRecord.properties.as_form),
  button: Type.Optional(ActionRecord.properties.button),
  limits: Type.Optional(Type.Partial(ActionLimits, { ...closed, title: 'ActionLimitsDraft' })),
  lookup: Type.Optional(ActionRecord.properties.lookup),
  enabled: Type.Optional(Type.Boolean())
}

/** Request to create an action. */
export const ActionDraft = Type.Object(
  { connection: Id, name: ActionRecord.properties.name, ...changeable },
  {
    ...closed,
    title: 'ActionDraft',
    examples: [{
      connection: 1,
      name: 'track_order',
      title: 'Looking up your order',
      when: 'The visitor asks where an order is.',
      effect: 'read',
      method: 'GET',
      path: '/orders/{order_number}',
      parameters: [{ name: 'order_number', in: 'path', type: 'string', required: true }]
    }]
  }
)
export type ActionDraft = Static<typeof ActionDraft>

/** The fields of an action that can be changed; omitted fields are unchanged. */
export const ActionPatch = Type.Partial(Type.Object(changeable), {
  ...closed, title: 'ActionPatch', minProperties: 1, examples: [{ enabled: true }]
})
export type ActionPatch = Static<typeof ActionPatch>

/** Parameter values by name, as a model or a form supplies them. */
export const Arguments = Type.Record(Type.String({ maxLength: 64 }), Scalar, { maxProperties: 40, title: 'Arguments' })
export type Arguments = Static<typeof Arguments>

/** Request to test an action. */
export const ActionTest = Type.Object(
  {
    arguments: Type.Optional(Arguments),
    visitor: Type.Optional(Type.Object({
      external_id: Type.Optional(Type.String({ maxLength: 200 })),
      verified_email: Type.Optional(Type.String({ maxLength: 254 }))
    }, { ...closed, description: 'Visitor to test the action as' })),
    live: Type.Optional(Type.Boolean({ description: 'Whether to send the request; otherwise it is only shown' }))
  },
  { ...closed, title: 'ActionTest', examples: [{ arguments: { order_number: '1001' }, live: false }] }
)
export type ActionTest = Static<typeof ActionTest>

/** A request as it would be sent. */
export const ShownRequest = Type.Object({
  method: Type.String(),
  url: Type.String(),
  headers: Type.Record(Type.String(), Type.String(), { description: 'Secrets are shown as ••••' }),
  body: nullable(Type.String())
}, { title: 'ShownRequest' })
export type ShownRequest = Static<typeof ShownRequest>

/** The result of testing an action. */
export const ActionTried = Type.Object({
  request: ShownRequest,
  state: nullable(Type.String({ description: '`done`, `failed` or `unknown`; null if nothing was sent' })),
  status: nullable(Type.Integer()),
  ms: nullable(Type.Integer()),
  result: nullable(Type.String({ description: 'The part of the response that an agent would be shown' })),
  message: Type.String({ description: 'The outcome, in a sentence' }),
  error_code: nullable(CallFailure)
}, { title: 'ActionTried' })
export type ActionTried = Static<typeof ActionTried>

/** The state of a call. */
export const CALL_STATES = [
  'proposed', 'asked', 'confirmed', 'refused', 'expired', 'running', 'done', 'failed', 'unknown'
] as const
export const CallState = oneOf(CALL_STATES, {
  description:
    '`unknown`: it was sent but no response arrived; the outcome is looked up, and it is never sent again'
})
export type CallState = Static<typeof CallState>

/** `call_` and 128 random bits; also the Idempotency-Key sent to the other side. */
export const CallId = Type.String({
  pattern: '^call_[A-Za-z0-9_-]{22}$', maxLength: 32, description: 'Identifier of a call', examples: ['call_3q2-7wXbQk2m1uJ0aZ5c9A']
})

/** One execution of an action, as stored, without its sealed contents. */
export const CallRecord = Type.Object({
  id: CallId,
  owner: Id,
  conversation: nullable(ConversationId),
  message: nullable(MessageId),
  action: Id,
  action_name: Type.String(),
  action_version: Type.Integer({ minimum: 1 }),
  title: Type.String(),
  effect: Effect,
  confirm: Confirm,
  state: CallState,
  digest: Type.String({ description: 'Digest of the action and its values; required to confirm or refuse it' }),
  expires_at: nullable({ ...Timestamp, description: 'When it can no longer be confirmed' }),
  confirmed_by: nullable(Type.String({ description: '`visitor`, or the member who decided: `members/3`' })),
  status: nullable(Type.Integer({ description: 'HTTP status of the response' })),
  ms: nullable(Type.Integer({ minimum: 0 })),
  result_digest: nullable(Type.String()),
  error: nullable(Type.String({ description: 'Why it was not carried out, in a sentence' })),
  error_code: nullable(CallFailure),
  created_at: Timestamp,
  updated_at: Timestamp
})
export type CallRecord = Static<typeof CallRecord>

/** How an argument is shown on a card: rendered by us, in no words of a model. */
export const ShownArgument = Type.Object(
  { name: Type.String(), description: Type.String(), value: Type.String() }, { title: 'ShownArgument' }
)
export type ShownArgument = Static<typeof ShownArgument>

/** A call in a list, without its arguments. */
export const Call = Type.Omit(CallRecord, ['owner'], { title: 'Call' })
export type Call = Static<typeof Call>

/** A call with its arguments, for those who decide about it. */
export const CallCard = Type.Composite([
  Call, Type.Object({ arguments: Type.Array(ShownArgument), result: nullable(Type.String()) })
], { title: 'CallCard' })
export type CallCard = Static<typeof CallCard>

/** Request to run an action without a model: a form's values. */
export const CallDraft = Type.Object(
  { action: Id, arguments: Type.Optional(Arguments) },
  { ...closed, title: 'CallDraft', examples: [{ action: 1, arguments: { order_number: '1001' } }] }
)
export type CallDraft = Static<typeof CallDraft>

/** An action as offered to a visitor: a button, and the fields of its form. */
export const OfferedForm = Type.Object({
  id: Id,
  title: Type.String({ description: 'Label of its button' }),
  parameters: Type.Array(Type.Pick(Parameter, ['name', 'type', 'description', 'required', 'enum', 'max'], {
    title: 'OfferedParameter'
  }))
}, { title: 'OfferedForm' })
export type OfferedForm = Static<typeof OfferedForm>

/** Confirming or refusing, bound to what was shown. */
export const CallDecision = Type.Object(
  { digest: Type.String({ minLength: 1, maxLength: 64, description: 'The `digest` of the call as shown' }) },
  { ...closed, title: 'CallDecision', examples: [{ digest: 'pXhM0cWcO0f3h1mUqJz5HQ' }] }
)
export type CallDecision = Static<typeof CallDecision>

/** Request to import: a document, or a connection of the kind `mcp`. */
export const ActionImport = Type.Object(
  {
    connection: Id,
    openapi: Type.Optional(Type.Union([
      Type.String({ minLength: 1, maxLength: 2_000_000, description: 'JSON or YAML' }),
      Type.Record(Type.String(), Type.Unknown())
    ], { description: 'An OpenAPI 3.0 or 3.1 document. If omitted, the tools of the MCP server are read' })),
    operations: Type.Optional(Type.Array(Type.String({ maxLength: 200 }), {
      maxItems: 200,
      uniqueItems: true,
      description: 'The `key` of each planned action to create. If omitted, nothing is created and the plan is returned'
    }))
  },
  { ...closed, title: 'ActionImport', examples: [{ connection: 1, openapi: { openapi: '3.1.0', paths: {} } }] }
)
export type ActionImport = Static<typeof ActionImport>

/** One operation of a document, and the result of importing it. */
export const PlannedAction = Type.Object({
  key: Type.String({ description: 'Identifies the operation: `GET /orders/{id}`' }),
  name: Type.String(),
  title: Type.String(),
  effect: Effect,
  can_import: Type.Boolean(),
  notes: Type.Array(Type.String(), { description: 'What cannot be imported, and what to review' }),
  action: nullable(Type.Integer({ description: 'Id of the action created from it; null if none was' }))
}, { title: 'PlannedAction' })
export type PlannedAction = Static<typeof PlannedAction>
