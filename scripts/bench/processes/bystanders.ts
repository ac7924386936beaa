import http from 'node:http'

/*
 * A separate process that sends requests as other users do while something heavy goes on: a list every few milliseconds
 * whether or not the one before has been answered, so that a server that stops for a while is late with everything that
 * came meanwhile.
 */
const [url = '', headers = '[]', everyMs = '10', asked = '/v1/agents/?limit=20', isBare = ''] = process.argv.slice(2)
const keys = JSON.parse(headers) as Array<Record<string, string>>
// At its own address, so that it does not share the limits of those being measured.
const agent = new http.Agent({ keepAlive: true, maxSockets: 64, localAddress: '127.0.0.9' })
let latencies: number[] = []
let turn = 0
/** Requests that are not answered yet. */
const asking = new Set<Promise<void>>()
let due = performance.now()

setInterval(() => {
  for (const now = performance.now(); due <= now; due += Number(everyMs)) ask(due)
}, 1)

function ask (since: number) {
  const { promise, resolve } = Promise.withResolvers<void>()
  asking.add(promise)
  send(since, () => {
    asking.delete(promise)
    resolve()
  })
}

function send (since: number, done: () => void) {
  const request = http.get(url + asked, { agent, headers: keys[turn++ % keys.length]! }, (answer) => {
    if (answer.statusCode !== 200) throw new Error(`${asked} was answered with ${answer.statusCode}.`)
    answer.resume().once('end', () => {
      latencies.push(performance.now() - since)
      done()
    })
  })
  // A connection that was idle may be closed by the server at the very moment it is used again. A bare server resets
  // new ones too where it gets no core for long.
  request.once('error', (error) => {
    if (!request.reusedSocket && isBare === '') throw new Error(`${url}${asked}: ${error.message}`, { cause: error })
    send(since, done)
  })
}

// Of everything asked until now: what waited for something else would count for what is measured next.
process.on('message', async () => {
  await Promise.all(asking)
  const sorted = latencies.sort((a, b) => a - b)
  latencies = []
  process.send!({
    asked: sorted.length,
    p50: sorted[Math.floor(sorted.length / 2)],
    p99: sorted[Math.floor(sorted.length * 0.99)],
    most: sorted.at(-1)
  })
})
process.on('disconnect', () => process.exit())
process.send!('asking')
