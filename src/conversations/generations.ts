import type { Id } from '../../schema/common.ts'
import type { MessageRecord } from '../../schema/conversations.ts'
import type { Answer } from './life/decision.ts'
import type { ModelUsage as Spent } from './usage/ledger.ts'
import { answerTurn, type TurnNeeds } from './answering/turn.ts'
import type { Turn } from './contract.ts'
import type { Neighbours } from '../platform/neighbours/contract.ts'
import { seenElsewhere, showing } from './elsewhere.ts'
import { endedWith, isSameRun, newDraft, Written, type Draft, type Generation } from './generation.ts'

/** How soon a visitor's next message still belongs to the previous one. */
const MERGED_MS = 800

/** Dependencies and callbacks. */
export interface RunsNeeds extends TurnNeeds {
  /** Input of an answer; undefined if its conversation or agent was deleted. */
  load: (owner: Id, conversation: string, answer: MessageRecord, begunIn: number) => Promise<{ turn: Turn } | undefined>
  /**
   * Saves the finished answer of a run if it still `isWanted`, checked on saving; starts the one that follows.
   */
  finish: (run: Generation, answer: Answer, isWanted: () => boolean) => Promise<void>
  /** Calls back when an agent is deleted, until the returned function is called. */
  whenGone: (agent: Id, callback: () => void) => () => void
  neighbours: Pick<Neighbours, 'tell' | 'hear' | 'write' | 'shown'>
  /** The answer of a conversation cannot be continued here. */
  letGo: (conversation: string) => Promise<void>
  /** A message as currently stored; undefined if deleted. */
  kept: (owner: Id, conversation: string, message: string) => Promise<MessageRecord | undefined>
  /** A conversation's answer has more text to show. */
  notify: (conversation: string) => void
  /** Records the usage of an answer that is not stored. */
  noteRun: (owner: Id, run: Spent) => void
  onFault: (error: unknown) => void
}

/** The answers being written in this process, one per conversation. */
export interface Runs {
  /** Starts an answer. */
  start (owner: Id, conversation: string, answer: MessageRecord, epoch: number): void
  /** The run of a conversation. */
  of (conversation: string): Generation | undefined
  /** The run of a conversation in another process, as far as it is visible now. */
  elsewhere (conversation: string): Promise<Generation | undefined>
  /**
   * A visitor writes again: cancels the run without persisting anything, if none of it was seen yet or its message is
   * still fresh. Returns true if so; the caller restarts it with `start`, or gives it back with `restore`.
   */
  supersede (conversation: string): boolean
  /** Restarts a cancelled run that was not replaced. */
  restore (conversation: string): void
  /** Cancels the run of a conversation for good: its end is saved elsewhere. */
  drop (conversation: string): void
  /** Cancels the run of a deleted conversation, and records its usage. */
  forget (conversation: string): void
  /** Ends the run writing this message with what was seen of it; one in another process is asked to end. */
  stop (conversation: string, message: string): Promise<void>
  /** Resolves when the run of a conversation has ended or, if it was cancelled, was restarted. */
  ended (conversation: string): Promise<void>
  /** Cancels all runs; unfinished answers are regenerated after the next start. */
  close (): Promise<void>
}

/** Sent to the other processes: that another may now own the answer of a conversation, and that one is to stop. */
const TAKEN = 'answers.taken'
const STOP = 'answers.stop'

interface Mine {
  run: Generation
  /** As other processes see it. */
  shown: ReturnType<typeof showing>
  text: Written
  draft: Draft
  abort: AbortController
  why: 'superseded' | 'stopped' | undefined
  done: Promise<void>
  /** Resolves when it was cancelled and replaced by another. */
  replaced: PromiseWithResolvers<void>
}

/** See Runs. */
export function openRuns (needs: RunsNeeds): Runs {
  const runs = new Map<string, Mine>()

  function start (owner: Id, conversation: string, answer: MessageRecord, epoch: number) {
    const text = new Written()
    const draft = newDraft()
    const head = { owner, conversation, answer, epoch }
    const mine: Mine = {
      text,
      shown: showing(needs.neighbours, head, draft),
      draft,
      abort: new AbortController(),
      why: undefined,
      done: Promise.resolve(),
      replaced: Promise.withResolvers(),
      run: {
        ...head,
        begun: Symbol('begun'),
        since: needs.now(),
        text,
        doing: () => mine.draft.doing,
        soFar: () => endedWith(mine.draft, text.whole())
      }
    }
    const before = runs.get(conversation)
    if (before) takeAway(before, 'superseded')
    runs.set(conversation, mine)
    before?.replaced.resolve()
    needs.neighbours.tell(TAKEN, conversation)
    mine.done = write(mine).catch((error) => {
      needs.onFault(error)
      // If the database is unreachable, others take it up after a while.
      if (mine.why !== 'superseded') needs.letGo(conversation).catch(() => {})
    }).finally(() => {
      mine.shown.end()
      // A cancelled run stays until another replaces it.
      if (runs.get(conversation) === mine && mine.why !== 'superseded') runs.delete(conversation)
      needs.notify(conversation)
    })
  }

  async function write (mine: Mine): Promise<void> {
    const { run: { owner, conversation, answer, epoch: begunIn }, abort: { signal } } = mine
    const loaded = await needs.load(owner, conversation, answer, begunIn)
    if (!loaded || mine.why === 'superseded') return
    const unsubscribe = needs.whenGone(loaded.turn.agent.id, () => forgetHere(conversation))
    try {
      const written = await say(mine, loaded.turn, signal)
      if (written) await needs.finish(mine.run, written, () => mine.why !== 'superseded')
    } finally {
      unsubscribe()
    }
  }

  function forget (conversation: string) {
    needs.neighbours.tell(TAKEN, conversation)
    forgetHere(conversation)
  }

  function forgetHere (conversation: string) {
    const mine = runs.get(conversation)
    // If cancelled before, it was counted then.
    const spent = mine?.why === 'superseded' ? undefined : mine?.run.soFar().run
    dropHere(conversation)
    if (mine && spent) needs.noteRun(mine.run.owner, spent)
  }

  function drop (conversation: string) {
    needs.neighbours.tell(TAKEN, conversation)
    dropHere(conversation)
  }

  function dropHere (conversation: string) {
    const mine = runs.get(conversation)
    if (!mine) return
    takeAway(mine, 'superseded')
    runs.delete(conversation)
    mine.replaced.resolve()
  }

  /** The final answer; undefined if the run was cancelled. */
  async function say (mine: Mine, turn: Turn, signal: AbortSignal): Promise<Answer | undefined> {
    const { conversation } = mine.run
    const pieces = answerTurn(turn, needs, signal, mine.draft)
    try {
      for (;;) {
        const { done, value } = await pieces.next()
        if (mine.why === 'superseded') return undefined
        if (mine.why === 'stopped') return mine.run.soFar()
        if (done) return value
        mine.text.add(value)
        mine.shown.add(value)
        needs.notify(conversation)
      }
    } catch (error) {
      if (mine.why === 'stopped') return mine.run.soFar()
      if (mine.why === 'superseded' || signal.aborted) return undefined
      needs.onFault(error)
      return {
        ...endedWith(mine.draft, mine.text.whole(), 'failed'),
        error: { code: 'internal_error', message: 'Something went wrong while this was answered. Ask again.' }
      }
    }
  }

  /** Another process has decided about a conversation: the answer written here may be stale. */
  async function lookAgain (conversation: string) {
    const mine = runs.get(conversation)
    if (!mine) return
    const kept = await needs.kept(mine.run.owner, conversation, mine.run.answer.id)
    if (runs.get(conversation) !== mine) return
    // Its usage is known only here.
    if (kept?.status !== 'generating' || !isSameRun(kept, mine.run.answer)) forgetHere(conversation)
  }
  needs.neighbours.hear(TAKEN, (conversation) => { lookAgain(String(conversation)).catch(needs.onFault) })
  needs.neighbours.hear(STOP, (said) => {
    const [conversation, message] = said as [string, string]
    stopHere(conversation, message).catch(needs.onFault)
  })

  async function stopHere (conversation: string, message: string) {
    for (let mine = runs.get(conversation); mine?.run.answer.id === message; mine = runs.get(conversation)) {
      const isReplaced = mine.why === 'superseded'
      takeAway(mine, 'stopped')
      await mine.done
      if (!isReplaced) return
      await mine.replaced.promise
    }
  }

  function takeAway (mine: Mine, why: 'superseded' | 'stopped') {
    mine.why ??= why
    mine.abort.abort()
  }

  return {
    start,
    of: (conversation) => {
      const mine = runs.get(conversation)
      return mine?.why === 'superseded' ? undefined : mine?.run
    },
    supersede (conversation) {
      const mine = runs.get(conversation)
      if (!mine || mine.why === 'stopped') return false
      if (mine.why === undefined && mine.text.length > 0 && needs.now() - mine.run.since > MERGED_MS) return false
      takeAway(mine, 'superseded')
      return true
    },
    restore (conversation) {
      const mine = runs.get(conversation)
      if (mine?.why === 'superseded') start(mine.run.owner, conversation, mine.run.answer, mine.run.epoch)
    },
    elsewhere: async (conversation) => await seenElsewhere(needs.neighbours, conversation),
    drop,
    forget,
    async stop (conversation, message) {
      if (!runs.has(conversation)) needs.neighbours.tell(STOP, [conversation, message])
      await stopHere(conversation, message)
    },
    async ended (conversation) {
      const mine = runs.get(conversation)
      await mine?.done
      if (mine?.why === 'superseded') await mine.replaced.promise
    },
    async close () {
      const all = [...runs.values()]
      for (const mine of all) takeAway(mine, 'superseded')
      await Promise.allSettled(all.map(({ done }) => done))
      for (const mine of all) mine.replaced.resolve()
      runs.clear()
    }
  }
}
