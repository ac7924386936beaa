import t from 'tap'
import { client, cycles, scratch, seeded, serve } from './tools/server.ts'

const QUESTIONS = 60

t.test('kill -9 while questions are asked and drafts published: each question has one result, and what is acknowledged is live', async (t) => {
  const directory = scratch(t)
  const random = seeded(24)
  let key = ''
  let run = 0
  let live = 'Version 0'
  let acknowledged = 1
  for (let kills = 0; kills < cycles(4); kills++) {
    const server = await serve(directory)
    key = server.key ?? key
    const send = client(server.address, key)
    if (run === 0) {
      await send('POST', '/v1/agents', { name: 'Ada', systemPrompt: 'You help.', description: live, publish_on_save: false })
      const rows = Array.from({ length: QUESTIONS }, (_, i) => `What is number ${i} of the unladen swallow?,true,false`)
      await send('POST', '/v1/agents/1/questions/import', { csv: `text,unknown,blocking\n${rows.join('\n')}` })
      run = Number((await send('POST', '/v1/agents/1/runs', { of: 'live' })).body.data.id)
    }
    const { promise: begun, resolve: isPublished } = Promise.withResolvers<void>()
    const publishing = (async () => {
      for (let i = 0; ; i++) {
        const description = `Version ${kills}-${i}`
        await send('PUT', '/v1/agents/1', { description })
        const { status, body } = await send('POST', '/v1/agents/1/publish', {})
        if (status !== 201) continue
        ;[acknowledged, live] = [Number((body.data as { number?: number }).number), description]
        isPublished()
      }
    })()
    const ended = publishing.catch(() => undefined)
    // However slow the machine is, something is published before each kill.
    await Promise.race([begun, ended])
    await new Promise((resolve) => setTimeout(resolve, random() * 400))
    await server.kill()
    await ended
  }
  const server = await serve(directory)
  const send = client(server.address, key)
  const read = async (path: string) => (await send('GET', path)).body.data as Record<string, any>
  const agent = await read('/v1/agents/1')
  const version = await read(`/v1/agents/1/versions/${agent.live_version}`)
  t.ok(acknowledged > 1, 'drafts were published')
  t.ok(agent.live_version >= acknowledged, `version ${agent.live_version}, ${acknowledged} was acknowledged`)
  if (agent.live_version === acknowledged) t.equal(version.settings.description, live)
  t.equal(version.state, 'live')
  for (let number = 1; number <= agent.live_version; number++) {
    t.equal((await send('GET', `/v1/agents/1/versions/${number}`)).status, 200, 'each version is whole')
  }
  let done = await read(`/v1/agents/1/runs/${run}`)
  while (done.state !== 'done') {
    await new Promise((resolve) => setTimeout(resolve, 100))
    done = await read(`/v1/agents/1/runs/${run}`)
  }
  t.match(done, { total: QUESTIONS, passed: QUESTIONS })
  t.equal(new Set(done.results.map(({ question }: { question: number }) => question)).size, QUESTIONS)
  await server.stop()
})
