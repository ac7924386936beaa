import type { ActionDraft, ConnectionDraft } from '../../schema/actions.ts'
import type { AgentPatch } from '../../schema/agents.ts'
import type { Item, Ledger } from './ledger.ts'

/**
 * A source to create: a text, questions and answers as one text, an address, or a file in base64. `key`: its id in the
 * product it comes from, by which it is recognised again. `folder`: the names of its folders, from the top; `asks`: the
 * questions that it answers, from which test questions are made.
 */
export type PlannedSource = { key: string, title: string, folder?: string[], asks?: string[] } & (
  { type: 'text' | 'faq', text: string } | { type: 'website', url: string } | { type: 'docs', name: string, file: string }
)

/** An action to create in another system; created switched off. */
export interface PlannedAction {
  key: string
  connection: Pick<ConnectionDraft, 'name' | 'base_url'>
  draft: Omit<ActionDraft, 'connection' | 'enabled'>
}

/**
 * An agent to create. `key`: its id in the product it comes from. `assumed`: fields that the file did not contain,
 * which an existing agent keeps.
 */
export interface PlannedAgent {
  key: string
  fields: AgentPatch & { name: string, systemPrompt: string }
  assumed?: Array<'name' | 'systemPrompt'>
  sources: PlannedSource[]
  actions?: PlannedAction[]
}

/** What a file would become; nothing is created yet. */
export interface Plan { kind: string, agents: PlannedAgent[], report: Item[] }

/** A file of an export. `value`: its parsed contents, if it is JSON or YAML. */
export interface ImportFile { name: string, bytes: Buffer, value?: unknown }

/** A kind of export. */
export interface Kind {
  name: string
  /** The product's display name. */
  title: string
  detect (files: ImportFile[]): boolean
  read (files: ImportFile[], ledger: Ledger): PlannedAgent[]
}
