import { sendingsAbout } from './deliveries/index.ts'
import { ticketsOfPersons } from './tickets/index.ts'
import type { Keeps } from './personal-data/contract.ts'
import { accessKept } from './access/store.ts'
import { agentsKept } from './agents/store.ts'
import { analyticsKept } from './analytics/store.ts'
import { auditKept } from './audit/store.ts'
import { businessKept } from './business/store.ts'
import { checksKept } from './checks/store.ts'
import { conversationsKept } from './conversations/store.ts'
import { deliveriesKept } from './deliveries/deliveries.ts'
import { handoffKept } from './handoff/people.ts'
import { learningKept } from './learning/store.ts'
import { grantsKept } from './mcp/oauth/store.ts'
import { modelsKept } from './models/store.ts'
import { notificationsKept } from './notifications/store.ts'
import { privacyKept } from './privacy/store.ts'
import { repliesKept } from './replies/store.ts'
import { sourcesKept } from './sources/store.ts'
import { teamKept } from './team/store.ts'
import { ticketsKept } from './tickets/store.ts'
import { webhooksKept } from './webhooks/store.ts'
import { widgetKept } from './widget/store.ts'
import { usersAsPersons } from './access/index.ts'
import { agentsOfPersons } from './agents/index.ts'
import { conversationsOfPersons } from './conversations/index.ts'
import type { Database } from './platform/storage/sqlite/database.ts'

/** What features store about agents, users and accounts, in the order of deletion. */
const KEEPS: readonly Keeps[] = [
  conversationsKept, ticketsKept, widgetKept, sourcesKept, learningKept, analyticsKept, checksKept, agentsKept,
  deliveriesKept, privacyKept, auditKept, grantsKept, accessKept, teamKept, handoffKept, notificationsKept,
  repliesKept, webhooksKept, modelsKept, businessKept
]

/** What features store about persons; passed to `privacy/`, which exports, counts and removes it. */
export function knownOfPersons (db: Database) {
  return {
    keeps: KEEPS,
    users: usersAsPersons(db),
    persons: {
      agents: agentsOfPersons(db),
      conversations: conversationsOfPersons(db),
      tickets: ticketsOfPersons(db),
      sendings: sendingsAbout(db)
    }
  }
}

/** See knownOfPersons. */
export type Known = ReturnType<typeof knownOfPersons>
