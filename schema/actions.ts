import { Type, type Static } from '@sinclair/typebox'
import { Id, Timestamp, closed, nullable, oneOf, text, title } from './common.ts'
import { ConversationId, MessageId } from './conversations.ts'

const orNull = <T>(schema: object, options: object = {}) =>
  Type.Unsafe<T | null>(Type.Union([schema as never, Type.Null()], options))

/** What a connection speaks: plain HTTP, or the Model Context Protocol over Streamable HTTP. */
export const ConnectionKind = oneOf(['http', 'mcp'])
export type ConnectionKind = Static<typeof ConnectionKind>

/** How a connection proves who asks. */
export const ConnectionAuth = oneOf(['none', 'bearer', 'header', 'basic', 'oauth_client'], {
  description:
    '`bearer`: the secret as a bearer token; `header`: the secret in the header `auth_name`; `basic`: `auth_name` and the secret; `oauth_client`: a token that is fetched from `token_url` for the client `auth_name`'
})
export type ConnectionAuth = Static<typeof ConnectionAuth>

const Address = Type.String({ maxLength: 500, pattern: '^https?://[^\\s?#]+$', examples: ['https://shop.example.com/api'] })
const Host = Type.String({ minLength: 1, maxLength: 260, pattern: '^[^\\s/@?#]+$', examples: ['shop.example.com'] })
const authName = Type.String({
  minLength: 1,
  maxLength: 200,
  pattern: '^[\\x21-\\x7e]+$',
  description: 'Name of the header, user name or client id',
  examples: ['X-Api-Key']
})

/** A system of the business that agents may act in, as it is kept. */
export const ConnectionRecord = Type.Object({
  id: Id,
  owner: Id,
  name: title(80, { examples: ['Our shop'] }),
  kind: ConnectionKind,
  base_url: Type.String({ description: 'What paths of actions are put behind; of MCP the address of the server' }),
  auth: ConnectionAuth,
  auth_name: nullable(authName),
  token_url: nullable(Type.String({ description: 'Where a token is fetched, for `oauth_client`' })),
  secret: Type.Unsafe<Buffer | null>({}),
  allowed_hosts: Type.Array(Type.String(), { description: 'Hosts that are asked, exactly; nothing is sent to others' }),
  last_ok: nullable({ ...Timestamp, description: 'When it last answered' }),
  last_error: nullable(Type.String({ description: 'Why it last did not, if it has not answered since' })),
  created_at: Timestamp,
  updated_at: Timestamp
})
export type ConnectionRecord = Static<typeof ConnectionRecord>

/** A connection as answers show it: never with its secret. */
export const Connection = Type.Composite([
  Type.Omit(ConnectionRecord, ['owner', 'secret']),
  Type.Object({ has_secret: Type.Boolean({ description: 'Whether a secret is kept for it; it is never shown' }) })
], { title: 'Connection' })
export type Connection = Static<typeof Connection>

/** What making or replacing a connection takes. */
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
      description: 'Kept sealed and never shown again; left out when a connection is replaced, the one before stays'
    })),
    allowed_hosts: Type.Optional(Type.Array(Host, {
      minItems: 1, maxItems: 10, uniqueItems: true, description: 'Without it the host of `base_url` alone'
    }))
  },
  {
    ...closed,
    title: 'ConnectionDraft',
    examples: [{ name: 'Our shop', base_url: 'https://shop.example.com/api', auth: 'bearer', secret: 'sk-example' }]
  }
)
export type ConnectionDraft = Static<typeof ConnectionDraft>

/** What became of a try. */
export const ConnectionTried = Type.Object({
  ok: Type.Boolean(),
  status: nullable(Type.Integer({ description: 'The status that it answered' })),
  ms: Type.Integer({ minimum: 0 }),
  message: Type.String({ description: 'What there is to do, in a sentence' })
}, { title: 'ConnectionTried' })
export type ConnectionTried = Static<typeof ConnectionTried>

/** What an action does to the system behind it. */
export const Effect = oneOf(['read', 'write'])
export type Effect = Static<typeof Effect>

/** Who has to say yes before it is done. */
export const Confirm = oneOf(['nobody', 'visitor', 'person'])
export type Confirm = Static<typeof Confirm>

/** Where the value of a parameter comes from: all but `model` are put in by us, and no model is told of them. */
export const ParameterSource = oneOf([
  'model', 'visitor.external_id', 'visitor.verified_email', 'conversation', 'constant'
])
export type ParameterSource = Static<typeof ParameterSource>

const Scalar = Type.Union([Type.String({ maxLength: 500 }), Type.Number(), Type.Boolean()])

/** A value that goes into a request. */
export const Parameter = Type.Object({
  name: Type.String({
    pattern: '^[A-Za-z0-9_$.\\[\\]-]{1,64}$',
    description: 'As the other side has it; in a body `customer.email` is a field of an object',
    examples: ['order_number']
  }),
  in: oneOf(['path', 'query', 'body', 'header']),
  type: oneOf(['string', 'integer', 'number', 'boolean']),
  description: text(300, { description: 'What it is, for the model and for forms' }),
  required: Type.Boolean(),
  enum: Type.Array(Type.String({ maxLength: 200 }), { maxItems: 100, description: 'The values it may have; empty: any' }),
  pattern: text(100, {
    description: 'What a text has to look like: letters, classes and counts, such as `[A-Z]{2}\\d+`; empty: anything'
  }),
  max: Type.Integer({
    minimum: 1, maximum: 1_000_000_000, description: 'Characters of a text, or the largest number'
  }),
  from: ParameterSource,
  value: orNull<string | number | boolean>(Scalar, { description: 'The value of a `constant`' })
}, { ...closed, title: 'ActionParameter' })
export type Parameter = Static<typeof Parameter>

const ParameterDraft = Type.Composite([
  Type.Pick(Parameter, ['name', 'in', 'type']),
  Type.Partial(Type.Omit(Parameter, ['name', 'in', 'type']))
], { ...closed, title: 'ActionParameterDraft' })
export type ParameterDraft = Static<typeof ParameterDraft>

/** What of an answer is used. */
export const ResultOf = Type.Object({
  pick: Type.Array(Type.String({ maxLength: 200, pattern: '^(?:/[^\\s]*)?$' }), {
    maxItems: 30, description: 'JSON pointers of what is used; without any, everything', examples: [['/status', '/eta']]
  }),
  max_bytes: Type.Integer({ minimum: 100, maximum: 262_144, description: 'A longer answer is refused' })
}, { ...closed, title: 'ActionResult' })
export type ResultOf = Static<typeof ResultOf>

/** How often, and how long. */
export const ActionLimits = Type.Object({
  timeout_ms: Type.Integer({ minimum: 100, maximum: 20_000 }),
  per_conversation: Type.Integer({ minimum: 1, maximum: 1000 }),
  per_day: Type.Integer({ minimum: 1, maximum: 1_000_000 })
}, { ...closed, title: 'ActionLimits' })
export type ActionLimits = Static<typeof ActionLimits>

/** Something that agents may do, as it is kept. */
export const ActionRecord = Type.Object({
  id: Id,
  owner: Id,
  connection: Id,
  name: Type.String({ pattern: '^[a-z0-9_]{1,48}$', description: 'Unique in the account', examples: ['track_order'] }),
  title: title(80, { description: 'As visitors are told while it is done', examples: ['Looking up your order'] }),
  when: text(1000, { description: 'When an agent is to do it', examples: ['The visitor asks where an order is.'] }),
  effect: Effect,
  method: oneOf(['GET', 'POST', 'PUT', 'PATCH', 'DELETE']),
  path: Type.String({
    minLength: 1,
    maxLength: 500,
    pattern: '^[^\\s?#\\\\]+$',
    description: 'Behind the address of the connection, with `{name}` where a parameter goes; of MCP the name of the tool',
    examples: ['/orders/{order_number}']
  }),
  parameters: Type.Array(Parameter),
  result: ResultOf,
  confirm: Confirm,
  needs_verified: Type.Boolean({ description: 'Only for visitors whom the business has vouched for' }),
  as_form: Type.Boolean({ description: 'Visitors are offered it as a button with a form; no model is needed for that' }),
  button: text(80, {
    description: 'What the button of its form says; empty: its title', examples: ['Track my order']
  }),
  limits: ActionLimits,
  lookup: nullable(Type.String({
    maxLength: 500,
    pattern: '^/(?:(?!\\{key\\})[^\\s?#\\\\])*\\{key\\}[^\\s#\\\\]*$',
    description: 'Where it is asked with GET whether a call was done of which no answer came; `{key}` is its Idempotency-Key. 200: it was, 404: it was not',
    examples: ['/requests/{key}']
  })),
  version: Type.Integer({ minimum: 1, description: 'Moves with each change' }),
  enabled: Type.Boolean({ description: 'Nothing that is off is ever done' }),
  /** What its tool looked like when it was switched on; null where it is of no MCP server. */
  schema_digest: nullable(Type.String()),
  created_at: Timestamp,
  updated_at: Timestamp
})
export type ActionRecord = Static<typeof ActionRecord>

/** An action as answers show it. */
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

/** What making an action takes. */
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

/** What of an action can be changed; what is left out stays. */
export const ActionPatch = Type.Partial(Type.Object(changeable), {
  ...closed, title: 'ActionPatch', minProperties: 1, examples: [{ enabled: true }]
})
export type ActionPatch = Static<typeof ActionPatch>

/** Values of parameters by their names, as a model or a form gives them. */
export const Arguments = Type.Record(Type.String({ maxLength: 64 }), Scalar, { maxProperties: 40, title: 'Arguments' })
export type Arguments = Static<typeof Arguments>

/** What trying an action takes. */
export const ActionTest = Type.Object(
  {
    arguments: Type.Optional(Arguments),
    visitor: Type.Optional(Type.Object({
      external_id: Type.Optional(Type.String({ maxLength: 200 })),
      verified_email: Type.Optional(Type.String({ maxLength: 254 }))
    }, { ...closed, description: 'The visitor to try it as' })),
    live: Type.Optional(Type.Boolean({ description: 'Send it; without it the request is only shown' }))
  },
  { ...closed, title: 'ActionTest', examples: [{ arguments: { order_number: '1001' }, live: false }] }
)
export type ActionTest = Static<typeof ActionTest>

/** A request as it would be sent. */
export const ShownRequest = Type.Object({
  method: Type.String(),
  url: Type.String(),
  headers: Type.Record(Type.String(), Type.String(), { description: 'Secrets are ••••' }),
  body: nullable(Type.String())
}, { title: 'ShownRequest' })
export type ShownRequest = Static<typeof ShownRequest>

/** What became of trying an action. */
export const ActionTried = Type.Object({
  request: ShownRequest,
  state: nullable(Type.String({ description: '`done`, `failed` or `unknown`; null where nothing was sent' })),
  status: nullable(Type.Integer()),
  ms: nullable(Type.Integer()),
  result: nullable(Type.String({ description: 'What of the answer an agent would be shown' })),
  message: Type.String({ description: 'What became of it, in a sentence' })
}, { title: 'ActionTried' })
export type ActionTried = Static<typeof ActionTried>

/** How far a call has come. */
export const CALL_STATES = [
  'proposed', 'asked', 'confirmed', 'refused', 'expired', 'running', 'done', 'failed', 'unknown'
] as const
export const CallState = oneOf(CALL_STATES, {
  description:
    '`unknown`: it was sent and no answer came; it is looked up, and never sent again'
})
export type CallState = Static<typeof CallState>

/** `call_` and 128 random bits; also the Idempotency-Key that the other side sees. */
export const CallId = Type.String({
  pattern: '^call_[A-Za-z0-9_-]{22}$', maxLength: 32, description: 'Identifier of a call', examples: ['call_3q2-7wXbQk2m1uJ0aZ5c9A']
})

/** One time that an action was to be done, as it is kept but for its sealed words. */
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
  digest: Type.String({ description: 'Of what is to be done; who confirms names it' }),
  expires_at: nullable({ ...Timestamp, description: 'Until when it can be confirmed' }),
  confirmed_by: nullable(Type.String({ description: '`visitor`, or the member: `members/3`' })),
  status: nullable(Type.Integer({ description: 'What the other side answered' })),
  ms: nullable(Type.Integer({ minimum: 0 })),
  result_digest: nullable(Type.String()),
  error: nullable(Type.String({ description: 'Why it was not done, in a sentence' })),
  created_at: Timestamp,
  updated_at: Timestamp
})
export type CallRecord = Static<typeof CallRecord>

/** What is shown of an argument on a card: drawn by us, in no words of a model. */
export const ShownArgument = Type.Object(
  { name: Type.String(), description: Type.String(), value: Type.String() }, { title: 'ShownArgument' }
)
export type ShownArgument = Static<typeof ShownArgument>

/** A call in a list: without what it was done with. */
export const Call = Type.Omit(CallRecord, ['owner'], { title: 'Call' })
export type Call = Static<typeof Call>

/** A call with what it is done with, for those who decide about it. */
export const CallCard = Type.Composite([
  Call, Type.Object({ arguments: Type.Array(ShownArgument), result: nullable(Type.String()) })
], { title: 'CallCard' })
export type CallCard = Static<typeof CallCard>

/** What doing an action without a model takes: a form's values. */
export const CallDraft = Type.Object(
  { action: Id, arguments: Type.Optional(Arguments) },
  { ...closed, title: 'CallDraft', examples: [{ action: 1, arguments: { order_number: '1001' } }] }
)
export type CallDraft = Static<typeof CallDraft>

/** An action as a visitor is offered it: a button, and what its form asks for. */
export const OfferedForm = Type.Object({
  id: Id,
  title: Type.String({ description: 'What its button says' }),
  parameters: Type.Array(Type.Pick(Parameter, ['name', 'type', 'description', 'required', 'enum', 'max'], {
    title: 'OfferedParameter'
  }))
}, { title: 'OfferedForm' })
export type OfferedForm = Static<typeof OfferedForm>

/** Confirming or refusing: bound to what was shown. */
export const CallDecision = Type.Object(
  { digest: Type.String({ minLength: 1, maxLength: 64, description: 'The `digest` of the call as it was shown' }) },
  { ...closed, title: 'CallDecision', examples: [{ digest: 'pXhM0cWcO0f3h1mUqJz5HQ' }] }
)
export type CallDecision = Static<typeof CallDecision>

/** What importing takes: a document, or a connection of the kind `mcp`. */
export const ActionImport = Type.Object(
  {
    connection: Id,
    openapi: Type.Optional(Type.Union([
      Type.String({ minLength: 1, maxLength: 2_000_000, description: 'JSON or YAML' }),
      Type.Record(Type.String(), Type.Unknown())
    ], { description: 'An OpenAPI document, 3.0 or 3.1; without it the tools of an MCP server are read' })),
    operations: Type.Optional(Type.Array(Type.String({ maxLength: 200 }), {
      maxItems: 200,
      uniqueItems: true,
      description: 'The `key` of what is to be made of the plan; without it nothing is, and the plan is shown'
    }))
  },
  { ...closed, title: 'ActionImport', examples: [{ connection: 1, openapi: { openapi: '3.1.0', paths: {} } }] }
)
export type ActionImport = Static<typeof ActionImport>

/** One operation of a document, and what becomes of it. */
export const PlannedAction = Type.Object({
  key: Type.String({ description: 'What names it: `GET /orders/{id}`' }),
  name: Type.String(),
  title: Type.String(),
  effect: Effect,
  can_import: Type.Boolean(),
  notes: Type.Array(Type.String(), { description: 'What of it cannot be carried, and what is to be looked at' }),
  action: nullable(Type.Integer({ description: 'The action that was made of it' }))
}, { title: 'PlannedAction' })
export type PlannedAction = Static<typeof PlannedAction>
