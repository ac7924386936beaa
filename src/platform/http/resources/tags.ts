import { hash } from 'node:crypto'
import type { FastifyRequest } from 'fastify'
import { Type } from '@sinclair/typebox'
import { Refusal } from '../../errors.ts'
import type { Match } from '../../storage/contract.ts'
import { wantedTags } from '../answers.ts'

/** What a route says of 304 in the document. */
export const Unchanged = Type.Null({ description: 'What If-None-Match names is still right' })

/**
 * The entity tag of a thing: of what people set, which If-Match compares, and of what else is shown, which moves by
 * itself.
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
 * What compares a thing (`what`: "The webhook") with the If-Match of a request, in the transaction that changes it.
 * `setOf` is what people set of it, as its tag has been made of.
 */
export function matching<T extends object> (
  request: FastifyRequest, what: string, setOf: (now: T) => object = (now) => now
): Match<T> {
  const wanted = wantedTags(request)
  return (now) => demandTag(wanted, () => beginning(setOf(now)), what)
}

/**
 * Refuses with `precondition_failed` where If-Match names tags (`wanted`) and none of them begins as every tag of the
 * thing does as it stands.
 */
export function demandTag (wanted: readonly string[] | undefined, begins: () => string, what: string): void {
  if (!wanted || wanted.some((tag) => tag === '*' || (tag.startsWith(begins()) && tag.endsWith('"')))) return
  throw new Refusal(
    'precondition_failed',
    `${what} has changed since you read it. Read it again, redo your change and send its new ETag.`
  )
}

/** How a thing is known again: by its entity tag, and in the transaction that changes or removes it. */
export interface Version<Shown, Match> {
  tag (shown: Shown, request: FastifyRequest): string
  /** What compares the thing with the If-Match of a request. */
  match (request: FastifyRequest): Match
}

/** The version of a thing (`what`: "The webhook") of which people set what `setOf` tells: without it everything. */
export function versionOf<T extends object> (what: string, setOf?: (now: T) => object): Version<T, Match<T>> {
  return {
    tag: (now) => setOf ? tagOf(setOf(now), now) : tagOf(now),
    match: (request) => matching(request, what, setOf)
  }
}
