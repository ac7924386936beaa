import { Type, type Static } from '@sinclair/typebox'
import { Id, Timestamp, closed, nullable, oneOf, title } from './common.ts'

/** Why a person was requested, or speaks. */
export const HANDOFF_REASONS = [
  'visitor_asked', 'rule', 'not_known', 'repeated_failure', 'provider_down', 'limit', 'person_took_over',
  'transferred', 'no_one_available', 'action_unknown'
] as const
export const HandoffReason = oneOf(HANDOFF_REASONS, { title: 'HandoffReason' })
export type HandoffReason = Static<typeof HandoffReason>

/** The state of a conversation's episode: the basis of hand-off decisions and its outcome. */
export interface Course {
  /** When the visitor first wrote in it; null before that. */
  began_at: Timestamp | null
  /** When and why a person was first requested; when the first one joined. */
  asked_at: Timestamp | null
  asked_for: HandoffReason | null
  taken_at: Timestamp | null
  /** When people first wrote to the visitor. */
  replied_at: Timestamp | null
  /** The agents that answered in it before the current one. */
  hops: Id[]
  /** Consecutive answers that knew nothing, and that failed. */
  unknowns: number
  failures: number
  /**
   * The last answer cites a source; the visitor said that it helped; nothing was answered since the visitor last wrote.
   */
  is_cited: boolean
  is_confirmed: boolean
  is_unanswered: boolean
  /** A ticket was opened in it. */
  is_ticketed: boolean
  /** It promised the visitor people, who have written nothing since. */
  is_promised: boolean
  /** Messages up to this one are passed to the agent as a summary, not replayed. */
  boundary: number
  /** The message after which another agent took over; 0: none. */
  transfer: number
  /** The previous agent's reason for it. */
  passed_for: string
  /** The visitor's first message that waits for a person; 0: none. */
  waits: number
  /**
   * Until when the business vouches for the last writer, in seconds since 1970; 0: it does not; null: the message came
   * from the business itself, which says who its visitors are.
   */
  vouched: number | null
  /** The message in which the visitor gave their address; 0: it was requested; null: it was not. */
  address: number | null
  /** Members who were offered it and did not take it, since it waits for a person. */
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

/** A person's note on a conversation: for the team, never shown to the visitor. As stored. */
export const NoteRecord = Type.Object({
  id: Type.String({ pattern: '^note_[A-Za-z0-9_-]{22}$', maxLength: 32 }),
  conversation: Type.String(),
  person: Id,
  text: Type.String(),
  created_at: Timestamp
})
export type NoteRecord = Static<typeof NoteRecord>

/** A note as responses show it. */
export const Note = Type.Object(NoteRecord.properties, { title: 'Note' })

/** Request to create a note. */
export const NoteDraft = Type.Object(
  { text: title(4000) }, { ...closed, title: 'NoteDraft', examples: [{ text: 'Has called about this before.' }] }
)
export type NoteDraft = Static<typeof NoteDraft>

/** Whether somebody is available for visitors. */
export const Duty = Type.Object({
  on: nullable(Type.Boolean({ description: 'The setting; null: available while a console is open' })),
  is_console_open: Type.Boolean(),
  is_open: Type.Boolean({ description: 'Whether it is currently within business hours' }),
  is_on_duty: Type.Boolean({ description: 'The result: whether visitors are currently handed off to this person' }),
  capacity: nullable(Type.Integer({
    minimum: 0, description: 'Conversations they can hold before no more are offered to them; null: no limit'
  }))
}, { title: 'Duty' })
export type Duty = Static<typeof Duty>

const capacity = nullable(Type.Integer({
  minimum: 0, maximum: 1000, description: 'Conversations at once before no more are offered; null: no limit'
}))

/** Request to set a colleague's capacity. */
export const CapacityDraft = Type.Object({ capacity }, { ...closed, title: 'CapacityDraft', examples: [{ capacity: 5 }] })

/** Request to set it. */
export const DutyDraft = Type.Object(
  {
    on: nullable(
      Type.Boolean({
        description: 'true: available, also without a console; false: unavailable; null: while a console is open'
      })
    ),
    capacity: Type.Optional(nullable(Type.Integer({
      minimum: 0,
      maximum: 1000,
      description: 'Conversations at once before no more are offered; null: no limit. Unchanged if omitted'
    })))
  },
  { ...closed, title: 'DutyDraft', examples: [{ on: true }] }
)

/** Request for a person; every field is optional. */
export const HandoffDraft = Type.Object({
  reason: Type.Optional(oneOf(['visitor_asked', 'rule'], { description: 'Default: visitor_asked' }))
}, { ...closed, title: 'HandoffDraft', examples: [{}] })

/** Request to take over; every field is optional. */
export const TakeoverDraft = Type.Object(
  {
    from: Type.Optional(
      Type.Integer({
        minimum: 1,
        maximum: Number.MAX_SAFE_INTEGER,
        description:
          'The colleague to take it over from. Without it, a conversation that a colleague holds is refused with 409'
      })
    )
  },
  { ...closed, title: 'TakeoverDraft', examples: [{}] }
)

/** Whom a conversation is assigned to. */
export const AssigneeDraft = Type.Object(
  {
    assignee: nullable(Type.Integer({
      minimum: 1,
      maximum: Number.MAX_SAFE_INTEGER,
      description: 'User id of a member who may answer visitors; null: unassigned'
    })),
    from: TakeoverDraft.properties.from
  },
  { ...closed, title: 'AssigneeDraft', examples: [{ assignee: 7 }] }
)

/** Request to close; every field is optional. */
export const CloseDraft = Type.Object({
  resolved: Type.Optional(Type.Boolean({ description: 'Whether the visitor\'s question has definitely been answered' }))
}, { ...closed, title: 'CloseDraft', examples: [{ resolved: true }] })

/** Request to signal typing. */
export const TypingDraft = Type.Object({
  role: Type.Optional(oneOf(['visitor', 'person'], { description: 'Default: visitor' }))
}, { ...closed, title: 'TypingDraft', examples: [{ role: 'person' }] })

/** The last message of a conversation that a member has seen. */
export const SeenDraft = Type.Object({
  up_to: Type.Integer({
    minimum: 1, maximum: Number.MAX_SAFE_INTEGER, description: '`seq` of the last message seen'
  })
}, { ...closed, title: 'SeenDraft', examples: [{ up_to: 4 }] })

/** The same as stored: it never decreases, and never exceeds the newest message. */
export const Seen = Type.Object({
  id: Type.String({ description: 'Conversation id' }),
  user: nullable(Type.Integer({ minimum: 1, description: 'User id of the member; null: the visitor, via widget' })),
  up_to: Type.Integer({ description: '`seq` of the last message they have seen' })
}, { title: 'Seen' })
export type Seen = Static<typeof Seen>

/** How much of a conversation the visitor has seen. */
export const SeenByVisitor = Type.Object({
  up_to: Type.Integer({ description: '`seq` of the last message they have seen' }),
  at: { ...Timestamp, description: 'When they saw it' }
}, { title: 'SeenByVisitor' })
export type SeenByVisitor = Static<typeof SeenByVisitor>

/** A read mark as the watchers of an account receive it. */
export const SeenTold = Type.Composite([
  Seen, Type.Object({ at: Type.Optional({ ...Timestamp, description: 'When the visitor saw it; absent for members' }) })
], { title: 'SeenTold' })
export type SeenTold = Static<typeof SeenTold>

/** How far the caller, and its visitor, have seen a conversation. */
export const SeenState = Type.Composite([
  Seen,
  Type.Object({
    visitor: Type.Unsafe<SeenByVisitor | null>(Type.Union([SeenByVisitor, Type.Null()], {
      description: 'How far its visitor has seen it; null unless a widget has reported it'
    }))
  })
], { title: 'SeenState' })
export type SeenState = Static<typeof SeenState>

const looking = {
  user: Id,
  state: oneOf(['looking', 'typing', 'away'], { description: '`away`: they are no longer looking at it' })
}

/** A member has a conversation open. */
export const Looking = Type.Object({
  id: Type.String({ description: 'Conversation id' }), ...looking
}, { title: 'Looking' })
export type Looking = Static<typeof Looking>

/** What the caller is doing. */
export const LookingDraft = Type.Object({ state: looking.state }, {
  ...closed, title: 'LookingDraft', examples: [{ state: 'looking' }]
})

/** Who else has it open. */
export const Onlookers = Type.Object({ colleagues: Type.Array(Looking) }, { title: 'Onlookers' })
export type Onlookers = Static<typeof Onlookers>

/** What somebody who answers visitors has not seen yet. */
export const Unread = Type.Object({
  conversations: Type.Array(Type.String(), {
    description: 'Ids of conversations they hold that have unseen visitor messages; the newest 100 at most'
  })
}, { title: 'Unread' })
export type Unread = Static<typeof Unread>
