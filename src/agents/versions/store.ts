import type { AgentRecord, AgentSettings } from '../../../schema/agents.ts'
import type { Id } from '../../../schema/common.ts'
import type { Version, VersionSummary } from '../../../schema/versions.ts'
import type { Once, Outcome } from '../../platform/storage/contract.ts'

/** What becomes of an agent whose settings are to be these; throws where they may not be. */
export type Replacing = (current: AgentRecord, settings: AgentSettings) => AgentRecord

/** The versions of agents. An agent that is missing, or somebody else's, is `undefined`, and so is such a version. */
export interface VersionStore {
  version (owner: Id, id: Id, number: number): Promise<Version | undefined>
  /** Those before a number, newest first. */
  versions (owner: Id, id: Id, before: number, limit: number): Promise<VersionSummary[] | undefined>
  /**
   * Publishes the draft. Refuses with `precondition_failed` where it is another than one of `drafts` names, and with
   * `nothing_to_publish` where visitors are answered with it already.
   */
  publish (
    owner: Id, id: Id,
    publishing: { note?: string | undefined, drafts?: ReadonlyArray<string | undefined>, reason?: string | null },
    once?: Once
  ): Promise<Outcome<Version> | undefined>
  /**
   * Publishes what a version holds once more, as a new version. A draft that was not published stays one; where there
   * was none, what is published is also the draft. Refuses as `publish`.
   */
  publishVersion (
    owner: Id, id: Id, number: number, again: { note?: string | undefined, change: Replacing }, once?: Once
  ): Promise<Outcome<Version> | undefined>
  /** Makes what a version holds the draft; what was in it and is not published is kept for a while. */
  restore (owner: Id, id: Id, number: number, change: Replacing): Promise<Version | undefined>
}
