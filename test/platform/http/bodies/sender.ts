import { readFileSync } from 'node:fs'

// Sends the files whose names it is told as JSON, and says how each was answered: `node sender.ts URL KEY`.
const [, , url, key] = process.argv
process.on('message', async (file: string) => {
  const answer = await fetch(url!, {
    method: 'POST',
    headers: { 'content-type': 'application/json', authorization: `Api-Key ${key}` },
    body: readFileSync(file)
  })
  const { error } = await answer.json() as { error?: { code: string } }
  process.send!(error?.code ?? answer.status)
})
process.send!('ready')
