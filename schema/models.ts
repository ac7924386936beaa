import { Type, type Static } from '@sinclair/typebox'
import { Id, Timestamp, closed, nullable, oneOf, title } from './common.ts'

/** The provider's kind: `openai-compatible` is any server that speaks OpenAI's protocol. */
export const ProviderKind = oneOf(['openai', 'anthropic', 'openai-compatible'])
export type ProviderKind = Static<typeof ProviderKind>

const pattern = Type.String({ minLength: 1, maxLength: 128, pattern: '^[\\x20-\\x7e]+$', examples: ['gpt-*'] })

/** A provider of language models that an account configures itself. */
export const ModelProviderRecord = Type.Object({
  id: Id,
  owner: Id,
  name: title(80, { examples: ['Our OpenAI account'] }),
  provider: ProviderKind,
  url: Type.String({ description: 'Base URL of its API' }),
  models: Type.Array(pattern, { description: 'Names of the models it serves, or patterns with *' }),
  /** The last characters of the key, to tell it from others. */
  key_hint: Type.String({ description: 'Last characters of its key; empty if there is no key or the key is short' }),
  /** The id of the secret that seals the key; null without a key. */
  secret: nullable(Type.Integer()),
  key: Type.Unsafe<Buffer | null>({}),
  created_at: Timestamp
})
export type ModelProviderRecord = Static<typeof ModelProviderRecord>

/** A provider as responses show it, never with its key. */
export const ModelProvider = Type.Omit(ModelProviderRecord, ['owner', 'secret', 'key'], { title: 'ModelProvider' })
export type ModelProvider = Static<typeof ModelProvider>

/** `url` is required for `openai-compatible`; the others have their own. */
export const ModelProviderDraft = Type.Object(
  {
    name: ModelProviderRecord.properties.name,
    provider: ProviderKind,
    url: Type.Optional(
      Type.String({ maxLength: 500, pattern: '^https?://[^\\s]+$', examples: ['https://models.example.com/v1'] })
    ),
    key: Type.Optional(
      Type.String({
        minLength: 1, maxLength: 500, pattern: '^[\\x21-\\x7e]+$', description: 'Stored encrypted; never shown again'
      })
    ),
    models: Type.Array(pattern, {
      minItems: 1,
      maxItems: 50,
      uniqueItems: true,
      description: 'Names of the models it serves, or patterns with *'
    })
  },
  {
    ...closed,
    title: 'ModelProviderDraft',
    examples: [{ name: 'Our OpenAI account', provider: 'openai', key: 'sk-example', models: ['gpt-*'] }]
  }
)
export type ModelProviderDraft = Static<typeof ModelProviderDraft>

const perMillion = (of: string) => Type.Number({ description: `Price of one million ${of} tokens, in the currency of the price list` })

/** Models that answer: the account's own, or the server's. */
export const LanguageModel = Type.Object({
  models: Type.Array(pattern, { description: 'Model names, or patterns with *' }),
  name: Type.String({ description: "The account's name for the provider; empty for the server's own" }),
  provider: ProviderKind,
  is_own: Type.Boolean({ description: 'Whether the account configures and pays for it itself' }),
  is_usable: Type.Boolean({ description: 'Whether the account\'s tier allows it' }),
  price: Type.Unsafe<{ input: number, output: number } | null>(Type.Union([
    Type.Object({ input: perMillion('input'), output: perMillion('output') }), Type.Null()
  ], { description: 'null if no price is known' })),
  context: nullable(Type.Integer({ description: 'Context window: input and output tokens combined; null if unknown' })),
  used: Type.Array(Type.String(), { description: 'Models that agents request and that are served here' })
}, { title: 'LanguageModel' })
export type LanguageModel = Static<typeof LanguageModel>

/** Which model is tested. */
export const ModelTrialDraft = Type.Object(
  { model: Type.String({ minLength: 1, maxLength: 128, pattern: '^[!-~](?:[ -~]*[!-~])?$', examples: ['gpt-4o-mini'] }) },
  { ...closed, title: 'ModelTrialDraft', examples: [{ model: 'gpt-4o-mini' }] }
)
export type ModelTrialDraft = Static<typeof ModelTrialDraft>

/** The model's response to a test, and its usage. */
export const ModelTrial = Type.Object({
  answers: Type.Boolean(),
  message: nullable(Type.String({ description: 'Why it does not answer; null if it does' })),
  model: Type.String({ description: 'The model that answered; differs from the one requested after a fallback' }),
  text: Type.String({ description: 'First words of the response' }),
  first_ms: nullable(Type.Integer({ description: 'Milliseconds until the first word' })),
  input_tokens: Type.Integer(),
  output_tokens: Type.Integer(),
  cost: nullable(Type.Number({ description: 'In the currency of the price list; null if no price is known' }))
}, { title: 'ModelTrial' })
export type ModelTrial = Static<typeof ModelTrial>
