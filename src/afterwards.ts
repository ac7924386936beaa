import { FOLLOW_UP_MAIL, followUp } from './follow-ups/index.ts'
import { sendingsAbout, type mailShare } from './deliveries/index.ts'
import { hasConsented } from './privacy/index.ts'
import { reviewChanged, sqliteReviewStore, type ReviewStore } from './reviews/index.ts'
import {
  mailSatisfaction, SATISFACTION_MAIL, sqliteSatisfactionStore, type Linked, type SatisfactionStore
} from './satisfaction/index.ts'
import { MAIL, ticketsOfPersons } from './tickets/index.ts'
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

type FollowUpNeeds = Parameters<typeof followUp>[0]
type MailingNeeds = Parameters<typeof mailSatisfaction>[0]
type ReviewNeeds = Parameters<typeof reviewChanged>[0]

/** Dependencies of what follows a conversation: those of each feature, and how much mail accounts may send. */
type AfterwardsNeeds = Omit<FollowUpNeeds, 'hasConsented'> & Omit<MailingNeeds, 'hasConsented' | 'askedOf'> &
  Omit<ReviewNeeds, 'reviews'> & Pick<Parameters<typeof sqliteSatisfactionStore>[0], 'secrets'> &
  { share: ReturnType<typeof mailShare> }

/** Features that run after a conversation or while it is silent: follow-ups, ratings, answers to check. */
export function openAfterwards (needs: AfterwardsNeeds): {
  satisfaction: SatisfactionStore & { linked (id: string): Promise<Linked | undefined> }, reviews: ReviewStore
} {
  const { business, senders, share } = needs
  followUp({ ...needs, hasConsented })
  const reviews = sqliteReviewStore(needs)
  reviewChanged({ ...needs, reviews })
  const satisfaction = sqliteSatisfactionStore({
    ...needs,
    * asks (owner) {
      return (yield * business.of(owner)).asks_satisfaction
    }
  })
  mailSatisfaction({ ...needs, hasConsented, askedOf: satisfaction.askedOf })
  for (const channel of [MAIL, FOLLOW_UP_MAIL, SATISFACTION_MAIL]) {
    if (senders[channel]) senders[channel] = share(channel, senders[channel])
  }
  return { satisfaction, reviews }
}

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
