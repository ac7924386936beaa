import type { Id } from '../../../schema/common.ts'

/**
 * Where a job spends its time. Each lane has separate places, so that waiting for others never blocks other work:
 * `here`, with our own processor; `outside`, waiting for sites and services that may be as slow as they like.
 */
export type Lane = 'here' | 'outside'

/** Requested work: part of a decision, written in the commit that causes it. */
export interface JobRequest {
  kind: string
  /** Its subject. There is at most one job of a kind per subject. */
  subject: Id
  /** Whose work it is, so that owners take turns; 0 is the server's own. */
  owner: Id
  /** What the handler needs beside the subject; stored as JSON. */
  payload?: unknown
  /** Delay in milliseconds. */
  inMs?: number
  /** `here` unless said. */
  lane?: Lane
  /**
   * What happens to an existing job of this kind and subject. It is replaced, even if it is running: its result is no
   * longer wanted. With `unlessAsked` it stays and this request is dropped.
   */
  unlessAsked?: boolean
}

/** A claimed job. */
export interface Job {
  id: number
  kind: string
  subject: Id
  owner: Id
  payload: unknown
  /** How often it has been started, including this time. */
  attempt: number
}

/** A job that was given up. */
export interface DeadJob extends Omit<Job, 'attempt'> {
  attempts: number
  /** The last error, for the operator. */
  error: string | null
  /** Microseconds since 1970. */
  died: number
}

/** Result of a job: done, or to be retried in `againInMs`. `fresh`: as if it had never been tried. */
export type Result = { done: true } | { againInMs: number, fresh?: boolean }

/** Which jobs may be claimed: of these kinds, in this lane, of owners with fewer than `perOwner` running in it. */
export interface Claim { kinds: readonly string[], lane: Lane, perOwner: number }

/** Number of jobs in each state. */
export interface JobCounts { waiting: number, running: number, dead: number }

/** The durable queue, as the worker and operators see it. Every method is one transaction. */
export interface JobQueue {
  ask (requests: readonly JobRequest[]): Promise<void>
  /** At the start: frees what a dead process had claimed, if no other may be running. */
  recover (): Promise<void>
  /** Claims the next due job, of owners with the fewest running first, then in order of becoming due. */
  claim (claim: Claim): Promise<Job | undefined>
  /**
   * Says that jobs, and what else this process holds, are still being worked on. A job without a heartbeat for one
   * minute can be claimed again.
   */
  keepAlive (jobs: readonly Job[]): Promise<void>
  /** Puts a job back. `error` is kept for the operator. */
  retry (job: Job, again: { inMs: number, fresh?: boolean, error?: string }): Promise<void>
  /** Ends a job, unless it has already ended in the transaction of its effect. */
  finish (job: Job): Promise<void>
  /** Gives a job up: it is kept, can be listed and revived, and is not run. */
  bury (job: Job): Promise<void>
  /** Whether there may be something of these kinds to claim now. */
  isAnyDue (kinds: readonly string[]): Promise<boolean>
  counts (): Promise<JobCounts>
  /** Jobs that were given up, newest first, at most 100. */
  dead (): Promise<DeadJob[]>
  /** Revives a job that was given up. False when there is none. */
  revive (id: number): Promise<boolean>
  /** Calls back when a job may have become due in this process; returns a function to stop. */
  onAsked (callback: () => void): () => void
}
