import { Type, type TSchema } from '@sinclair/typebox'
import { Id, Timestamp, nullable } from '../../schema/common.ts'
import type { EventType } from '../../schema/webhooks.ts'

type Thing = 'conversation' | 'message' | 'ticket' | 'source' | 'run' | 'reason' | 'feed' | 'import' | 'gaps' | 'version' | 'sources' | 'questions_affected'

/** What there is to say of each event, and what it is about. */
const EVENTS: Record<EventType, [summary: string, about: Thing[]]> = {
  'conversation.created': ['A conversation has begun', ['conversation']],
  'message.completed': [
    'A message is whole: said by a visitor or a person, or answered by an agent', ['conversation', 'message']
  ],
  'conversation.closed': ['A conversation was closed', ['conversation']],
  'conversation.reopened': ['A closed conversation goes on', ['conversation']],
  'conversation.deleted': ['A conversation was deleted: only its id is left', ['conversation']],
  'conversation.updated': [
    'Its tags, priority or assignee have changed, or until when it is put off', ['conversation']
  ],
  'handoff.requested': ['A visitor waits for a person', ['conversation', 'reason']],
  'handoff.taken': ['A person has taken a conversation over', ['conversation']],
  'handoff.released': ['A person has given a conversation back to its agent', ['conversation']],
  'handoff.overdue': [
    'A reply of people is overdue, by the targets of the account: told once', ['conversation']
  ],
  'ticket.created': ['A ticket was opened', ['ticket']],
  'ticket.updated': ['A ticket has changed: its status, or somebody has written', ['ticket']],
  'feedback.given': ['A visitor has judged an answer', ['conversation', 'message']],
  'source.trained': ['A knowledge source has been trained', ['source']],
  'source.failed': ['A knowledge source could not be trained; its `error` says why', ['source']],
  'check.failed': ['What an agent knows has changed, and test questions that passed before do not any more', ['run']],
  'knowledge.changed': [
    'A feed has found something new, changed or gone, and it is learnt: which sources, and which test questions rest on them',
    ['feed', 'sources', 'questions_affected']
  ],
  'feed.broken': ['A feed could not be looked at, as its `error` says', ['feed']],
  'knowledge.gaps': ['The weekly report of what an agent was asked and did not know', ['gaps']],
  'import.applied': ['An agent was made or changed of what another product exported', ['import']],
  'agent.published': ['Visitors are answered with another version of an agent: who published it, and why', ['version']]
}

/** A shape that routes answer too, by its name in the document. */
const shape = (title: string) => Type.Unsafe({ $ref: `#/components/schemas/${title}` })
/** What is sent of a thing: as it is when the event is sent, or its id alone once it is gone. */
const orId = (title: string, id: TSchema) => Type.Union([shape(title), Type.Object({ id })])

const THINGS: Record<Thing, TSchema> = {
  conversation: orId('Conversation', Type.String()),
  message: orId('Message', Type.String()),
  ticket: orId('Ticket', Type.String()),
  source: orId('KnowledgeSource', Type.Integer()),
  run: orId('CheckRun', Type.Integer()),
  reason: shape('HandoffReason'),
  feed: orId('Feed', Type.Integer()),
  import: orId('ImportSummary', Type.Integer()),
  gaps: orId('KnowledgeGaps', Type.Integer()),
  version: orId('VersionSummary', Type.Integer({ description: 'Its number' })),
  sources: Type.Array(Id, { description: 'At most 100 of them' }),
  questions_affected: Type.Array(Id, { description: 'At most 100 of them' })
}

const SIGNED = {
  'webhook-id': 'The event: the same for every attempt, so that a repeat can be told',
  'webhook-timestamp': 'When it was sent, in seconds since 1970',
  'webhook-signature': 'Signatures as Standard Webhooks has them, parted by spaces; one that fits is enough'
}

/** What is sent to the webhooks of accounts, for the API document. */
export const WEBHOOK_DOCUMENT = Object.fromEntries(
  Object.entries(EVENTS).map(([type, [summary, about]]) => [type, {
    post: {
      operationId: `on${type.replaceAll(/(?:^|\.)(\w)/g, (_, letter: string) => letter.toUpperCase())}`,
      tags: ['Webhooks'],
      summary,
      security: [],
      parameters: Object.entries(SIGNED).map(([name, description]) => ({
        in: 'header', name, required: true, description, schema: { type: 'string' }
      })),
      requestBody: {
        required: true,
        content: {
          'application/json': {
            schema: Type.Object({
              type: Type.String({ enum: [type] }),
              timestamp: Timestamp,
              data: Type.Object({ agent: nullable(Id), ...Object.fromEntries(about.map((one) => [one, THINGS[one]])) })
            })
          }
        }
      },
      responses: {
        '2XX': { description: 'It has arrived' },
        410: { description: 'Nothing more is wanted: the webhook is switched off' }
      }
    }
  }])
)
