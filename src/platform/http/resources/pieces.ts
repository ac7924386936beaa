import type { TSchema } from '@sinclair/typebox'
import type { FastifyReply } from 'fastify'
import { takingTurns } from '../../work/slices.ts'

/** An answer of which a list may be long. */
interface LongList<Item> {
  /** The answer with that list empty. */
  envelope: object
  /** The name of the list. */
  name: string
  items: readonly Item[]
  schema: TSchema
}

/** Writes an answer as its route does, but a list in it piece by piece: others have their turn in between. */
export async function writtenInTurns<Item> (
  reply: FastifyReply, { envelope, name, items, schema }: LongList<Item>
): Promise<Buffer> {
  const turn = takingTurns()
  const serialise = serialiserOf<Item>(reply, schema)
  const [before, after] = aroundList(reply.serialize(envelope) as string, name)
  const made = [Buffer.from(before)]
  for (const [i, item] of items.entries()) {
    made.push(Buffer.from((i > 0 ? ',' : '') + serialise(item)))
    await turn()
  }
  return Buffer.concat([...made, Buffer.from(after)])
}

/**
 * The text before and after the items of an empty list in JSON. Quotes are escaped there: nothing else looks like the
 * list's name.
 */
export function aroundList (text: string, name: string): [before: string, after: string] {
  const place = `"${name}":[`
  const at = text.indexOf(place) + place.length
  return [text.slice(0, at), text.slice(at)]
}

/** Writes one thing of an answer as the whole of it would be written. */
export function serialiserOf<Item> (reply: FastifyReply, schema: TSchema): (item: Item) => string {
  return (reply.getSerializationFunction(schema) ?? reply.compileSerializationSchema(schema)) as (item: Item) => string
}
