import type { Conversations } from '../conversations/index.ts'
import type { Kernel } from '../kernel/index.ts'
import { reviewChanged } from './changed.ts'
import type { ReviewStore } from './store.ts'
import { sqliteReviewStore } from './store.sqlite.ts'

/** Opens reviews: answers are recorded for them from now on, those too whose source has changed since. */
export function openReviews (kernel: Kernel, { conversations }: { conversations: Pick<Conversations, 'store'> }): ReviewStore {
  const reviews = sqliteReviewStore(kernel)
  reviewChanged({ ...kernel, conversations, reviews })
  return reviews
}
