import { answerAside } from '../answering/aside.ts'
import { change, handOver, judge, relay, proactiveMessage } from '../life/life.ts'
import { answers } from './answers.ts'
import { draftAnswer } from './draft.ts'
import { examine } from './examine.ts'
import { forClients } from './for-clients.ts'
import { newConversation } from './new-conversation.ts'
import { openTurns, saying } from './say.ts'
import { changesSeeing } from '../elsewhere.ts'
import type { TalkNeeds, Talk } from './contract.ts'

/** Opens it on the store. */
export function talking (parts: Omit<TalkNeeds, 'seen'>): Talk {
  const needs: TalkNeeds = { ...parts, ...changesSeeing(parts.store, parts.neighbours) }
  const { store, clock } = needs
  const closing = new AbortController()
  const turns = openTurns(needs)
  const { runs, given, follow } = turns
  const spoken = { ...saying(needs, turns), ...answers(needs, turns, closing.signal) }

  const handOverOnce: Talk['handOverOnce'] = async (owner, id, event, once) => {
    const done = await store.changeIdempotently(owner, id, once, function * (loaded) {
      return handOver(loaded, event, given(id))
    })
    if (done?.decision) follow(owner, id, done.decision)
    return done
  }

  return {
    runs,
    writing: async (conversation) => runs.of(conversation) ?? await runs.elsewhere(conversation),
    ...spoken,
    ...forClients(needs, turns, spoken),
    async begin (owner, agent, channel, draft, once) {
      return await store.create(owner, newConversation(owner, agent, channel, draft, clock), once)
    },
    async feedback (owner, id, message, feedback) {
      const done = await store.change(
        owner, id, { message }, function * (loaded) {
          return loaded.message && judge(loaded, loaded.message, feedback, given(id))
        }
      )
      return done?.decision?.messages[0]
    },
    async change (owner, id, patch, check, by) {
      const done = await store.change(owner, id, {}, function * (loaded) {
        check(loaded.conversation)
        return change(loaded, patch, given(id), by)
      })
      if (done) follow(owner, id, done.decision)
      return done?.decision.conversation
    },
    handOver: async (owner, id, event) => (await handOverOnce(owner, id, event, undefined))?.answer,
    handOverOnce,
    async remark (owner, id, decide) {
      await store.change(owner, id, {}, function * (loaded) {
        return proactiveMessage(loaded, yield * decide(loaded), given(id))
      })
    },
    async relay (owner, id, said) {
      const done = await store.change(
        owner, id, { clientId: said.client_id }, function * (loaded) { return relay(loaded, said, given(id)) }
      )
      return done?.loaded.generating === undefined
    },
    async remove (owner, id, check) {
      const gone = await store.remove(owner, id, check)
      if (gone) runs.forget(id)
      return gone
    },
    aside: (agent, told, message) => answerAside(agent, told, message, needs, closing.signal),
    draft: (owner, id, signal) => draftAnswer(owner, id, needs, AbortSignal.any([signal, closing.signal])),
    examine: (agent, asked, signal) => examine(agent, asked, needs, AbortSignal.any([signal, closing.signal])),
    async close () {
      closing.abort()
      await runs.close()
      await needs.release()
    }
  }
}
