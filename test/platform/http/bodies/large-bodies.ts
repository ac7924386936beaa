import { fork } from 'node:child_process'
import { once } from 'node:events'
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import path from 'node:path'
import { build, draft } from '../../../helper.ts'
import { longestOnce, longestTurn } from '../../../linear/turns.ts'

/*
 * A process of its own: the largest bodies that a route takes, one after the other, over a connection. Says for how
 * many milliseconds each held the event loop at one stretch, how it was answered, and how long the machine takes to put
 * such a text together, where there is one.
 */
const directory = mkdtempSync(path.join(tmpdir(), 'agenthall-'))
const endings: Array<() => unknown> = [() => rmSync(directory, { recursive: true })]
const { app, user } = await build({
  testdir: () => directory,
  teardown: (end) => { endings.unshift(end) },
  fail: (...[why]) => { throw new Error(String(why)) }
})
const me = await user()
const address = await app.listen({ port: 0, host: '127.0.0.1' })
const sender = fork(path.join(import.meta.dirname, 'sender.ts'), [me.key!])
endings.unshift(() => sender.kill())
await once(sender, 'message')

const MB = 1_000_000
const text = (part: string) => () => `{"plain_text":"${part.repeat(59 * MB / part.length)}"}`
const BODIES: Record<string, () => string> = {
  'a text': () => `{"plain_text":"${'long text '.repeat(MB / 10)}"}`,
  'a long text': text('long text '),
  'quotation marks': text('\\"'),
  'escaped letters': text('\\u0416'),
  blanks: () => `{"plain_text":${' '.repeat(59 * MB)}"x"}`,
  'fewer blanks': () => `{"plain_text":${' '.repeat(2 * MB)}"x"}`,
  'a number': () => `{"plain_text":1${'0'.repeat(59 * MB)}}`,
  'a number that is parsed': () => `{"plain_text":1${'0'.repeat(2 * MB)}}`,
  brackets: () => '[]'.repeat(29 * MB),
  'fewer brackets': () => `[${'[]'.repeat(4 * MB)}]`,
  lists: () => `{"urls":[${'1,'.repeat(29 * MB)}1]}`,
  'thousands of texts': () => JSON.stringify({
    faq: Array.from({ length: 4500 }, () => ({ question: 'q'.repeat(4000), answer: 'a'.repeat(4000) }))
  }),
  'thousands of short texts': () => JSON.stringify({
    faq: Array.from({ length: 4500 }, () => ({ question: 'q'.repeat(500), answer: 'a'.repeat(500) }))
  }),
  'more texts than values': () => JSON.stringify({ urls: Array.from({ length: 60_000 }, () => 'u'.repeat(900)) })
}
/** Letters of the texts that are put together of pieces, and the letter. */
const TOGETHER: Record<string, [number, string]> = {
  'a long text': [59 * MB, 'x'], 'quotation marks': [59 * MB / 2, '"'], 'escaped letters': [59 * MB / 6, '\u0416']
}
const PIECE = 500_000

/** How long the machine takes to put a text of so many letters together, in milliseconds, as it is at the moment. */
async function floorOf (letters: number, letter: string): Promise<number> {
  const pieces = Array.from({ length: Math.ceil(letters / PIECE) }, () => letter.repeat(PIECE))
  let best = Infinity
  for (let round = 0; round < 3; round++) {
    best = Math.min(best, await longestOnce(Infinity, async () => pieces.join('')))
  }
  return best
}

const file = path.join(directory, 'body')
for (const [name, make] of Object.entries(BODIES)) {
  writeFileSync(file, make())
  let answer: unknown
  const held = await longestTurn(20, async () => {
    // A new one each time: what was stored before counts against its limit.
    const { id } = (await me.post('/v1/agents/', draft)).json().data
    sender.send([`${address}/v1/agents/${id}/knowledge_sources`, file])
    ;[answer] = await once(sender, 'message')
  })
  const together = TOGETHER[name]
  console.log([name, held, answer, together ? await floorOf(...together) : 0].join(' | '))
}
for (const end of endings) await end()
