import { execFileSync } from 'node:child_process'
import { readdirSync } from 'node:fs'
import { Agent, request } from 'node:http'
import { setTimeout as pause } from 'node:timers/promises'
import t from 'tap'
import { scratch, serve } from './tools/server.ts'

const NO_LIMITS = process.platform !== 'linux' && 'not Linux'

t.test('files that could not be opened for a while do not end training until a restart', { skip: NO_LIMITS }, async (t) => {
  const { child, address, key, stop } = await serve(scratch(t))
  t.teardown(stop)
  // One connection for everything: none can be opened meanwhile.
  const agent = new Agent({ keepAlive: true, maxSockets: 1 })
  t.teardown(() => agent.destroy())
  const ask = async (method: string, path: string, body?: object): Promise<any> => {
    const text = await new Promise<string>((resolve, reject) => {
      const headers = { authorization: `Api-Key ${key}`, ...(body && { 'content-type': 'application/json' }) }
      const sent = request(address + path, { method, agent, headers }, (answer) => {
        let all = ''
        answer.setEncoding('utf8').on('data', (piece: string) => { all += piece }).on('end', () => resolve(all))
      })
      sent.on('error', reject).end(body && JSON.stringify(body))
    })
    const { data, error } = JSON.parse(text)
    if (error) throw new Error(error.message)
    return data
  }
  const limit = (files: number) => execFileSync('prlimit', [`--pid=${child.pid}`, `--nofile=${files}:`])
  const { id } = await ask('POST', '/v1/agents/', { name: 'Ada', systemPrompt: 'You help.' })
  const sources = `/v1/agents/${id}/knowledge_sources`

  const open = new Set(readdirSync(`/proc/${child.pid}/fd`).map(Number))
  let free = 0
  while (open.has(free)) free++
  limit(free)
  // Tried now, and again after a while.
  await ask('POST', sources, { type: 'text', title: 'Returns', plain_text: 'Within 30 days.' })
  await pause(2000)
  limit(1024)
  const after = await ask('POST', sources, { type: 'text', title: 'Shipping', plain_text: 'Within 3 days.' })
  let [source] = after
  while (['Pending', 'Processing'].includes(source.training_status)) {
    await pause(100)
    source = await ask('GET', `${sources}/${after[0].id}`)
  }
  t.equal(source.training_status, 'Success')
})
