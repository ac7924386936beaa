import { readFileSync } from 'node:fs'

// Sends files as JSON to the addresses it is told, and says how each was answered: `node sender.ts KEY`.
const [, , key] = process.argv
process.on('message', async ([url, file]: [string, string]) => {
  const answer = await fetch(url, {
    method: 'POST',
    headers: { 'content-type': 'application/json', authorization: `Api-Key ${key}` },
    body: readFileSync(file)
  })
  const { error } = await answer.json() as { error?: { code: string } }
  process.send!(error?.code ?? answer.status)
})
process.send!('ready')
