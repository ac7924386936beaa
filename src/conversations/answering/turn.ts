import { randomBytes } from 'node:crypto'
import type { AgentRecord } from '../../../schema/agents.ts'
import type { Id } from '../../../schema/common.ts'
import type { GuardRule } from '../../../schema/guards.ts'
import { inLanguage } from '../../agents/index.ts'
import type { Phrases } from '../../locales/contract.ts'
import { textsIn } from '../../locales/list.ts'
import { ModelError, type ModelPart } from '../../models/index.ts'
import { acted, type ActNeeds, type Doing, type Results } from '../acting/act.ts'
import {
  besideWhetherAi, canned, type Canned, cannedAnswer, inOneLine, languageOfCourtesy, otherLanguageOfSmallTalk,
  placeAskedIn
} from './small-talk/small-talk.ts'
import { asRemembered, citationsIn, cleaner, type Cleaner, linksIn, settingsOf } from './cite.ts'
import { answeredApart, isSure, quotedAnswer } from './quoting/quoted.ts'
import { noteOf } from '../../guards/index.ts'
import { answeredThrough, askedThrough, looksAtAnswers } from './guarded.ts'
import { languageOfMessage, mostlySpoken } from '../../search/words/of-message.ts'
import { isOnlyContact, withoutAddresses } from '../handoff/address.ts'
import { hasPerson, mayPropose } from '../handoff/policy.ts'
import type { Proposal, HistoryMessage, Turn, Peer } from '../contract.ts'
import { insteadOf, LET_GO, lookUp, toldBeside, type Known, type LookUpNeeds } from './look-up.ts'
import type { Answer } from '../life/decision.ts'
import { mayRestOn, repeats, sentenceBefore } from './rests.ts'
import { circumstancesOf, promptOf, type Moment, type Prompt } from './prompt.ts'
import { asksForReply } from './small-talk/reply.ts'
import { inTurns } from '../../platform/work/slices.ts'
import { nextTurn } from '../../platform/work/turns.ts'
import { prepareFor } from '../../search/sense/talk/asking.ts'
import { completeAnswer, type Draft, endedWith, newDraft, runOf, Written } from '../generation.ts'

/** What answering needs. */
export interface TurnNeeds extends LookUpNeeds, ActNeeds {
  /**
   * The model's answer; undefined if none may answer. If it throws before its first text, extract answers.
   */
  model: (
    agent: AgentRecord, prompt: Prompt, peers: readonly Peer[], signal: AbortSignal
  ) => Promise<AsyncIterable<ModelPart> | undefined>
  /** Whether no model answers because the daily tokens are used up. */
  isSpent: (agent: AgentRecord) => Promise<boolean>
  /** Token budget of prompt and answer together. */
  tokenLength: (agent: AgentRecord) => Promise<number>
  /** Counts tokens for the agent's model. */
  tokens: (agent: AgentRecord, text: string) => number
  /** Executes what a model chooses. */
  acting: Doing
  /** The state of a business when a question is asked. */
  momentOf: (owner: Id) => Promise<Moment>
  /** Milliseconds, to measure time. */
  now: () => number
}

/** The context of a turn when it writes. */
interface Prepared {
  turn: Turn
  needs: TurnNeeds
  language: string | null
  phrases: Phrases
  draft: Draft
  known: Known
  /** Suggested questions if nothing answers: the closest known topics, then the suggestions of the business. */
  instead: string[]
  done: Results
  /** What the business's settings answer: its address, or when people reply. */
  bySetup: string | undefined
}

const REMEMBERED = 20
/** The number by which a model says that nothing answers the question. */
const UNKNOWN = 0

/**
 * The answer to a question: as the agent's rules say, else its own, of which nothing is shown until its rules have
 * checked it. Yields the text as it can be shown; returns the answer. Throws only what the signal throws; the answer so
 * far is then in `draft`.
 */
export async function * answerTurn (
  turn: Turn, needs: TurnNeeds, signal: AbortSignal, draft: Draft = newDraft()
): AsyncGenerator<string, Answer> {
  const began = needs.now()
  draft.age = () => Math.round(needs.now() - began)
  const language = await languageFor(turn, needs)
  const phrases = textsIn(language, 'agent')
  const known = { given: turn.language, spoken: await needs.spoken(turn.agent.id) }
  const said = (rule: GuardRule) => ruled(rule, turn, phrases)
  const { asked, verdict, isNew } = await askedThrough(turn, known)
  // Sent right after a question, "are you a robot?" is read together with it.
  const beside = besideWhetherAi(asked.message, language)
  const notice = turn.isFirst || beside !== undefined ? `${phrases.isAi}\n\n` : ''
  if (verdict) {
    const decided = said(verdict)
    const answer = { ...decided, text: notice + decided.text, ...(isNew && { guarded: [noteOf(verdict)] }) }
    draft.by = 'canned'
    yield answer.text
    return answer
  }
  const open = { ...asked, message: beside ?? asked.message }
  const pieces = composed({ turn: open, needs, signal, draft, language, phrases, notice })
  return yield * looksAtAnswers(turn.agent)
    ? answeredThrough(pieces, { agent: turn.agent, draft, notice, known, said })
    : pieces
}

/** The input of composing an answer. */
interface Composing extends Pick<Prepared, 'turn' | 'needs' | 'language' | 'phrases' | 'draft'> {
  signal: AbortSignal
  /** The text before the first answer. */
  notice: string
}

/**
 * From question to answer: canned → actions → query → search, once more in the model's words if little is found →
 * budget → model or extract → verify. See answerTurn.
 */
async function * composed (
  { turn, needs, signal, draft, language, phrases, notice }: Composing
): AsyncGenerator<string, Answer> {
  const timed = (answer: Answer): Answer => ({ ...answer, text: notice + answer.text })

  const kind = canned(turn.message, language)
  const fixed = kind && fixedAnswer(kind, turn, language, phrases)
  // "Yes" in reply to a question is an answer, which a model can handle, as it can a complaint.
  if (fixed && !(kind === 'ok' && wasAsked(turn)) && kind !== 'complaint') {
    draft.by = 'canned'
    yield notice + fixed.text
    return timed(fixed)
  }

  // Others wait no longer than one step.
  await nextTurn()
  const done = yield * acted(turn, needs, draft, language, signal)
  if (done.asked !== null) {
    draft.by = 'canned'
    yield notice + done.asked
    return timed(completeAnswer(done.asked, 'canned', []))
  }
  await inTurns(prepareFor(turn.message, [[language, 1]]))
  const bySetup = await placeAsked(turn, needs, language, phrases) ?? await replyAsked(turn, needs, phrases)
  // Actions and settings answer; only what is found besides in the visitor's own words is added.
  const looking = done.told.length > 0 || bySetup !== undefined ? { ...needs, rewrite: async () => undefined } : needs
  // The address is enough for a query: the history is about something else.
  const asking = bySetup === undefined ? turn : { ...turn, history: [] }
  // The findings are held only here: released once a model writes.
  const prepared = {
    turn, needs, language, phrases, draft, done, bySetup, ...await foundFor(asking, looking, language, signal)
  }
  signal.throwIfAborted()
  const prompt = await promptFor(prepared)
  const parts = prompt && await needs.model(turn.agent, prompt, turn.peers ?? [], signal)
  if (prompt && parts) {
    const answer = yield * fromModel(prepared, prompt, parts, notice, signal)
    if (answer) return timed(answer)
  }
  if (fixed) {
    draft.by = 'canned'
    yield notice + fixed.text
    return timed(fixed)
  }
  const isSpent = !parts && await needs.isSpent(turn.agent)
  const run = runOf(draft, 'failed')
  const answer: Answer = {
    ...await withoutModel(prepared, signal),
    ...(parts && { hindered: 'provider_down' }),
    ...(isSpent && { hindered: 'limit' }),
    ...(run && { run })
  }
  Object.assign(draft, { by: answer.answered_by, cite: (seen: string) => seen ? answer.citations : [] })
  yield notice + answer.text
  return timed(answer)
}

/** What is known about a question, and what to suggest instead, in the visitor's language where the business can. */
async function foundFor (turn: Turn, needs: LookUpNeeds, language: string | null, signal: AbortSignal) {
  const known = await lookUp(turn, needs, signal)
  return { known, instead: insteadOf({ ...turn, agent: inLanguage(turn.agent, language) }, known) }
}

/** The text if a rule decides; the hand-off policy says the rest. */
function ruled ({ do: does, text }: GuardRule, turn: Turn, phrases: Phrases): Answer {
  if (does !== 'hand_off' && does !== 'ticket') return completeAnswer(text, 'canned', [])
  const proposal = { action: does === 'ticket' ? 'ticket' : 'handoff', reason: 'instructions_say_so' }
  return { ...completeAnswer(text || saidBeside(proposal, turn, phrases) || phrases.oneMoment, 'canned', []), proposal }
}

/** The reply to small talk, and to requests for a person who cannot be reached. */
function fixedAnswer (kind: Canned, { agent, isFirst }: Turn, language: string | null, phrases: Phrases): Answer {
  const { appearance, behavior } = inLanguage(agent, language)
  const text = cannedAnswer(kind, phrases, { welcome: appearance.welcomeMessage, contact: behavior.email, isFirst })
  return completeAnswer(text, 'canned', kind === 'greeting' || kind === 'help' ? behavior.suggestions : [])
}

/** The reply if the business itself is looked for; undefined if nobody asks, or it has set no address. */
async function placeAsked (
  { agent, message }: Turn, needs: Pick<TurnNeeds, 'momentOf'>, language: string | null, phrases: Phrases
): Promise<string | undefined> {
  const written = placeAskedIn(message, language)
  if (written === undefined) return undefined
  const { address } = (await needs.momentOf(agent.owner)).business
  if (!address) return undefined
  const { ourAddress } = written !== null && agent.behavior.multilingualSupport ? textsIn(written, 'agent') : phrases
  return ourAddress.replace('{address}', () => inOneLine(address))
}

/**
 * The reply if somebody whose request was passed on asks when people answer, or says where they can be reached besides:
 * as the business puts it, if it does.
 */
async function replyAsked (
  { agent, message, isPassedOn = false }: Turn, needs: Pick<TurnNeeds, 'momentOf'>, phrases: Phrases
): Promise<string | undefined> {
  if (!isPassedOn || !(asksForReply(message) || isOnlyContact(message))) return undefined
  return (await needs.momentOf(agent.owner)).business.notices.ticket || phrases.whenAnswered
}

/** Whether the agent's last words were a question. */
function wasAsked ({ history, agent: { behavior } }: Turn): boolean {
  const last = history.findLast(({ role }) => role === 'agent')
  return behavior.conversationMemory && last !== undefined && /[?？؟;]\s*$/u.test(last.text.slice(-50))
}

/**
 * Fixed sentences are in the visitor's language, or in that of the system prompt if the agent speaks only one.
 */
async function languageFor (
  { agent, message, language }: Turn, needs: Pick<TurnNeeds, 'spoken'>
): Promise<string | null> {
  if (!agent.behavior.multilingualSupport) return languageOfMessage(agent.systemPrompt)
  const spoken = await needs.spoken(agent.id)
  const mostly = mostlySpoken(spoken)
  const written = languageOfMessage(withoutAddresses(message), { given: language, spoken })
  if (written === null) return languageOfCourtesy(message, mostly) ?? mostly
  return otherLanguageOfSmallTalk(message, written) ?? written
}

async function promptFor ({ turn, needs, language, known: { found }, done }: Prepared): Promise<Prompt | undefined> {
  const { agent, message, before = null, page = null, peers = [] } = turn
  const { behavior, appearance, systemPrompt } = agent
  const moment = await needs.momentOf(agent.owner)
  return promptOf({
    chatbotName: appearance.chatbotName,
    business: moment.business.name,
    systemPrompt,
    dos: behavior.guidelines.dos,
    donts: behavior.guidelines.donts,
    escalationPrompt: behavior.escalationPrompt,
    contact: behavior.email,
    address: inOneLine(moment.business.address),
    canEscalate: mayPropose(agent),
    peers,
    circumstances: circumstancesOf(moment, hasPerson(agent)),
    page,
    before: behavior.conversationMemory ? before : null,
    language: behavior.multilingualSupport ? language : undefined,
    passages: found,
    results: done.told,
    history: rememberedOf(turn),
    message,
    tokenLength: await needs.tokenLength(agent),
    mark: randomBytes(6).toString('base64url'),
    tokens: (text) => needs.tokens(agent, text)
  })
}

/** The history, as a model reads it. */
function rememberedOf ({ agent: { behavior }, history }: Turn) {
  if (!behavior.conversationMemory) return []
  return history
    .filter(isRemembered)
    .slice(-REMEMBERED)
    .map(({ role, text }) => ({ role, text: role === 'agent' ? asRemembered(text) : text }))
}

function isRemembered (message: HistoryMessage): message is HistoryMessage & { role: 'visitor' | 'agent' | 'person' } {
  return message.role !== 'system' && message.text !== '' && message.status !== 'generating'
}

/**
 * The model's answer, verified as it arrives. Undefined if it said nothing that can be shown, so that the sources
 * answer themselves; `draft` has the usage.
 */
async function * fromModel (
  prepared: Prepared, prompt: Prompt, parts: AsyncIterable<ModelPart>, notice: string, signal: AbortSignal
): AsyncGenerator<string, Answer | undefined> {
  const { phrases, draft, turn } = prepared
  const writing = newWriting()
  const clean = cleanerFor(turn, prompt, () => { writing.isUnknown = true })
  draft.cite = (text) => citationsIn(text, prompt.sources)
  const isDoubtful = mayRestOnNothing(prepared)

  function * show (piece: string, isWhole = false): Generator<string> {
    // An answer does not begin with what stood behind a mark that was taken out: a space, or a colon.
    const behindMark = writing.isUnknown ? /^[\s:.,;]+/ : /^\s+/
    const next = writing.text.length === 0 ? piece.replace(behindMark, '') : piece
    writing.text.add(next)
    if (writing.text.length === 0 || (next === '' && !isWhole)) return
    if (!writing.isShown) {
      const text = writing.text.whole()
      const isKnown = !isDoubtful || writing.isUnknown || draft.cite(text).length > 0
      if (!isKnown && !(isWhole && repeats(text, toldBeside(turn.agent, turn.history)))) return
      writing.isShown = true
      // From here on it is the model's answer, whatever comes: only what it may cite is retained.
      prepared.known = LET_GO
      draft.firstMs = draft.age()
      yield notice + text
    } else if (next !== '') yield next
  }

  try {
    for await (const part of parts) {
      if (part.type === 'asked') draft.asked = { agent: turn.agent.id, ...askedOf(part) }
      else writing.isHeard = true
      if (part.type === 'end') writing.ended = part.reason
      if (part.type === 'text') yield * show(clean.push(part.text))
      else if (part.type === 'action') writing.proposal ??= { action: part.action, reason: part.reason }
    }
    yield * show(clean.end(), writing.ended === 'finished')
  } catch (error) {
    signal.throwIfAborted()
    // A try without any output has no usage.
    if (!writing.isHeard) draft.asked = undefined
    // The end of the text may have been held back.
    yield * show(clean.end())
    if (!writing.isShown) return undefined
    return brokenOff(writing, draft, error instanceof ModelError ? error.code : 'model_broken', phrases)
  }
  if (writing.isShown && writing.ended !== 'finished') {
    return brokenOff(writing, draft, writing.ended === 'length' ? 'answer_too_long' : 'answer_filtered', phrases)
  }
  const said = concluded(prepared, writing)
  if (said && !writing.isShown) yield notice + said.text
  return said
}

/** What a model has written so far. */
interface Writing {
  text: Written
  /** Some of it has been shown. */
  isShown: boolean
  /** Anything has arrived, text or not. */
  isHeard: boolean
  /** The model says itself that it does not know. */
  isUnknown: boolean
  ended: Extract<ModelPart, { type: 'end' }>['reason']
  proposal: Proposal | null
}

function newWriting (): Writing {
  return {
    text: new Written(), isShown: false, isHeard: false, isUnknown: false, ended: 'finished', proposal: null
  }
}

/** Calls `isUnknown` if the model says that it does not know. */
function cleanerFor ({ agent }: Turn, { sources }: Prompt, isUnknown: () => void): Cleaner {
  return cleaner({
    isSource (n, said) {
      if (n === UNKNOWN) isUnknown()
      const source = sources[n - 1]
      return source !== undefined && mayRestOn(sentenceBefore(said), source)
    },
    isAllowed: linksIn({ settings: settingsOf(agent), sources: sources.flatMap(({ url, text }) => [url ?? '', text]) })
  })
}

/** An answer that ended early: the text so far is kept. */
function brokenOff ({ text }: Writing, draft: Draft, code: string, phrases: Phrases): Answer {
  return { ...endedWith(draft, text.whole(), 'failed'), error: { code, message: phrases.brokeOff } }
}

/** A complete answer; undefined if it is empty. */
function concluded ({ turn, phrases, draft, instead: suggestions }: Prepared, writing: Writing): Answer | undefined {
  const { proposal, isShown, isUnknown } = writing
  const text = writing.text.whole()
  const said = proposal ? saidBeside(proposal, turn, phrases) : undefined
  if (text.trim() === '' && said === undefined) return undefined
  const answer = { ...endedWith(draft, text, 'complete'), proposal }
  if (isShown) return isUnknown ? { ...answer, unknown: true, suggestions } : answer
  draft.cite = () => []
  return said === undefined
    ? { ...answer, unknown: true, text: phrases.unknown, citations: [], suggestions }
    : { ...answer, unknown: false, text: said, citations: [], suggestions: [] }
}

/**
 * The text for a proposal if the model said nothing besides: the hand-off policy says the rest. Undefined if nothing
 * can come of it, so that nobody is asked to wait for it.
 */
function saidBeside (
  { action }: Proposal, { agent, peers = [], isAside = false }: Turn, phrases: Phrases
): string | undefined {
  if (action === 'resolve') return phrases.thanks
  if (action === 'handoff' || action === 'ticket') {
    if (hasPerson(agent) && !isAside) return phrases.oneMoment
    return cannedAnswer('person', phrases, { welcome: '', contact: agent.behavior.email })
  }
  return peers.some(({ id }) => action === `transfer_${id}`) ? phrases.oneMoment : undefined
}

/** Text that may turn out unsupported is shown only once it cites a source, or has ended. */
function mayRestOnNothing (
  { known: { confidence, sureness }, needs: { thresholds: { maybe } }, done: { told }, bySetup }: Prepared
): boolean {
  return told.length === 0 && bySetup === undefined && confidence < maybe && sureness() < maybe
}

function askedOf ({ model, provider, spent }: Extract<ModelPart, { type: 'asked' }>) {
  return { model, provider, spent }
}

/**
 * What is said without a model: what actions did, the settings of the business, else the sources' own sentences, of
 * several questions those of each.
 */
async function withoutModel (prepared: Prepared, signal: AbortSignal): Promise<Answer> {
  const { turn, needs, language, phrases, known, instead, done: { told }, bySetup } = prepared
  const { thresholds } = needs
  // Actions taken are reported, even if the model that was to do so does not answer.
  if (told.length > 0) return completeAnswer(told.map(({ title, text }) => `${title}\n${text}`).join('\n\n'), 'extract', [])
  // The business's settings are surer than a possible match, and less exact than a sure one.
  if (bySetup !== undefined && !isSure(known, thresholds)) return completeAnswer(bySetup, 'canned', [])
  // Where there is a person, they are told it.
  if (!hasPerson(turn.agent) && isOnlyContact(turn.message)) return fixedAnswer('person', turn, language, phrases)
  const several = bySetup === undefined ? await answeredApart(turn, needs, phrases, signal) : undefined
  return several ?? quotedAnswer(known, { agent: turn.agent, thresholds, phrases, instead })
}
