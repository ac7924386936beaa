import type { ConfigKind, Managed } from '../../schema/config.ts'

/** Fields by their names, as files spell them. */
export type Form = Record<string, unknown>

/** What a file says of one object. */
export interface Given {
  kind: ConfigKind
  /** What names it among all that files hold: `agents/support/sources/returns`. */
  place: string
  key: string
  /** The place of what it belongs to: of a source its agent, of an action its connection. */
  parent?: string
  /** The key that it had before. */
  was?: string
  isLocked: boolean
  file: string
  /** Where in the file: `agents/support/sources.yaml:3:5`. */
  at: string
  /** What the file says; what it does not say stays as it is. */
  form: Form
  /** Fields that get their defaults, dotted. */
  unset: string[]
  /** Of a source: the file with its text or bytes, or its text as it became. */
  content?: { path: string } | { text: string }
}

/** What all files say together. */
export interface GivenFiles { manage: Managed[], objects: Given[] }
