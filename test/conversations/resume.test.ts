import '../bare-children.ts'
import t from 'tap'
import { build } from '../helper.ts'
import { QUESTION, talkative } from './helper.ts'
import { slowModel } from './slow-model.ts'

t.test('an answer that a stop cut off is written anew under its id; begun for the fourth time, it fails', async (t) => {
  const directory = t.testdir({})
  const model = await slowModel(t)
  const env = { AGENTHALL_MODEL_URL: model.url }
  const first = await talkative(t, env, {}, { directory })
  const { at, conversation } = first
  const waiting = first.say(QUESTION)
  const asked = await model.next()
  await asked.say('30 days [1]')
  await first.stores.conversations.close()
  t.match((await waiting).json().error, { code: 'unavailable', status: 503 }, 'who waits is told, and does not hang')
  await first.close()

  const again = async () => {
    const built = await build(t, env, { directory })
    const me = built.withKey(first.me.key)
    await built.stores.conversations.talk.resumeAll()
    const messages = async () => (await me.get(`${at}/messages`)).json().data as Array<Record<string, any>>
    const events = async () =>
      (await built.stores.conversations.store.events(first.me.id, conversation, 0))!.events.map(({ type }) => type)
    return { ...built, me, messages, events }
  }
  for (let times = 2; times <= 3; times++) {
    const built = await again()
    await model.next()
    t.equal((await built.events()).filter((type) => type === 'message.restarted').length, times - 1)
    await built.close()
  }
  const last = await again()
  t.match((await last.messages())[1], { status: 'failed', error: { code: 'interrupted' } })
  const { id } = (await last.messages())[1]!
  const anew = last.me.post(`${at}/messages/${id}/regenerate`)
  const writing = await model.next()
  await last.close()
  await writing.gone
  t.match((await anew).json().error, { code: /./ })

  const restarted = await again()
  const play = await model.next()
  await play.say('30 days [1].')
  play.end()
  while ((await restarted.messages())[2]?.status === 'generating') await new Promise(setImmediate)
  t.match(await restarted.messages(), [
    { seq: 1 }, { seq: 2, status: 'failed' }, { seq: 3, status: 'complete', replaces: id, text: /30 days \[1\]\./ }
  ])
})
