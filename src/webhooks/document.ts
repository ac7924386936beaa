import { Type, type TSchema } from '@sinclair/typebox'
import { Id, Timestamp, nullable } from '../../schema/common.ts'
import type { EventType } from '../../schema/webhooks.ts'

type Thing = 'conversation' | 'message' | 'ticket' | 'source' | 'run' | 'reason' | 'feed' | 'import' | 'gaps' | 'version' | 'sources' | 'questions_affected'

/** The description of each event, and its object. */
const EVENTS: Record<EventType, [summary: string, about: Thing[]]> = {
  'conversation.created': ['A conversation was started', ['conversation']],
  'message.completed': [
    'A message is complete: sent by a visitor or a person, or an answer of an agent', ['conversation', 'message']
  ],
  'conversation.closed': ['A conversation was closed', ['conversation']],
  'conversation.reopened': ['A closed conversation was reopened', ['conversation']],
  'conversation.deleted': ['A conversation was deleted; only its id remains', ['conversation']],
  'conversation.updated': [
    'The tags, priority, assignee or snooze time of a conversation changed', ['conversation']
  ],
  'handoff.requested': ['A visitor is waiting for a person', ['conversation', 'reason']],
  'handoff.taken': ['A person took over a conversation', ['conversation']],
  'handoff.released': ['A person returned a conversation to its agent', ['conversation']],
  'handoff.overdue': [
    'A reply by a person is overdue according to the targets of the account; sent once', ['conversation']
  ],
  'ticket.created': ['A ticket was opened', ['ticket']],
  'ticket.updated': ['A ticket changed: its status, or a new message', ['ticket']],
  'feedback.given': ['A visitor rated an answer', ['conversation', 'message']],
  'source.trained': ['A knowledge source was trained', ['source']],
  'source.failed': ['A knowledge source could not be trained; its `error` says why', ['source']],
  'check.failed': ['Test questions that passed before fail after a change to what an agent knows', ['run']],
  'knowledge.changed': [
    'New, changed or removed items found by a feed have been learned; lists the sources and the test questions that depend on them',
    ['feed', 'sources', 'questions_affected']
  ],
  'feed.broken': ['A feed could not be checked; its `error` says why', ['feed']],
  'knowledge.gaps': ['The weekly report of questions that an agent could not answer', ['gaps']],
  'import.applied': ['An agent was created or changed by an import from another product', ['import']],
  'agent.published': ['Another version of an agent now answers visitors; includes who published it, and why', ['version']]
}

/** A shape that routes answer too, by its name in the document. */
const shape = (title: string) => Type.Unsafe({ $ref: `#/components/schemas/${title}` })
/** The payload: the object as it is when the event is sent, or only its id once it is deleted. */
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
  version: orId('VersionSummary', Type.Integer({ description: 'Number of the version' })),
  sources: Type.Array(Id, { description: 'At most 100 ids' }),
  questions_affected: Type.Array(Id, { description: 'At most 100 ids' })
}

const SIGNED = {
  'webhook-id': 'Id of the event: the same for every attempt, so that repeats can be recognised',
  'webhook-timestamp': 'When it was sent, in seconds since 1970',
  'webhook-signature': 'Signatures in the Standard Webhooks format, separated by spaces; one valid signature is enough'
}

/** The webhooks' payloads, for the OpenAPI document. */
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
        '2XX': { description: 'The event was received' },
        410: { description: 'No more events are wanted: the webhook is switched off' }
      }
    }
  }])
)
