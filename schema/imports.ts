import { Type, type Static } from '@sinclair/typebox'
import { Id, Timestamp, closed, nullable, oneOf } from './common.ts'
import type { ImportReason } from './import-reasons.ts'

/** Products whose exports are supported. */
export const IMPORT_KINDS = [
  'openai', 'dify', 'captain', 'flowise', 'typebot', 'articles', 'chatbase', 'mkdocs', 'confluence', 'helpscout', 'notion'
] as const
export const ImportKind = oneOf(IMPORT_KINDS, {
  description: '`openai`: Assistants; `captain`: Chatwoot Captain; `articles`: articles from Zendesk or Intercom; `helpscout`: Help Scout Docs'
})
export type ImportKind = Static<typeof ImportKind>

/** The result of importing a part of a file. */
export const IMPORT_OUTCOMES = ['carried', 'changed', 'not_carried', 'ignored'] as const
const Outcome = oneOf(IMPORT_OUTCOMES, {
  description: '`carried`: imported as it was; `changed`: imported with changes; `not_carried`: not imported, and `why` says what to do; `ignored`: ids and the like'
})

/** The state of an import. */
export const ImportState = oneOf(['read', 'planned', 'applied', 'failed'], {
  description: '`read`: the files were received and are being analysed; `planned`: see `plan` and `report`; `failed`: see `error`'
})
export type ImportState = Static<typeof ImportState>

/** A line of the report. */
export const ImportItem = Type.Object({
  at: Type.String({ description: 'Where it is in the files', examples: ['shop.yml/model_config/pre_prompt'] }),
  outcome: Outcome,
  to: nullable(Type.String({ description: 'Where it was imported to', examples: ['systemPrompt'] })),
  why: nullable(Type.String({ description: 'Why it differs from the original, and what to do about it' })),
  reason: Type.Optional(Type.Unsafe<{ code: ImportReason, values: Record<string, string> } | null>({
    anyOf: [
      Type.Object({
        code: Type.String({ examples: ['cut'] }), values: Type.Record(Type.String(), Type.String(), { examples: [{ n: '4,000' }] })
      }),
      Type.Null()
    ],
    description: '`why` as a code with the values that its sentence contains, for translation into other languages; null if it has no code. Missing in imports older than these codes'
  })),
  value: nullable(Type.String({ description: 'The original value, if it is not kept anywhere else; its first 500 characters. The downloaded report has it in full' }))
}, { title: 'ImportItem' })
export type ImportItem = Static<typeof ImportItem>

const count = (description: string) => Type.Integer({ minimum: 0, description })

/** An agent of a plan. */
export const ImportAgent = Type.Object({
  name: Type.String(),
  agent: nullable(Id, { description: 'Agent that it is or was imported into; null: a new agent' }),
  system_prompt: Type.String({ description: 'Its first 2,000 characters' }),
  sources: Type.Array(Type.Object({
    title: Type.String(), type: Type.String(), folder: Type.Array(Type.String())
  }), { description: 'The first 200 sources' }),
  source_count: count('Sources'),
  question_count: count('Test questions'),
  actions: Type.Array(Type.String(), { description: 'Its actions; off until somebody has reviewed them' })
}, { title: 'ImportAgent' })
export type ImportAgent = Static<typeof ImportAgent>

/** What an import would create. */
export const ImportPlan = Type.Object({ agents: Type.Array(ImportAgent) }, { title: 'ImportPlan' })
export type ImportPlan = Static<typeof ImportPlan>

/** How many parts of the files had which result. */
const Counts = Type.Object({
  carried: count('Imported'),
  changed: count('Imported with changes'),
  not_carried: count('Not imported'),
  ignored: count('Ignored')
}, { title: 'ImportCounts' })
export type ImportCounts = Static<typeof Counts>

/** Why nothing can be imported from the files. */
const ImportError = Type.Object({ code: Type.String(), message: Type.String() }, { title: 'ImportError' })

/** An import from another product; in a list without its plan and report. */
export const ImportSummary = Type.Object({
  id: Id,
  files: Type.Array(Type.String(), { description: 'Names of the uploaded files' }),
  bytes: count('Total size of the files in bytes'),
  from: nullable(ImportKind, { description: 'Kind given with the upload; null: detected from the files' }),
  kind: nullable(ImportKind, { description: 'Kind of the files' }),
  state: ImportState,
  error: nullable(ImportError),
  counts: nullable(Counts),
  agents: Type.Array(Id, { description: 'Agents that were created or changed' }),
  expires_at: nullable({ ...Timestamp, description: 'When the files are deleted; null: they were. The report is kept' }),
  applied_at: nullable(Timestamp),
  created_at: Timestamp,
  updated_at: Timestamp
}, { title: 'ImportSummary' })
export type ImportSummary = Static<typeof ImportSummary>

export const Import = Type.Composite([ImportSummary, Type.Object({
  plan: nullable(ImportPlan),
  report: Type.Array(ImportItem, { description: 'What needs attention first, at most 1,000 lines; the downloaded report has all' })
})], { title: 'Import' })
export type Import = Static<typeof Import>

/** Request to apply. */
export const ImportApply = Type.Object({
  agent: Type.Optional(nullable(Id, {
    description: 'Agent to import everything into; null: a new agent, even if an earlier import of the same files created one. If omitted, whatever came from the same place before is updated and everything else is created'
  }))
}, { ...closed, title: 'ImportApply', examples: [{ agent: 1 }] })
export type ImportApply = Static<typeof ImportApply>

/** Files as a form carries them, for the OpenAPI document alone. */
export const ImportForm = Type.Object({
  file: Type.Array(Type.Unsafe<string>({ type: 'string', format: 'binary' }), {
    minItems: 1, maxItems: 10, description: 'Each file as a part with this name; use a zip archive for folders'
  }),
  kind: Type.Optional(oneOf(['auto', ...IMPORT_KINDS], { description: 'Default: `auto`' }))
}, { title: 'ImportUpload' })

/** An uploaded file: its bytes, sealed. */
export interface ImportFileKept { name: string, bytes: number, blob: Id }

/** An import as stored; `shown` and `report` are blobs. */
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
