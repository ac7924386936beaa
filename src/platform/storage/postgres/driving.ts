import pg from 'pg'
import type { Asker } from '../asking.ts'
import { PAUSE, type Asked, type Work } from '../work.ts'
import { tookTooLong } from './refusals.ts'

/** A response of PostgreSQL: rows in the order of their columns, and how many were returned or changed. */
export interface Answered { rows: unknown[][], names: string[], count: number }

const { builtins } = pg.types
/** All numeric types become numbers, and booleans 0 and 1, as in SQLite. */
const READ: ReadonlyMap<number, (text: string) => unknown> = new Map<number, (text: string) => unknown>([
  [builtins.INT8, Number], [builtins.NUMERIC, Number], [builtins.BOOL, (text) => Number(text === 't')]
])
/** How rows are read. */
export const reading = {
  getTypeParser: ((oid: number, format?: 'text') => READ.get(oid) ?? pg.types.getTypeParser(oid, format)) as never
}

/** Runs work over a connection, each step of it by `around`, while its caller still waits. */
export async function driven<T> (
  client: pg.ClientBase, work: () => Work<T>, asker: Asker, around = <R>(run: () => R): R => run()
): Promise<T> {
  const steps = around(() => work()[Symbol.iterator]())
  let taken = around(() => steps.next())
  while (!taken.done) {
    let answered: Answered
    try {
      if (asker.hasGone()) throw tookTooLong()
      if (taken.value === PAUSE) {
        await new Promise(setImmediate)
        taken = around(() => steps.next())
        continue
      }
      answered = await asked(client, taken.value)
      asker.heard()
    } catch (error) {
      taken = around(() => steps.throw!(error))
      continue
    }
    taken = around(() => steps.next(answered))
  }
  return taken.value
}

const numbers = new WeakMap<pg.ClientBase, number>()
let connections = 0

/** The number of a connection. Where several share a session, as in memory, a name is of one of them. */
function numberOf (client: pg.ClientBase): number {
  const known = numbers.get(client)
  if (known !== undefined) return known
  numbers.set(client, ++connections)
  return connections
}

async function asked (client: pg.ClientBase, { name, text, values }: Asked): Promise<Answered> {
  try {
    const { rows, fields, rowCount } = await client.query({
      ...(name && { name: `${name}_${numberOf(client)}` }), text, values, rowMode: 'array', types: reading
    })
    return { rows, names: fields.map(({ name }) => name), count: rowCount ?? 0 }
  } catch (error) {
    throw Object.assign(error as Error, { statement: text })
  }
}
