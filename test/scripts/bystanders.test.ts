import '../bare-children.ts'
import { fork } from 'node:child_process'
import { once } from 'node:events'
import http from 'node:http'
import path from 'node:path'
import t from 'tap'

/** Milliseconds for which the server does nothing. */
const HELD = 500

// Was wrong: what was asked while the hostile test collected the server's garbage could be answered after the figures
// were told, and be counted as what the attacks had done.
t.test('who is asked how long they waited tells it of all that they have asked until then', async (t) => {
  const server = http.createServer((_request, answer) => answer.end('{}')).listen(0, '127.0.0.1')
  await once(server, 'listening')
  t.teardown(() => server.close())
  const address = server.address()
  const port = typeof address === 'object' ? address?.port : undefined
  const script = path.join(import.meta.dirname, '../../scripts/bench/processes/bystanders.ts')
  const watcher = fork(script, [`http://127.0.0.1:${port}`, '[{}]', '10', '/healthz'])
  t.teardown(() => watcher.kill())
  await once(watcher, 'message')
  await once(server, 'request')

  Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, HELD)
  watcher.send('figures')
  const [{ most }] = await once(watcher, 'message')
  t.ok(most > HELD / 2, `${most} ms`)
})
