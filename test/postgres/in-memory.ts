/* Serves an in-memory PostgreSQL, for as long as its standard input is open; prints its address. */
import { PGlite } from '@electric-sql/pglite'
import { PGLiteSocketServer } from '@electric-sql/pglite-socket'

const server = new PGLiteSocketServer({ db: await PGlite.create(), port: 0, host: '127.0.0.1', maxConnections: 50 })
server.addEventListener('listening', (event) => {
  const { port } = (event as CustomEvent<{ port: number }>).detail
  process.stdout.write(`postgres://postgres@127.0.0.1:${port}/postgres\n`)
})
await server.start()
process.stdin.resume()
process.stdin.on('end', () => process.exit())
