import { hash } from 'node:crypto'
import type { FastifyRequest } from 'fastify'
import { Type } from '@sinclair/typebox'
import { Refusal } from '../../errors.ts'
import type { Match } from '../../storage/contract.ts'
import { wantedTags } from '../answers.ts'

/** Documentation of a route's 304. */
export const Unchanged = Type.Null({ description: 'Not modified: the ETag in If-None-Match still matches' })

/**
 * The entity tag of a thing: of what people set, which If-Match compares, and of whatever else is shown, which changes
 * on its own.
 */
export function tagOf (set: object, shown: object = {}): string {
  return `${beginning(set)}${digest(shown)}"`
}

const beginning = (set: object) => `"${digest(set)}-`

function digest (of: object): string {
  const named = Object.entries(of).toSorted(([a], [b]) => (a < b ? -1 : 1))
  return hash('sha256', JSON.stringify(named), 'base64url').slice(0, 12)
}

/**
 * Compares a thing (`what`: "The webhook") with the If-Match of a request, in the transaction that changes it. `setOf`
 * is what people set of it, from which its tag was made.
 */
export function matching<T extends object> (
  request: FastifyRequest, what: string, setOf: (now: T) => object = (now) => now
): Match<T> {
  const wanted = wantedTags(request)
  return (now) => demandTag(wanted, () => beginning(setOf(now)), what)
}

/**
 * Refuses with `precondition_failed` where If-Match names tags (`wanted`) and none of them begins like the tags of the
 * thing's current state.
 */
export function demandTag (wanted: readonly string[] | undefined, begins: () => string, what: string): void {
  if (!wanted || wanted.some((tag) => tag === '*' || (tag.startsWith(begins()) && tag.endsWith('"')))) return
  throw new Refusal(
    'precondition_failed',
    `${what} has changed since you read it. Read it again, redo your change and send its new ETag.`
  )
}

/** Identifies the version of a thing: by its entity tag, and in the transaction that changes or removes it. */
export interface Version<Shown, Match> {
  tag (shown: Shown, request: FastifyRequest): string
  /** Returns the function that compares the thing with the If-Match of a request. */
  match (request: FastifyRequest): Match
}

/** The version of a thing (`what`: "The webhook") of which people set what `setOf` returns; everything by default. */
export function versionOf<T extends object> (what: string, setOf?: (now: T) => object): Version<T, Match<T>> {
  return {
    tag: (now) => setOf ? tagOf(setOf(now), now) : tagOf(now),
    match: (request) => matching(request, what, setOf)
  }
}
