import { MessageChannel, receiveMessageOnPort, Worker } from 'node:worker_threads'
import { inPostgres } from '../../src/platform/storage/postgres/dialect.ts'

/** Runs statements one after the other on its own connection, and signals each by a number that is waited for. */
const WORKER = `
const { workerData: { address, port, signal } } = require('node:worker_threads')
const pg = require(${JSON.stringify(import.meta.resolve('pg'))}.replace('file://', ''))
const { builtins } = pg.types
const read = { [builtins.INT8]: Number, [builtins.NUMERIC]: Number, [builtins.BOOL]: (text) => Number(text === 't') }
const types = { getTypeParser: (oid, format) => read[oid] ?? pg.types.getTypeParser(oid, format) }
const client = new pg.Client({ connectionString: address })
const connected = client.connect()
port.on('message', async ({ text, values }) => {
  let answer
  try {
    await connected
    const given = values.map((value) => value instanceof Uint8Array ? Buffer.from(value) : value)
    const { rows, fields = [], rowCount } = [await client.query({ text, values: given, rowMode: 'array', types })].flat().at(-1)
    answer = { rows, names: fields.map(({ name }) => name), count: rowCount ?? 0 }
  } catch (error) {
    answer = { error: error.message + ' in ' + text }
  }
  port.postMessage(answer)
  Atomics.store(signal, 0, 1)
  Atomics.notify(signal, 0)
})
`

interface Answer { rows: unknown[][], names: string[], count: number, error?: string }

/** A PostgreSQL database as a test inspects it: synchronously, with the API of better-sqlite3. */
export function rawOf (address: string) {
  const { port1: port, port2 } = new MessageChannel()
  const signal = new Int32Array(new SharedArrayBuffer(4))
  const worker = new Worker(WORKER, { eval: true, workerData: { address, port: port2, signal }, transferList: [port2] })
  worker.unref()
  port.unref()

  function ask (statement: string, values: unknown[]): Answer {
    const { text, names } = inPostgres(statement)
    const flat = values.flat()
    const given = names.length > 0 ? names.map((name) => (flat[0] as Record<string, unknown>)[name]) : flat
    Atomics.store(signal, 0, 0)
    port.postMessage({ text, values: given.map((value) => typeof value === 'boolean' ? Number(value) : value ?? null) })
    // What woke the previous waiter may wake this one, too.
    while (Atomics.load(signal, 0) === 0) Atomics.wait(signal, 0, 0)
    const { message } = receiveMessageOnPort(port) as { message: Answer }
    if (message.error) throw new Error(message.error)
    for (const row of message.rows) {
      for (const [at, value] of row.entries()) if (value instanceof Uint8Array) row[at] = Buffer.from(value)
    }
    return message
  }

  function prepare (statement: string) {
    const made = (shape: 'objects' | 'rows' | 'column') => {
      const all = (...values: unknown[]) => {
        const { rows, names } = ask(statement, values)
        if (shape === 'rows') return rows
        if (shape === 'column') return rows.map(([value]) => value)
        return rows.map((row) => Object.fromEntries(row.map((value, at) => [names[at]!, value])))
      }
      return {
        all,
        get: (...values: unknown[]) => all(...values)[0],
        iterate: (...values: unknown[]) => all(...values)[Symbol.iterator](),
        columns: () => ask(`select * from (${statement}) as asked limit 0`, []).names.map((name) => ({ name })),
        run: (...values: unknown[]) => ({ changes: ask(statement, values).count }),
        pluck: () => made('column'),
        raw: () => made('rows')
      }
    }
    return made('objects')
  }

  return {
    address,
    prepare,
    exec: (text: string) => { for (const one of text.split(';')) if (one.trim()) ask(one, []) },
    transaction: (work: () => unknown) => work,
    pragma: () => undefined,
    close: async () => { await worker.terminate() }
  }
}
