import type { ConversationRecord } from '../../schema/conversations.ts'
import { AT_FIRST } from '../../src/conversations/handoff/policy.ts'
import type { HandoffEvent, Speaker } from '../../src/conversations/contract.ts'
import { MOST_HOPS } from '../../src/handoff/conversing.ts'
import type { HandoffChange, HandoffContext } from '../../src/handoff/moves.ts'
import { decide, type Table } from '../../src/handoff/policy.ts'
import { Refusal } from '../../src/platform/errors.ts'

export const AT = '2026-01-01T00:00:00.000000Z'

export const BEGUN: ConversationRecord = {
  id: 'conv_1',
  agent: 1,
  owner: 1,
  visitor: null,
  channel: 'api',
  ...AT_FIRST,
  language: null,
  subject: '',
  tickets: [],
  messages: 0,
  created_at: AT,
  updated_at: AT,
  last_message_at: null,
  page: null,
  revision: 1
}

export const speaker = (id = 1, more: Partial<Speaker> = {}): Speaker => ({
  id,
  status: 'Active',
  version: 1,
  name: `Agent ${id}`,
  expertHandoff: true,
  aiToAiHandoff: true,
  agentHandoffPrompt: '',
  contact: null,
  hasTickets: true,
  guardRules: [],
  ...more
})

export const given = (more: Partial<HandoffContext> = {}): HandoffContext => ({
  at: AT,
  speaker: speaker(),
  isOnDuty: true,
  dutyEndsInMs: undefined,
  writes: 0,
  hasAddress: () => false,
  hands: () => [],
  mayAnswer: () => true,
  agent: (id) => (id < 6 ? speaker(id) : undefined),
  ...more
})

/** Random numbers, reproducible by the seed. */
export function seeded (seed: number): (below: number) => number {
  let state = seed
  return (below) => {
    state = (Math.imul(state, 1_664_525) + 1_013_904_223) >>> 0
    return Math.floor(state / 2 ** 32 * below)
  }
}

/** An answer in progress, as it was begun. */
interface Begun { epoch: number, speaker: number, isDone: boolean }

/**
 * What a visitor sees of a conversation, tracked separately from what decides: who speaks, what they were told, and
 * what was begun when. Finds violations: two speakers, a silent change of the handler, a late answer, somebody who
 * waits for nothing, an agent twice in an episode.
 */
export function world (table: Table) {
  let conversation: ConversationRecord = BEGUN
  let current: Begun | undefined
  const begun: Begun[] = []
  const timers: Array<Extract<HandoffEvent, { type: 'due' }>> = []
  const offers: Array<{ epoch: number, to: number }> = []
  const snoozes: Array<{ until: string }> = []
  let hops: number[] = []
  let ends = 0
  let isOnDuty = true
  let members = [7, 8, 9]
  let seq = 0
  const faults: string[] = []

  const speaks = ({ status, handled_by: by, person, speaker: agent }: ConversationRecord) =>
    `${status === 'closed' ? 'nobody' : by} ${person ?? ''} ${agent ?? ''}`
  const answering = () => speaker(conversation.speaker ?? 1)

  function applyTo (change: HandoffChange, event: HandoffEvent) {
    const before = conversation
    conversation = {
      ...before,
      ...change.change,
      messages: before.messages + (event.type === 'said' ? 1 : 0) + (change.notice ? 1 : 0)
    }
    if (change.stops && current) current = undefined
    check(before, change)
    for (const { kind, payload } of change.jobs) {
      if (kind === 'handoff.offer') offers.splice(0, offers.length, payload as (typeof offers)[number])
      if (kind === 'handoff.snooze') snoozes.splice(0, snoozes.length, payload as (typeof snoozes)[number])
      if (kind === 'handoff.due') {
        timers.splice(0, timers.length, { type: 'due', ...(payload as object) } as (typeof timers)[number])
      }
    }
    if (conversation.episode !== before.episode) hops = []
    if (conversation.speaker !== before.speaker && conversation.speaker !== null) hops.push(before.speaker ?? 1)
    ends += change.ended ? 1 : 0
    if (change.answers && !current && conversation.handled_by === 'agent' && conversation.status === 'open') {
      current = { epoch: conversation.epoch, speaker: answering().id, isDone: false }
      begun.push(current)
    }
  }

  function check (before: ConversationRecord, { notice, events, ended }: HandoffChange) {
    const isMoved = speaks(before) !== speaks(conversation)
    const fault = (what: string) => faults.push(`${what}: ${speaks(before)} → ${speaks(conversation)}`)
    if (isMoved && !notice) fault('hands change in silence')
    if (isMoved && events.length === 0) fault('hands change without an event')
    if (isMoved !== (conversation.epoch !== before.epoch) && !notice) fault('the epoch does not tell')
    if (conversation.epoch - before.epoch > 1) fault('two epochs at once')
    if ((conversation.handled_by === 'person') !== (conversation.person !== null)) {
      fault('a person who does not speak, or nobody who does')
    }
    if ((conversation.handled_by === 'queue') !== (conversation.status === 'waiting')) {
      fault('a queue that nobody waits in')
    }
    if (
      before.handled_by === 'person' &&
      conversation.handled_by === 'person' &&
      before.person !== conversation.person &&
      events[0] !== 'handoff.taken'
    ) { fault('two who speak') }
    if (conversation.offered_to !== null && conversation.handled_by !== 'queue') fault('offered, and nobody waits')
    if (isMoved && conversation.handled_by === 'person' && conversation.assignee !== conversation.person) {
      fault('taken, and another one\'s')
    }
    if (conversation.snoozed_until !== null && (conversation.handled_by !== before.handled_by || conversation.person !== before.person || conversation.status !== 'open')) {
      fault('asleep in other hands')
    }
    if (conversation.status === 'closed' && (conversation.outcome === null || !conversation.closed_at)) {
      fault('closed without an outcome')
    }
    if ((ended !== null) !== (before.status !== 'closed' && conversation.status === 'closed')) {
      fault('an episode does not end once')
    }
    if (
      conversation.course.hops.length > MOST_HOPS ||
      new Set([...conversation.course.hops, conversation.speaker ?? 1]).size !== conversation.course.hops.length + 1
    ) { fault('a loop of agents') }
    if (current && (conversation.handled_by !== 'agent' || conversation.status !== 'open')) {
      fault('the agent talks over somebody')
    }
  }

  /** Passes the state machine an event; a refused one changes nothing. True where it was accepted. */
  function tell (event: HandoffEvent): boolean {
    try {
      const change = table(conversation, event, given({
        isOnDuty,
        writes: current ? 2 : 0,
        speaker: answering(),
        hands: () => members
          .filter(() => isOnDuty)
          .map((user) => ({ user, capacity: 3, holds: 0, offered: 0, called_at: null })),
        mayAnswer: (user) => members.includes(user)
      }))
      if (change) applyTo(change, event)
      return change !== undefined
    } catch (error) {
      if (!(error instanceof Refusal)) throw error
      return false
    }
  }

  /** An answer that was begun at any time ends. */
  function end (one: Begun, ending: Partial<Extract<HandoffEvent, { type: 'ended' }>['ending']>) {
    if (one.isDone) return
    one.isDone = true
    const [was, wasEpoch] = [conversation, conversation.epoch]
    if (one === current) current = undefined
    const isSaid = tell({
      type: 'ended',
      epoch: one.epoch,
      ending: { status: 'complete', isUnknown: false, isCited: true, hindered: null, proposal: null, ...ending }
    })
    if (isSaid && (one.epoch !== wasEpoch || was.handled_by !== 'agent' || was.status !== 'open')) {
      faults.push(`a late answer: ${speaks(was)}`)
    }
  }

  const people = [7, 8, 9]
  const steps: Array<(random: (below: number) => number) => void> = [
    (random) => tell({
      type: 'said',
      seq: ++seq,
      wantsPerson: random(4) === 0,
      isThanks: random(4) === 0,
      address: random(3) === 0 ? { email: 'ada@visitor.example', isAll: random(2) === 0 } : undefined
    }),
    (random) => {
      const one = begun[begun.length - 1 - random(Math.min(3, begun.length))]
      if (one) end(one, {})
    },
    (random) => {
      const one = begun.at(-1)
      if (one) end(one, { proposal: { action: `transfer_${1 + random(6)}`, reason: 'complaint' } })
    },
    (random) => {
      const one = begun.at(-1)
      if (one) {
        end(one, { proposal: { action: ['handoff', 'ticket', 'resolve', 'fly'][random(4)]!, reason: 'complaint' } })
      }
    },
    (random) => {
      const one = begun.at(-1)
      if (one) end(one, { isUnknown: true, isCited: false, hindered: random(3) ? null : 'provider_down' })
    },
    () => {
      const one = begun.at(-1)
      if (one) end(one, { status: 'failed' })
    },
    () => tell({ type: 'asked', reason: 'visitor_asked' }),
    () => tell({ type: 'cancelled' }),
    (random) => {
      const [holder, person] = [conversation.person, people[random(3)]!]
      const isLet = tell({ type: 'taken', person, from: null })
      if (isLet && holder !== null && holder !== person) faults.push('two who speak: taken from somebody unasked')
    },
    (random) => tell({ type: 'taken', person: people[random(3)]!, from: people[random(3)]! }),
    (random) => {
      const [holder, person] = [conversation.person, people[random(3)]!]
      const isLet = tell({ type: 'replied', person })
      if (isLet && holder !== null && holder !== person) faults.push('two who speak: replied beside somebody')
    },
    (random) => tell({ type: 'released', person: people[random(3)]! }),
    (random) => {
      const due = timers[0]
      if (due) tell(random(3) ? due : { ...due, epoch: due.epoch - 1 })
    },
    () => {
      isOnDuty = !isOnDuty
      if (!isOnDuty) tell({ type: 'left' })
    },
    (random) => {
      if (random(4) === 0) tell({ type: 'closed', by: random(2) ? 'visitor' : 'person', isResolved: random(2) === 0 })
    },
    (random) => {
      if (random(4) === 0) tell({ type: 'reopened' })
    },
    (random) => {
      const [holder, by, from] = [conversation.person, people[random(3)]!, people[random(3)]!]
      const isLet = tell({ type: 'assigned', by, to: random(4) ? people[random(3)]! : null, from })
      if (isLet && holder !== conversation.person && holder !== null && ![by, from].includes(holder)) {
        faults.push('two who speak: assigned away from somebody unasked')
      }
    },
    (random) => {
      const offer = offers[0]
      if (offer) tell({ type: 'passed', ...offer, epoch: offer.epoch - (random(3) ? 0 : 1) })
    },
    () => tell({ type: 'free' }),
    (random) => {
      if (random(4)) return
      const person = people[random(3)]!
      members = members.filter((one) => one !== person)
      tell({ type: 'abandoned', person })
      if ([conversation.person, conversation.offered_to, conversation.status === 'closed' ? null : conversation.assignee]
        .includes(person)) faults.push('left with somebody who is gone')
      members = [...members, person]
    },
    (random) => tell({ type: 'snoozed', until: random(3) ? '2026-01-02T00:00:00.000000Z' : null }),
    () => {
      const snooze = snoozes[0]
      if (snooze) tell({ type: 'woken', ...snooze })
    },
    (random) => tell({ type: 'judged', score: random(2) ? 1 : -1 })
  ]

  return {
    step: (random: (below: number) => number) => {
      steps[random(steps.length)]!(random)
    },
    faults,
    now: () => conversation,
    /**
     * Everyone who waits is served in the end: a timer leads out of every queue, and to everybody who waits for a
     * person.
     */
    settle () {
      const {
        handled_by: by, course: { waits }
      } = conversation
      if (by !== 'queue' && !(by === 'person' && waits)) return
      isOnDuty = false
      if (conversation.snoozed_until !== null) tell({ type: 'woken', until: conversation.snoozed_until })
      const due = timers[0]
      if (due) tell(due)
      if (conversation.handled_by !== 'agent') faults.push(`somebody waits for ever: ${speaks(conversation)}`)
    },
    ends: () => ends
  }
}

/**
 * Runs this many random steps over many conversations; returns the violations, and how often each kind of handler
 * spoke.
 */
export function run (steps: number, seed: number, table: Table = decide) {
  const random = seeded(seed)
  const spoke: Record<string, number> = {}
  const faults: string[] = []
  for (let done = 0; done < steps && faults.length === 0;) {
    const one = world(table)
    for (let length = 10 + random(60); length > 0; length--, done++) {
      one.step(random)
      const { status, handled_by: by } = one.now()
      const who = status === 'closed' ? 'closed' : by
      spoke[who] = (spoke[who] ?? 0) + 1
    }
    one.settle()
    faults.push(...one.faults)
  }
  return { faults, spoke }
}

/** The state machine without one of its three guards: the faults seen elsewhere come back. */
export const WITHOUT: Record<string, Table> = {
  epoch: (conversation, event, circumstances) => decide(conversation, event.type === 'ended' || event.type === 'due'
    ? { ...event, epoch: conversation.epoch }
    : event, circumstances),
  owner: (conversation, event, circumstances) => decide('person' in event && conversation.person !== null
    ? { ...conversation, handled_by: 'agent', person: null }
    : conversation, event, circumstances),
  notice: (conversation, event, circumstances) => {
    const change = decide(conversation, event, circumstances)
    return change && { ...change, notice: null }
  }
}
