import '../bare-children.ts'
import { build } from 'esbuild'
import t from 'tap'

interface Talking {
  chat: { messages: Array<{ text: string }>, pending: unknown[], conversation?: { id: string } }
  send (text: string, files: File[]): void
  watch (isWanted: boolean): void
}

// It is browser code, and is loaded as browsers get it: in one piece.
const { outputFiles: [bundle] } = await build({
  entryPoints: ['src/widget/browser/chat.ts'], bundle: true, write: false, format: 'esm'
})
const { openChat } = (await import(`data:text/javascript;base64,${Buffer.from(bundle!.text).toString('base64')}`)) as {
  openChat: (client: object, language: string, listening: Record<string, () => void>) => Talking
}

t.test('a message that begins a conversation anew is followed there, where its answer comes', async (t) => {
  // Was wrong: the widget went on watching the closed conversation, and showed no answer.
  const browser = {
    location: { origin: 'https://shop.example', pathname: '/lamps' }, document: { title: 'Lamps \ud83d' }
  }
  Object.assign(globalThis, browser)
  t.teardown(() => { for (const name of Object.keys(browser)) Reflect.deleteProperty(globalThis, name) })
  const pages: unknown[] = []
  const watched: string[] = []
  const kept: Array<string | undefined> = []
  let goesTo = 'conv_first'
  const client = {
    keep: ({ conversation }: { conversation?: string }) => { kept.push(conversation) },
    watch: async (id: string) => { watched.push(id) },
    call: async (_method: string, path: string, { text, client_id: clientId, page }: Record<string, string>) => {
      if (path === 'conversations') return { id: 'conv_first', status: 'open', handled_by: 'agent' }
      pages.push(page)
      return { id: `msg_${text}`, seq: 1, conversation: goesTo, role: 'visitor', status: 'complete', text, client_id: clientId }
    }
  }
  let changed = () => {}
  const talking = openChat(client, 'en', {
    changed: () => changed(), writing: () => {}, written: () => {}
  })
  const sent = async (text: string) => {
    const arrived = new Promise<void>((resolve) => {
      changed = () => { if (talking.chat.messages.some((message) => message.text === text)) resolve() }
    })
    talking.send(text, [])
    await arrived
  }
  talking.watch(true)
  await sent('Hello')
  goesTo = 'conv_second'
  await sent('Again')
  t.strictSame(watched, ['conv_first', 'conv_second'])
  t.strictSame(pages[1], { url: 'https://shop.example/lamps', title: 'Lamps ' }, 'with the page, without half characters')
  t.strictSame(kept, ['conv_first', 'conv_second'], 'and it is gone on with when the page comes back')
  t.strictSame(talking.chat.messages.map(({ text }) => text), ['Again'])
  t.strictSame([talking.chat.conversation?.id, talking.chat.pending.length], ['conv_second', 0])
})
