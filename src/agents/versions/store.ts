import type { AgentRecord, AgentSettings } from '../../../schema/agents.ts'
import type { Id } from '../../../schema/common.ts'
import type { Version, VersionSummary } from '../../../schema/versions.ts'
import type { IdempotencyKey, IdempotentResult } from '../../platform/storage/contract.ts'

/** Applies these settings to an agent; throws if they are not allowed. */
export type Replacing = (current: AgentRecord, settings: AgentSettings) => AgentRecord

/** The versions of agents. An agent or version that is missing, or somebody else's, is `undefined`. */
export interface VersionStore {
  version (owner: Id, id: Id, number: number): Promise<Version | undefined>
  /** Those before a number, newest first. */
  versions (owner: Id, id: Id, before: number, limit: number): Promise<VersionSummary[] | undefined>
  /**
   * Publishes the draft. Refuses with `precondition_failed` if it is not one of `drafts`, and with `nothing_to_publish`
   * if it is already live.
   */
  publish (
    owner: Id, id: Id,
    publishing: { note?: string | undefined, drafts?: ReadonlyArray<string | undefined>, reason?: string | null },
    once?: IdempotencyKey
  ): Promise<IdempotentResult<Version> | undefined>
  /**
   * Publishes the contents of a version again, as a new version. An unpublished draft stays; otherwise the published
   * settings are also the draft. Refuses as `publish`.
   */
  publishVersion (
    owner: Id, id: Id, number: number, again: { note?: string | undefined, change: Replacing }, once?: IdempotencyKey
  ): Promise<IdempotentResult<Version> | undefined>
  /** Makes a version's contents the draft; an unpublished draft that it replaces is stored for a while. */
  restore (owner: Id, id: Id, number: number, change: Replacing): Promise<Version | undefined>
}
