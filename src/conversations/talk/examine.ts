import type { AgentRecord } from '../../../schema/agents.ts'
import { prepared } from '../../guards/index.ts'
import { timestamp } from '../../platform/clock.ts'
import { canned } from '../answering/small-talk/small-talk.ts'
import { answerTurn } from '../answering/turn.ts'
import { languageOfMessage } from '../../search/words/of-message.ts'
import { hasTickets } from '../handoff/policy.ts'
import { newId } from '../storage/rows.ts'
import { finish, receive } from '../life/life.ts'
import type { DecisionContext } from '../life/decision.ts'
import type { DecisionInput, AnswerRef, Speaker } from '../contract.ts'
import { heard, knownOf } from './say.ts'
import { newConversation } from './new-conversation.ts'
import type { Examined, Examining, TalkNeeds } from './contract.ts'

/**
 * Answers a question as for a visitor, by the same rules, and stores nothing: no conversation, no figure, no ticket; no
 * event is published and nobody is called.
 */
export async function examine (
  agent: AgentRecord, { text, language: told, history, recorded }: Examining, needs: TalkNeeds, signal: AbortSignal
): Promise<Examined> {
  const { clock, handoff, unnoted } = needs
  const spoken = await needs.spoken(agent.id)
  const language = languageOfMessage(text, { given: told, spoken }) ?? told
  const given: DecisionContext = {
    at: timestamp(clock.micros()),
    messageId: newId('msg'),
    answerId: newId('msg'),
    noticeId: newId('msg'),
    handoff,
    soFar: () => undefined
  }
  const speaker = speakerOf(agent)
  const loaded: DecisionInput = {
    conversation: newConversation(agent.owner, agent.id, 'console', { language }, clock),
    generating: undefined,
    speaker,
    agent: () => undefined,
    hasAddress: () => false,
    repeated: undefined,
    message: undefined,
    attachments: []
  }
  await prepared(text, speaker.guardRules, 'asked', knownOf(loaded, spoken))
  const words = heard(loaded, { text, client_id: null }, canned(text), spoken)
  const said = await needs.decided(() => receive(loaded, { ...words, attachments: [] }, given, false))
  const generating = said.messages.find(({ status }) => status === 'generating')
  if (!generating) return { answer: null, reason: said.conversation.course.asked_for, chosen: [] }
  const rehearsal = recorded && needs.acting.rehearsed(recorded)
  const turn = {
    agent,
    history,
    message: words.text,
    language,
    isFirst: false,
    peers: [],
    decided: words.guarded.map(({ rule }) => rule),
    ...(rehearsal && { place: NOWHERE })
  }
  const pieces = answerTurn(turn, { ...needs, ...unnoted, ...(rehearsal && { acting: rehearsal }) }, signal)
  let piece = await pieces.next()
  while (!piece.done) piece = await pieces.next()
  const answer = piece.value
  const { conversation } = said
  const ended = await needs.decided(
    () => finish({ ...loaded, conversation, generating }, generating.id, answer, conversation.epoch, given)
  )
  return { answer, reason: (ended ?? said).conversation.course.asked_for, chosen: rehearsal?.chosen ?? [] }
}

/** For rehearsals. */
const NOWHERE: AnswerRef = { conversation: '', message: '', begunIn: 0 }

function speakerOf ({
  id, status, appearance, behavior, default_ticketing_provider: first, ticketing_providers: all
}: AgentRecord): Speaker {
  return {
    id,
    status,
    version: null,
    name: appearance.chatbotName,
    expertHandoff: behavior.expertHandoff,
    aiToAiHandoff: behavior.aiToAiHandoff,
    agentHandoffPrompt: behavior.agentHandoffPrompt,
    contact: behavior.email,
    guardRules: behavior.guardRules,
    hasTickets: hasTickets({ ...behavior, hasProvider: first !== null || all.length > 0 })
  }
}
