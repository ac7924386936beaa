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
  key_hint: Type.String({ description: 'The end of its key; empty without one, and of a short one' }),
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
      Type.String({ maxLength: 500, pattern: '^https?://[^\\s]+$', examples: ['https://models.example.com/v1'] })
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

const perMillion = (of: string) => Type.Number({ description: `A million tokens ${of}, in the currency of the price list` })

/** Models that answer: of the account itself, or of the server. */
export const LanguageModel = Type.Object({
  models: Type.Array(pattern, { description: 'Their names, or patterns with *' }),
  name: Type.String({ description: "What the account calls its provider; empty for the server's" }),
  provider: ProviderKind,
  is_own: Type.Boolean({ description: 'The account brings and pays for it itself' }),
  is_usable: Type.Boolean({ description: 'Whether the tier of the account may use it' }),
  price: Type.Unsafe<{ input: number, output: number } | null>(Type.Union([
    Type.Object({ input: perMillion('that it reads'), output: perMillion('that it writes') }), Type.Null()
  ], { description: 'null where no price is known' })),
  context: nullable(Type.Integer({ description: 'Tokens that it can read and write together; null where that is not known' })),
  used: Type.Array(Type.String(), { description: 'Models that agents ask for and that are answered here' })
}, { title: 'LanguageModel' })
export type LanguageModel = Static<typeof LanguageModel>

/** Which model is tried. */
export const ModelTrialDraft = Type.Object(
  { model: Type.String({ minLength: 1, maxLength: 128, pattern: '^[!-~](?:[ -~]*[!-~])?$', examples: ['gpt-4o-mini'] }) },
  { ...closed, title: 'ModelTrialDraft', examples: [{ model: 'gpt-4o-mini' }] }
)
export type ModelTrialDraft = Static<typeof ModelTrialDraft>

/** What a model said when it was tried, and what that took. */
export const ModelTrial = Type.Object({
  answers: Type.Boolean(),
  message: nullable(Type.String({ description: 'Why it does not answer; null where it does' })),
  model: Type.String({ description: 'Which one answered: another than the one asked for where that fell back' }),
  text: Type.String({ description: 'Its first words' }),
  first_ms: nullable(Type.Integer({ description: 'Milliseconds until the first word' })),
  input_tokens: Type.Integer(),
  output_tokens: Type.Integer(),
  cost: nullable(Type.Number({ description: 'In the currency of the price list; null where no price is known' }))
}, { title: 'ModelTrial' })
export type ModelTrial = Static<typeof ModelTrial>
