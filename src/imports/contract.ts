import type { AgentPatch } from '../../schema/agents.ts'
import type { Item, Ledger } from './ledger.ts'

/** A source to make: a text, questions and answers as one text, an address, or a file in base64. */
export type PlannedSource = { key: string, title: string } & (
  { type: 'text' | 'faq', text: string } | { type: 'website', url: string } | { type: 'docs', name: string, file: string }
)

/** An agent to make. */
export interface PlannedAgent {
  key: string
  fields: AgentPatch & { name: string, systemPrompt: string }
  sources: PlannedSource[]
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
