import type { ActionDraft, ConnectionDraft } from '../../schema/actions.ts'
import type { AgentPatch } from '../../schema/agents.ts'
import type { Item, Ledger } from './ledger.ts'

/**
 * A source to make: a text, questions and answers as one text, an address, or a file in base64. `key`: what names it in
 * the place that it is from, so that it is known again. `folder`: the names of the folders that it is in, from the
 * top;
 * `asks`: the questions that it answers, of which test questions are made.
 */
export type PlannedSource = { key: string, title: string, folder?: string[], asks?: string[] } & (
  { type: 'text' | 'faq', text: string } | { type: 'website', url: string } | { type: 'docs', name: string, file: string }
)

/** Something to do in another system; it is made switched off. */
export interface PlannedAction {
  key: string
  connection: Pick<ConnectionDraft, 'name' | 'base_url'>
  draft: Omit<ActionDraft, 'connection' | 'enabled'>
}

/**
 * An agent to make. `key`: what names it in the place that it is from. `assumed`: what the file did not say of it,
 * which
 * an agent that is there already keeps.
 */
export interface PlannedAgent {
  key: string
  fields: AgentPatch & { name: string, systemPrompt: string }
  assumed?: Array<'name' | 'systemPrompt'>
  sources: PlannedSource[]
  actions?: PlannedAction[]
}

/** What a file becomes here; nothing is made yet. */
export interface Plan { kind: string, agents: PlannedAgent[], report: Item[] }

/** A file of an export. `value`: what is in it, where it is JSON or YAML. */
export interface ImportFile { name: string, bytes: Buffer, value?: unknown }

/** A kind of export. */
export interface Kind {
  name: string
  /** As people know it. */
  title: string
  detect (files: ImportFile[]): boolean
  read (files: ImportFile[], ledger: Ledger): PlannedAgent[]
}
