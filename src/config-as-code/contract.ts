import type { ConfigKind, Managed } from '../../schema/config.ts'

/** Fields by their names, as files spell them. */
export type Form = Record<string, unknown>

/** What a file says of one object. */
export interface Declared {
  kind: ConfigKind
  /** Its unique place among everything in files: `agents/support/sources/returns`. */
  place: string
  key: string
  /** The place of its parent: for a source its agent, for an action its connection. */
  parent?: string
  /** Its previous key. */
  was?: string
  isLocked: boolean
  file: string
  /** Where in the file: `agents/support/sources.yaml:3:5`. */
  at: string
  /** The fields in the file; others stay as they are. */
  form: Form
  /** Fields reset to their defaults, as dotted paths. */
  unset: string[]
  /** For a source: the file with its text or bytes, or the resulting text. */
  content?: { path: string } | { text: string }
}

/** The content of all files together. */
export interface DeclaredFiles { manage: Managed[], objects: Declared[] }
