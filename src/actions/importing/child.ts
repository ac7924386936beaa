import { runChild } from '../../platform/process/child.ts'
import { Refusal } from '../../platform/errors.ts'
import { plannedFromOpenapi } from './openapi.ts'

/** Reads a document, JSON or YAML, and returns what each of its operations becomes, or why there is nothing. */
export function * respond (document: string): Generator<unknown> {
  try {
    for (const operation of plannedFromOpenapi(document)) yield { operation }
    yield { isWhole: true }
  } catch (error) {
    // It throws nothing else.
    yield { error: (error as Refusal).details[0]!.message }
  }
}

/** The sandbox's side: the document on standard input, an operation a line on standard output. */
export const runOpenapiChild = async () => await runChild((input) => respond(input.toString()))
