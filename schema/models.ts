import { Type, type Static } from '@sinclair/typebox'
import { Id, Timestamp, closed, nullable, oneOf } from './common.ts'

/** Whose models they are: `openai-compatible` is any server that speaks OpenAI's protocol. */
export const ProviderKind = oneOf(['openai', 'anthropic', 'openai-compatible'])
export type ProviderKind = Static<typeof ProviderKind>

const pattern = Type.String({ minLength: 1, maxLength: 128, pattern: '^[\\x20-\\x7e]+$', examples: ['gpt-*'] })

/** A provider of language models that an account brings itself. */
export const ModelProviderRecord = Type.Object({
  id: Id,
  owner: Id,
  name: Type.String({ minLength: 1, maxLength: 80, examples: ['Our OpenAI account'] }),
  provider: ProviderKind,
  url: Type.String({ description: 'Where it is asked' }),
  models: Type.Array(pattern, { description: 'Names of the models that are asked there, or patterns with *' }),
  /** The last characters of the key, to tell it from others. */
  key_hint: Type.String({ description: 'The end of its key; empty without one' }),
  /** What the key is sealed with; null without a key. */
  secret: nullable(Type.Integer()),
  key: Type.Unsafe<Buffer | null>({}),
  created_at: Timestamp
})
export type ModelProviderRecord = Static<typeof ModelProviderRecord>

/** A provider as answers show it: never with its key. */
export const ModelProvider = Type.Omit(ModelProviderRecord, ['owner', 'secret', 'key'], { title: 'ModelProvider' })
export type ModelProvider = Static<typeof ModelProvider>

/** `url` is needed for what is openai-compatible; the others have one of their own. */
export const ModelProviderDraft = Type.Object(
  {
    name: ModelProviderRecord.properties.name,
    provider: ProviderKind,
    url: Type.Optional(
      Type.String({ maxLength: 500, pattern: '^https://[^\\s]+$', examples: ['https://models.example.com/v1'] })
    ),
    key: Type.Optional(
      Type.String({
        minLength: 1, maxLength: 500, pattern: '^[\\x21-\\x7e]+$', description: 'Kept sealed; never shown again'
      })
    ),
    models: Type.Array(pattern, {
      minItems: 1,
      maxItems: 50,
      uniqueItems: true,
      description: 'Names of the models that are asked there, or patterns with *'
    })
  },
  {
    ...closed,
    title: 'ModelProviderDraft',
    examples: [{ name: 'Our OpenAI account', provider: 'openai', key: 'sk-example', models: ['gpt-*'] }]
  }
)
export type ModelProviderDraft = Static<typeof ModelProviderDraft>
