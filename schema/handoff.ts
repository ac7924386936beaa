import { Type, type Static } from '@sinclair/typebox'
import { Id, Timestamp, closed, nullable, oneOf, title } from './common.ts'

/** Why a person is asked for, or speaks. */
export const HANDOFF_REASONS = [
  'visitor_asked', 'rule', 'not_known', 'repeated_failure', 'provider_down', 'limit', 'person_took_over',
  'transferred', 'no_one_available', 'action_unknown'
] as const
export const HandoffReason = oneOf(HANDOFF_REASONS, { title: 'HandoffReason' })
export type HandoffReason = Static<typeof HandoffReason>

/** How an episode of a conversation has gone so far: what its hand-offs and its outcome are decided by. */
export interface Course {
  /** When the visitor first wrote in it; null before. */
  began_at: Timestamp | null
  /** When a person was first asked for, and why; when the first one came. */
  asked_at: Timestamp | null
  asked_for: HandoffReason | null
  taken_at: Timestamp | null
  /** When people first wrote to the visitor. */
  replied_at: Timestamp | null
  /** The agents that have answered in it before the one that does now. */
  hops: Id[]
  /** Answers in a row that knew nothing, and that failed. */
  unknowns: number
  failures: number
  /**
   * The last answer names a source; the visitor has said that it helped; nothing has been answered since the visitor
   * wrote last.
   */
  is_cited: boolean
  is_confirmed: boolean
  is_unanswered: boolean
  /** A ticket was opened in it. */
  is_ticketed: boolean
  /** People have been promised by it, and have written nothing since. */
  is_promised: boolean
  /** Up to this message what was said is summed up for the agent, not replayed. */
  boundary: number
  /** The message after which another agent took over; 0: none did. */
  transfer: number
  /** Why, as the one before it said. */
  passed_for: string
  /** The first message of the visitor that waits for a person; 0: none does. */
  waits: number
  /**
   * Until when the business vouches for who wrote last, in seconds since 1970; 0: it does not; null: what was written
   * came from the business itself, which says who its visitors are.
   */
  vouched: number | null
  /** The message in which the visitor said their address; 0: they are asked for it; null: they are not. */
  address: number | null
  /** The members who did not take it when it was offered to them, since it waits for a person. */
  passed: Id[]
}

/** A new episode. */
export const NEW_COURSE: Course = {
  began_at: null,
  asked_at: null,
  asked_for: null,
  taken_at: null,
  replied_at: null,
  hops: [],
  unknowns: 0,
  failures: 0,
  is_cited: false,
  is_confirmed: false,
  is_unanswered: false,
  is_ticketed: false,
  is_promised: false,
  boundary: 0,
  transfer: 0,
  passed_for: '',
  waits: 0,
  vouched: null,
  address: null,
  passed: []
}

/** What a person notes on a conversation: for the team, never shown to the visitor. As the system keeps it. */
export const NoteRecord = Type.Object({
  id: Type.String({ pattern: '^note_[A-Za-z0-9_-]{22}$', maxLength: 32 }),
  conversation: Type.String(),
  person: Id,
  text: Type.String(),
  created_at: Timestamp
})
export type NoteRecord = Static<typeof NoteRecord>

/** A note as answers show it. */
export const Note = Type.Object(NoteRecord.properties, { title: 'Note' })

/** What making a note takes. */
export const NoteDraft = Type.Object(
  { text: title(4000) }, { ...closed, title: 'NoteDraft', examples: [{ text: 'Has called about this before.' }] }
)
export type NoteDraft = Static<typeof NoteDraft>

/** Whether somebody is there for visitors. */
export const Duty = Type.Object({
  on: nullable(Type.Boolean({ description: 'What was set; null: whoever has a console open is there' })),
  is_console_open: Type.Boolean(),
  is_open: Type.Boolean({ description: 'Whether now is within the business\'s hours' }),
  is_on_duty: Type.Boolean({ description: 'What comes of it: whether visitors are passed on to this person now' }),
  capacity: nullable(Type.Integer({
    minimum: 0, description: 'Conversations that they hold at once before none is offered to them; null: no limit'
  }))
}, { title: 'Duty' })
export type Duty = Static<typeof Duty>

const capacity = nullable(Type.Integer({
  minimum: 0, maximum: 1000, description: 'Conversations at once before none is offered to them; null: no limit'
}))

/** What sets how much a colleague takes. */
export const CapacityDraft = Type.Object({ capacity }, { ...closed, title: 'CapacityDraft', examples: [{ capacity: 5 }] })

/** What sets it. */
export const DutyDraft = Type.Object(
  {
    on: nullable(
      Type.Boolean({
        description: 'true: there, also without a console; false: not there; null: while a console is open'
      })
    ),
    capacity: Type.Optional(nullable(Type.Integer({
      minimum: 0,
      maximum: 1000,
      description: 'Conversations at once before none is offered to them; null: no limit. Left out, it stays'
    })))
  },
  { ...closed, title: 'DutyDraft', examples: [{ on: true }] }
)

/** What asking for a person takes; all of it can be left out. */
export const HandoffDraft = Type.Object({
  reason: Type.Optional(oneOf(['visitor_asked', 'rule'], { description: 'visitor_asked without it' }))
}, { ...closed, title: 'HandoffDraft', examples: [{}] })

/** What taking over takes; all of it can be left out. */
export const TakeoverDraft = Type.Object(
  {
    from: Type.Optional(
      Type.Integer({
        minimum: 1,
        maximum: Number.MAX_SAFE_INTEGER,
        description:
          'The colleague who has it, to take it from them: without it a conversation that somebody has is refused with 409'
      })
    )
  },
  { ...closed, title: 'TakeoverDraft', examples: [{}] }
)

/** To whom a conversation is given. */
export const AssigneeDraft = Type.Object(
  {
    assignee: nullable(Type.Integer({
      minimum: 1,
      maximum: Number.MAX_SAFE_INTEGER,
      description: 'A member who may answer visitors, by the id of the user; null: nobody'
    })),
    from: TakeoverDraft.properties.from
  },
  { ...closed, title: 'AssigneeDraft', examples: [{ assignee: 7 }] }
)

/** What closing takes; all of it can be left out. */
export const CloseDraft = Type.Object({
  resolved: Type.Optional(Type.Boolean({ description: 'The visitor\'s question is answered for sure' }))
}, { ...closed, title: 'CloseDraft', examples: [{ resolved: true }] })

/** What telling that somebody types takes. */
export const TypingDraft = Type.Object({
  role: Type.Optional(oneOf(['visitor', 'person'], { description: 'visitor without it' }))
}, { ...closed, title: 'TypingDraft', examples: [{ role: 'person' }] })

/** Up to which message a member has seen a conversation. */
export const SeenDraft = Type.Object({
  up_to: Type.Integer({
    minimum: 1, maximum: Number.MAX_SAFE_INTEGER, description: 'The seq of the last message that was seen'
  })
}, { ...closed, title: 'SeenDraft', examples: [{ up_to: 4 }] })

/** The same as it is kept: it never goes back, and never beyond the newest message. */
export const Seen = Type.Object({
  id: Type.String({ description: 'The conversation' }),
  user: nullable(Type.Integer({ minimum: 1, description: 'The member; null: the visitor, as their widget tells it' })),
  up_to: Type.Integer({ description: 'The seq of the last message that they have seen' })
}, { title: 'Seen' })
export type Seen = Static<typeof Seen>

/** What the visitor has seen of a conversation. */
export const SeenByVisitor = Type.Object({
  up_to: Type.Integer({ description: 'The seq of the last message that they have seen' }),
  at: { ...Timestamp, description: 'When they saw it' }
}, { title: 'SeenByVisitor' })
export type SeenByVisitor = Static<typeof SeenByVisitor>

/** Up to where the caller has seen a conversation, and its visitor. */
export const SeenState = Type.Composite([
  Seen,
  Type.Object({
    visitor: Type.Unsafe<SeenByVisitor | null>(Type.Union([SeenByVisitor, Type.Null()], {
      description: 'What its visitor has seen, where they have a widget that tells it'
    }))
  })
], { title: 'SeenState' })
export type SeenState = Static<typeof SeenState>

const looking = {
  user: Id,
  state: oneOf(['looking', 'typing', 'away'], { description: 'away: they look at it no longer' })
}

/** A member has a conversation open. */
export const Looking = Type.Object({
  id: Type.String({ description: 'The conversation' }), ...looking
}, { title: 'Looking' })
export type Looking = Static<typeof Looking>

/** What the caller does. */
export const LookingDraft = Type.Object({ state: looking.state }, {
  ...closed, title: 'LookingDraft', examples: [{ state: 'looking' }]
})

/** Who else has it open. */
export const Onlookers = Type.Object({ colleagues: Type.Array(Looking) }, { title: 'Onlookers' })
export type Onlookers = Static<typeof Onlookers>

/** What somebody who answers visitors has not seen yet. */
export const Unread = Type.Object({
  conversations: Type.Array(Type.String(), {
    description: 'Conversations that they hold and in which the visitor wrote since; the newest 100 at most'
  })
}, { title: 'Unread' })
export type Unread = Static<typeof Unread>
