import type { Id } from '../../../schema/common.ts'
import type { MessageRecord } from '../../../schema/conversations.ts'
import { Refusal } from '../../platform/errors.ts'
import { cutOff, type Answered } from '../answering/aside.ts'
import { READ_BACK } from '../answering/context.ts'
import type { Generation } from '../generation.ts'
import { topicOf } from '../store.ts'
import { newConversation } from './new-conversation.ts'
import type { Talk, TalkNeeds } from './contract.ts'
import type { Turns } from './say.ts'

/** Requests of clients not made for this server, see Talk. */
export function forClients (
  { store, clock, notify }: TalkNeeds,
  { runs }: Turns,
  { say, answerTo, regenerate }: Pick<Talk, 'say' | 'answerTo' | 'regenerate'>
): Pick<Talk, 'named' | 'known' | 'regenerateLast' | 'sayIn'> {
  async function conversationCalled (owner: Id, agent: Id, name: string): Promise<string | undefined> {
    const byId = await store.get(owner, name)
    return byId?.agent === agent ? name : await store.named(owner, agent, name, undefined)
  }

  return {
    async named (owner, agent, name, channel) {
      const known = await conversationCalled(owner, agent, name)
      if (known !== undefined) return known
      return await store.named(owner, agent, name, newConversation(owner, agent, channel, {}, clock))
    },
    known: conversationCalled,
    async regenerateLast (owner, id, clientId) {
      const conversation = await store.get(owner, id)
      const [last] = conversation
        ? ((await store.messages(owner, id, { before: conversation.messages + 1 }, 1)) ?? [])
        : []
      const begun = last && (await regenerate(owner, id, last.id, clientId))
      return begun && { ...begun, message: { ...begun.message, seq: begun.message.seq - 1 } }
    },
    async sayIn (owner, agent, id, saying) {
      const conversation = await store.get(owner, id)
      const received = conversation?.agent === agent ? await say(owner, id, saying) : undefined
      if (!received) throw new Refusal('not_found', 'No such conversation.')
      let ended: Answered | undefined
      const answer = answerTo(owner, received.message.conversation, received.message)
        .catch(cutOff)
        .then(async (found) => {
          ended = found ?? (await noticeAfter(store, owner, received.message)) ?? received.message
          notify(id)
          return ended
        })
      const isAfter = (run: Generation | undefined) => run !== undefined && run.answer.seq > received.message.seq
      const textNow = () => (isAfter(runs.of(id)) ? (runs.of(id)?.text.whole() ?? '') : '')
      return {
        topic: topicOf(id),
        answer,
        now: () => ({ text: ended?.text ?? textNow(), ended }),
        repeated: received.repeated
      }
    }
  }
}

/** The notice visitors get instead of an answer. */
async function noticeAfter (
  store: TalkNeeds['store'], owner: Id, { conversation, seq }: MessageRecord
): Promise<MessageRecord | undefined> {
  const after = await store.messages(owner, conversation, { after: seq }, READ_BACK)
  return after?.find(({ role }) => role === 'system')
}
