import { randomBytes } from 'node:crypto'
import type { AgentRecord } from '../../../schema/agents.ts'
import type { Id } from '../../../schema/common.ts'
import type { Citation } from '../../../schema/conversations.ts'
import type { GuardRule } from '../../../schema/guards.ts'
import { inLanguage } from '../../agents/index.ts'
import type { Phrases } from '../../locales/contract.ts'
import { textsIn } from '../../locales/list.ts'
import { ModelError, type ModelPart } from '../../models/index.ts'
import { acted, type ActNeeds, type Doing, type Results } from '../acting/act.ts'
import { circumstancesOf, type Moment } from './circumstances.ts'
import { canned, cannedAnswer, languageOfCourtesy, type Canned } from './small-talk/canned.ts'
import { asRemembered, citationsIn, cleaner, type Cleaner } from './cite.ts'
import type { Quotation } from './extract.ts'
import { noteOf } from '../../guards/index.ts'
import { answeredThrough, askedThrough, looksAtAnswers } from './guarded.ts'
import { endedWith, newDraft, runOf, type Draft } from './draft.ts'
import { languageOfMessage, mostlySpoken } from '../../search/words/of-message.ts'
import { hasPerson, mayPropose } from '../hands/hands.ts'
import type { Proposal, Remark, Turn, Peer } from '../contract.ts'
import { linksIn, settingsOf } from './links.ts'
import { insteadOf, LET_GO, lookUp, type Known, type LookUpNeeds } from './look-up.ts'
import type { Answer } from '../life/decision.ts'
import { isRow, sentenceOfRow } from '../../search/sense/sentences.ts'
import { mayRestOn, sentenceBefore } from './rests.ts'
import { inOneLine, placeAskedIn } from './small-talk/place.ts'
import { promptOf, type Prompt } from './prompt.ts'
import { Written } from './written.ts'

/** What answering needs. */
export interface TurnNeeds extends LookUpNeeds, ActNeeds {
  /**
   * The model's answer; undefined where none may answer. What it throws before its first text is answered by extract.
   */
  model: (
    agent: AgentRecord, prompt: Prompt, peers: readonly Peer[], signal: AbortSignal
  ) => Promise<AsyncIterable<ModelPart> | undefined>
  /** Whether no model answers because the tokens of the day are used up. */
  isSpent: (agent: AgentRecord) => Promise<boolean>
  /** Tokens that prompt and answer may have together. */
  tokenLength: (agent: AgentRecord) => Promise<number>
  /** Tokens of a text for the agent's model. */
  tokens: (agent: AgentRecord, text: string) => number
  /** From which confidence on sentences are quoted, and from which they are offered. */
  thresholds: { sure: number, maybe: number }
  /** Who does what a model chooses. */
  acting: Doing
  /** What is so for a business when a question is asked. */
  momentOf: (owner: Id) => Promise<Moment>
  /** Milliseconds, for how long it took. */
  now: () => number
}

/** Everything a turn knows when it writes. */
interface Prepared {
  turn: Turn
  needs: TurnNeeds
  language: string | null
  phrases: Phrases
  draft: Draft
  known: Known
  /** What may be asked where nothing answers: what is known that comes nearest, then what the business suggests. */
  instead: string[]
  done: Results
  /** What is said of where the business is, where that is asked and set. */
  place: string | undefined
}

const REMEMBERED = 20
/** The number with which a model says that nothing answers the question. */
const UNKNOWN = 0

/**
 * The answer to a question: what the agent's rules say, else its own, of which nobody sees anything before its rules
 * have looked at it. Yields the text as it can be shown; returns the answer. Throws only what the signal throws; what
 * there is of the answer by then is in `draft`.
 */
export async function * answerTurn (
  turn: Turn, needs: TurnNeeds, signal: AbortSignal, draft: Draft = newDraft()
): AsyncGenerator<string, Answer> {
  const began = needs.now()
  draft.age = () => Math.round(needs.now() - began)
  const language = await languageFor(turn, needs)
  const phrases = textsIn(language, 'agent')
  const notice = turn.isFirst ? `${phrases.isAi}\n\n` : ''
  const known = { given: turn.language, spoken: await needs.spoken(turn.agent.id) }
  const said = (rule: GuardRule) => ruled(rule, turn, phrases)
  const { asked, verdict, isNew } = await askedThrough(turn, known)
  if (verdict) {
    const decided = said(verdict)
    const answer = { ...decided, text: notice + decided.text, ...(isNew && { guarded: [noteOf(verdict)] }) }
    draft.by = 'canned'
    yield answer.text
    return answer
  }
  const pieces = composed({ turn: asked, needs, signal, draft, language, phrases, notice })
  return yield * looksAtAnswers(turn.agent)
    ? answeredThrough(pieces, { agent: turn.agent, draft, notice, known, said })
    : pieces
}

/** What composing an answer starts from. */
interface Composing extends Pick<Prepared, 'turn' | 'needs' | 'language' | 'phrases' | 'draft'> {
  signal: AbortSignal
  /** What stands before the first answer. */
  notice: string
}

/**
 * From question to answer: canned → what is to be done → query → search, once more in the model's words where little
 * is found → budget → model or extract → verify. See answerTurn.
 */
async function * composed (
  { turn, needs, signal, draft, language, phrases, notice }: Composing
): AsyncGenerator<string, Answer> {
  const timed = (answer: Answer): Answer => ({ ...answer, text: notice + answer.text })

  const kind = canned(turn.message, language)
  const fixed = kind && fixedAnswer(kind, turn, language, phrases)
  // "Yes" to what was asked is an answer, of which a model knows what to make.
  if (fixed && !(kind === 'ok' && wasAsked(turn))) {
    draft.by = 'canned'
    yield notice + fixed.text
    return timed(fixed)
  }

  // Others wait no longer than each step takes.
  await new Promise(setImmediate)
  const done = yield * acted(turn, needs, draft, language, signal)
  if (done.asked !== null) {
    draft.by = 'canned'
    yield notice + done.asked
    return timed(plain(done.asked, 'canned', []))
  }
  const place = await placeAsked(turn, needs, language, phrases)
  // What was done or set answers; only what was found beside it in the visitor's own words is told with it.
  const looking = done.told.length > 0 || place !== undefined ? { ...needs, rewrite: async () => undefined } : needs
  // Where the business is says enough by itself: what was asked before is about something else.
  const asking = place === undefined ? turn : { ...turn, history: [] }
  // What was found is held here alone: it is let go once a model writes.
  const prepared = { turn, needs, language, phrases, draft, ...await foundFor(asking, looking, signal), done, place }
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
    ...fromExtract(prepared),
    ...(parts && { hindered: 'provider_down' }),
    ...(isSpent && { hindered: 'limit' }),
    ...(run && { run })
  }
  Object.assign(draft, { by: answer.answered_by, cite: (seen: string) => seen ? answer.citations : [] })
  yield notice + answer.text
  return timed(answer)
}

/** What is known about a question, and what may be asked instead. */
async function foundFor (turn: Turn, needs: LookUpNeeds, signal: AbortSignal) {
  const known = await lookUp(turn, needs, signal)
  return { known, instead: insteadOf(turn, known) }
}

/** What is said where a rule decides; who decides about a proposal tells the rest. */
function ruled ({ do: does, text }: GuardRule, turn: Turn, phrases: Phrases): Answer {
  if (does !== 'hand_off' && does !== 'ticket') return plain(text, 'canned', [])
  const proposal = { action: does === 'ticket' ? 'ticket' : 'handoff', reason: 'instructions_say_so' }
  return { ...plain(text || saidBeside(proposal, turn, phrases) || phrases.oneMoment, 'canned', []), proposal }
}

/** What is said to small talk, and to who asks for a person that there is no way to. */
function fixedAnswer (kind: Canned, { agent, isFirst }: Turn, language: string | null, phrases: Phrases): Answer {
  const { appearance, behavior } = inLanguage(agent, language)
  const text = cannedAnswer(kind, phrases, { welcome: appearance.welcomeMessage, contact: behavior.email, isFirst })
  return plain(text, 'canned', kind === 'greeting' || kind === 'help' ? behavior.suggestions : [])
}

/** What is said where the business itself is looked for; undefined where nobody asks, or it has set no address. */
async function placeAsked (
  { agent, message }: Turn, needs: Pick<TurnNeeds, 'momentOf'>, language: string | null, phrases: Phrases
): Promise<string | undefined> {
  const own = placeAskedIn(message, language)
  if (own === undefined) return undefined
  const { address } = (await needs.momentOf(agent.owner)).business
  if (!address) return undefined
  const { ourAddress } = own !== null && agent.behavior.multilingualSupport ? textsIn(own, 'agent') : phrases
  return ourAddress.replace('{address}', () => inOneLine(address))
}

/** Whether the agent's last words were a question. */
function wasAsked ({ history, agent: { behavior } }: Turn): boolean {
  const last = history.findLast(({ role }) => role === 'agent')
  return behavior.conversationMemory && last !== undefined && /[?？؟;]\s*$/u.test(last.text.slice(-50))
}

/**
 * Fixed sentences are said in the visitor's language, or in that of the system prompt where the agent speaks but one.
 */
async function languageFor (
  { agent, message, language }: Turn, needs: Pick<TurnNeeds, 'spoken'>
): Promise<string | null> {
  if (!agent.behavior.multilingualSupport) return languageOfMessage(agent.systemPrompt)
  const spoken = await needs.spoken(agent.id)
  const mostly = mostlySpoken(spoken)
  return languageOfMessage(message, { given: language, spoken }) ?? languageOfCourtesy(message, mostly) ?? mostly
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

/** What was said before, as a model reads it. */
function rememberedOf ({ agent: { behavior }, history }: Turn) {
  if (!behavior.conversationMemory) return []
  return history
    .filter(isRemembered)
    .slice(-REMEMBERED)
    .map(({ role, text }) => ({ role, text: role === 'agent' ? asRemembered(text) : text }))
}

function isRemembered (message: Remark): message is Remark & { role: 'visitor' | 'agent' | 'person' } {
  return message.role !== 'system' && message.text !== '' && message.status !== 'generating'
}

/**
 * The model's answer, verified as it comes. Undefined where it said nothing that can be shown, so that the sources
 * answer themselves; `draft` tells what that took.
 */
async function * fromModel (
  prepared: Prepared, prompt: Prompt, parts: AsyncIterable<ModelPart>, notice: string, signal: AbortSignal
): AsyncGenerator<string, Answer | undefined> {
  const { phrases, draft } = prepared
  const writing = newWriting()
  const clean = cleanerFor(prepared.turn, prompt, () => { writing.isUnknown = true })
  draft.cite = (text) => citationsIn(text, prompt.sources)
  const isDoubtful = mayRestOnNothing(prepared)

  function * show (piece: string): Generator<string> {
    if (piece === '') return
    writing.text.add(piece)
    if (!writing.isShown) {
      const text = writing.text.whole()
      if (text.trim() === '') return
      if (isDoubtful && !writing.isUnknown && draft.cite(text).length === 0) return
      writing.isShown = true
      // From here on it is the model's answer, whatever comes: of what was found only what it may cite is kept.
      prepared.known = LET_GO
      draft.firstMs = draft.age()
      yield notice + text
    } else yield piece
  }

  try {
    for await (const part of parts) {
      if (part.type === 'asked') draft.asked = { agent: prepared.turn.agent.id, ...askedOf(part) }
      else writing.isHeard = true
      if (part.type === 'end') writing.ended = part.reason
      if (part.type === 'text') yield * show(clean.push(part.text))
      else if (part.type === 'action') writing.proposal ??= { action: part.action, reason: part.reason }
    }
    yield * show(clean.end())
  } catch (error) {
    signal.throwIfAborted()
    // A try of which nothing came took nothing.
    if (!writing.isHeard) draft.asked = undefined
    // The end of what was said may have been held back.
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

/** What a model has written by now. */
interface Writing {
  text: Written
  /** Some of it has been shown. */
  isShown: boolean
  /** Anything has come, be it text or not. */
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

/** Calls `isUnknown` where the model says that it does not know. */
function cleanerFor ({ agent }: Turn, { sources }: Prompt, isUnknown: () => void): Cleaner {
  return cleaner({
    isSource (n, said) {
      if (n === UNKNOWN) isUnknown()
      const source = sources[n - 1]
      return source !== undefined && mayRestOn(sentenceBefore(said), source)
    },
    isAllowed: linksIn({ own: settingsOf(agent), sources: sources.flatMap(({ url, text }) => [url ?? '', text]) })
  })
}

/** An answer that ended before all was said: what there is of it is kept. */
function brokenOff ({ text }: Writing, draft: Draft, code: string, phrases: Phrases): Answer {
  return { ...endedWith(draft, text.whole(), 'failed'), error: { code, message: phrases.brokeOff } }
}

/** An answer of which all was said; undefined where that is nothing. */
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
 * What is said with a proposal beside which the model said nothing: who decides about it tells the rest. Undefined
 * where nothing can come of it, so that nobody is asked to wait for it.
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

/** What may turn out to rest on nothing is shown only when it names a source, or has ended. */
function mayRestOnNothing (
  { known: { confidence, sureness }, needs: { thresholds: { maybe } }, done: { told }, place }: Prepared
): boolean {
  return told.length === 0 && place === undefined && confidence < maybe && sureness() < maybe
}

function askedOf ({ model, provider, spent }: Extract<ModelPart, { type: 'asked' }>) {
  return { model, provider, spent }
}

/**
 * The sources' own sentences, quoted; "this may help" where it is less sure, and an honest "I do not know" where
 * nothing answers.
 */
function fromExtract (prepared: Prepared): Answer {
  const { turn: { agent }, needs: { thresholds }, phrases, known, instead, done: { told }, place } = prepared
  // What was done is told, also where the model that was to tell it does not answer.
  if (told.length > 0) return plain(told.map(({ title, text }) => `${title}\n${text}`).join('\n\n'), 'extract', [])
  const { confidence, isRewritten } = known
  // What only a model's words have found is offered: it may have meant something else.
  const isSure = confidence >= thresholds.sure && !isRewritten
  // What the business has set is surer than what a source may mean, and less exact than what one surely says.
  if (place !== undefined && !isSure) return plain(place, 'canned', [])
  const shown = (quotations: Quotation[]) => quotations
    .map((quotation) => ({ ...quotation, shown: shownOf(quotation, agent) }))
    .filter(({ shown }) => shown !== '')
  const best = shown(confidence < thresholds.maybe ? [] : known.quotations())
  const others = isSure || best.length === 0 ? [] : shown(known.alternatives())
  const quotations = [...best, ...others]
  if (quotations.length === 0) {
    const contact = agent.behavior.email ? ` ${phrases.writeTo.replace('{contact}', agent.behavior.email)}` : ''
    return { ...plain(phrases.unknown + contact, 'extract', instead), unknown: true }
  }
  const citations = quotations.map(({ passage, text, start, end }, at): Citation => ({
    n: at + 1,
    source: passage.source,
    title: passage.title,
    url: passage.url,
    page: passage.page,
    quote: text,
    start: passage.start + start,
    end: passage.start + end,
    checked_at: passage.checked_at ?? null
  }))
  const cited = quotations.map(({ shown }, at) => `${shown} [${at + 1}]`)
  const quoted = [cited.slice(0, best.length).join(' '), ...cited.slice(best.length)].join('\n\n')
  const offer = agent.behavior.email ? `\n\n${phrases.writeTo.replace('{contact}', agent.behavior.email)}` : ''
  return { ...plain(isSure ? quoted : `${phrases.mayHelp}\n\n${quoted}${offer}`, 'extract', []), citations }
}

/** A quotation as it may stand in an answer: without images, markup, and numbers that would name sources. */
function shownOf ({ text, passage }: Quotation, agent: AgentRecord): string {
  const clean = cleaner({
    isSource: () => false,
    isAllowed: linksIn({ own: settingsOf(agent), sources: [passage.url ?? '', passage.text, text] })
  })
  const said = isRow(text) ? sentenceOfRow(text) : text
  return (clean.push(said) + clean.end()).replaceAll(/(?<!\s)\s*\n\s*/g, '\n').trim()
}

function plain (text: string, by: 'model' | 'extract' | 'canned', suggestions: readonly string[]): Answer {
  return {
    text,
    status: 'complete',
    citations: [],
    suggestions: [...suggestions],
    answered_by: by,
    model: null,
    usage: null,
    error: null
  }
}
