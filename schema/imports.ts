import { Type, type Static } from '@sinclair/typebox'
import { Id, Timestamp, closed, nullable, oneOf } from './common.ts'
import type { ImportReason } from './import-reasons.ts'

/** Of which products exports are understood. */
export const IMPORT_KINDS = [
  'openai', 'dify', 'captain', 'flowise', 'typebot', 'articles', 'chatbase', 'mkdocs', 'confluence', 'helpscout', 'notion'
] as const
export const ImportKind = oneOf(IMPORT_KINDS, {
  description: '`openai`: Assistants; `captain`: of Chatwoot; `articles`: of Zendesk or Intercom; `helpscout`: Docs'
})
export type ImportKind = Static<typeof ImportKind>

/** What became of a part of a file. */
export const IMPORT_OUTCOMES = ['carried', 'changed', 'not_carried', 'ignored'] as const
const Outcome = oneOf(IMPORT_OUTCOMES, {
  description: '`changed`: carried, and not quite as it was; `not_carried`: see `why`, which says what to do; `ignored`: ids and the like'
})

/** How far an import has come. */
export const ImportState = oneOf(['read', 'planned', 'applied', 'failed'], {
  description: '`read`: the files are here and are looked into; `planned`: see `plan` and `report`; `failed`: see `error`'
})
export type ImportState = Static<typeof ImportState>

/** A line of the report. */
export const ImportItem = Type.Object({
  at: Type.String({ description: 'The place in the files', examples: ['shop.yml/model_config/pre_prompt'] }),
  outcome: Outcome,
  to: nullable(Type.String({ description: 'Where it is now', examples: ['systemPrompt'] })),
  why: nullable(Type.String({ description: 'Why it is not as it was, and what to do about it' })),
  reason: Type.Optional(Type.Unsafe<{ code: ImportReason, values: Record<string, string> } | null>({
    anyOf: [
      Type.Object({
        code: Type.String({ examples: ['cut'] }), values: Type.Record(Type.String(), Type.String(), { examples: [{ n: '4,000' }] })
      }),
      Type.Null()
    ],
    description: '`why` by a code, with what its sentence puts in, for who says it in another language; null where it has none. Absent of imports from before there were codes'
  })),
  value: nullable(Type.String({ description: 'What it was, where it is nowhere else now; its first 500 characters. The downloaded report has all of it' }))
}, { title: 'ImportItem' })
export type ImportItem = Static<typeof ImportItem>

const count = (description: string) => Type.Integer({ minimum: 0, description })

/** An agent of a plan. */
export const ImportAgent = Type.Object({
  name: Type.String(),
  agent: nullable(Id, { description: 'The agent that it becomes or has become; null: a new one' }),
  system_prompt: Type.String({ description: 'Its first 2,000 characters' }),
  sources: Type.Array(Type.Object({
    title: Type.String(), type: Type.String(), folder: Type.Array(Type.String())
  }), { description: 'The first 200 of them' }),
  source_count: count('Sources'),
  question_count: count('Test questions'),
  actions: Type.Array(Type.String(), { description: 'What it could do; switched off until somebody has looked at it' })
}, { title: 'ImportAgent' })
export type ImportAgent = Static<typeof ImportAgent>

/** What an import would make. */
export const ImportPlan = Type.Object({ agents: Type.Array(ImportAgent) }, { title: 'ImportPlan' })
export type ImportPlan = Static<typeof ImportPlan>

/** How many parts of the files had which outcome. */
const Counts = Type.Object({
  carried: count('Carried'), changed: count('Carried, changed'), not_carried: count('Not carried'), ignored: count('Ignored')
}, { title: 'ImportCounts' })
export type ImportCounts = Static<typeof Counts>

/** Why nothing can be made of the files. */
const ImportError = Type.Object({ code: Type.String(), message: Type.String() }, { title: 'ImportError' })

/** What another product exported, on its way to become agents; in a list without its plan and report. */
export const ImportSummary = Type.Object({
  id: Id,
  files: Type.Array(Type.String(), { description: 'The names of the files that were sent' }),
  bytes: count('Bytes of the files'),
  from: nullable(ImportKind, { description: 'What the files were said to be; null: it is told from them' }),
  kind: nullable(ImportKind, { description: 'What they are' }),
  state: ImportState,
  error: nullable(ImportError),
  counts: nullable(Counts),
  agents: Type.Array(Id, { description: 'The agents that were made or changed' }),
  expires_at: nullable({ ...Timestamp, description: 'When the files are deleted; null: they are. The report stays' }),
  applied_at: nullable(Timestamp),
  created_at: Timestamp,
  updated_at: Timestamp
}, { title: 'ImportSummary' })
export type ImportSummary = Static<typeof ImportSummary>

export const Import = Type.Composite([ImportSummary, Type.Object({
  plan: nullable(ImportPlan),
  report: Type.Array(ImportItem, { description: 'What is to be looked at first, 1,000 lines at most; the downloaded one has all' })
})], { title: 'Import' })
export type Import = Static<typeof Import>

/** What applying takes. */
export const ImportApply = Type.Object({
  agent: Type.Optional(nullable(Id, {
    description: 'The agent that all of it goes into; null: a new one, even where an earlier import of the same made one. Without it what came from the same place before is changed, and anything else is new'
  }))
}, { ...closed, title: 'ImportApply', examples: [{ agent: 1 }] })
export type ImportApply = Static<typeof ImportApply>

/** Files as a form carries them, for the document alone. */
export const ImportForm = Type.Object({
  file: Type.Array(Type.Unsafe<string>({ type: 'string', format: 'binary' }), {
    minItems: 1, maxItems: 10, description: 'Each file as a part of this name; a zip archive holds folders'
  }),
  kind: Type.Optional(oneOf(['auto', ...IMPORT_KINDS], { description: '`auto` unless said' }))
}, { title: 'ImportUpload' })

/** An uploaded file: its bytes, sealed. */
export interface ImportFileKept { name: string, bytes: number, blob: Id }

/** An import as it is kept; `shown` and `report` are blobs. */
export interface ImportRecord {
  id: Id
  owner: Id
  files: ImportFileKept[]
  bytes: number
  from: ImportKind | null
  kind: ImportKind | null
  state: ImportState
  error: { code: string, message: string } | null
  counts: ImportCounts | null
  agents: Id[]
  shown: Id | null
  report: Id | null
  expires_at: string | null
  applied_at: string | null
  created_at: string
  updated_at: string
}
