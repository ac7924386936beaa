import { useState } from 'preact/hooks'
import type { Review, Verdict } from '../../../../../schema/people/reviews.ts'
import { api } from '../../api.ts'
import { useListing } from '../../listing.ts'
import { useAgents } from '../../people.ts'
import { linkTo } from '../../router.ts'
import { may } from '../../session.ts'
import { fill, shownAgo, texts } from '../../texts/index.ts'
import { useAction } from '../../ui/action.ts'
import { Button, LinkButton } from '../../ui/button.tsx'
import { Markdown } from '../../ui/markdown.tsx'
import { More } from '../../ui/more.tsx'
import { Badge, Card, Page } from '../../ui/page.tsx'
import { Empty, Failure, Loaded } from '../../ui/states.tsx'
import { AsQuestion } from '../questions/of-message.tsx'
import { toast } from '../../ui/toast.tsx'

const VERDICTS: Verdict[] = ['right', 'wrong', 'incomplete']

/** Risky answers: a person judges them and fixes the cause. */
export default function Reviews () {
  const { reviews, nav } = texts.value
  const list = useListing<Review>('/reviews')
  const { nameOf } = useAgents()
  return (
    <Page
      title={reviews.title}
      actions={may('MANAGE_KNOWLEDGE_BASE') && <LinkButton to='/suggestions'>{nav.suggestions}</LinkButton>}
    >
      <p class='quiet'>{reviews.text}</p>
      <Loaded from={list.first} lines={8}>
        {() => list.items.length === 0
          ? <Empty title={reviews.empty} text={reviews.emptyText} />
          : (
            <div class='stack'>
              {list.items.map((one) => <One key={one.id} review={one} agent={nameOf(one.agent)} />)}
            </div>
            )}
      </Loaded>
      <More more={list.more} />
    </Page>
  )
}

/** One of them. Once judged it stays, with the available follow-up actions. */
function One ({ review, agent }: { review: Review, agent: string }) {
  const { reviews, inbox } = texts.value
  const { question, answer, reason, conversation, created_at: at } = review
  const [verdict, setVerdict] = useState(review.verdict)
  const judge = useAction(async (wanted: Verdict) => {
    await api.put(`/reviews/${review.id}`, { verdict: wanted })
    setVerdict(wanted)
    toast(reviews.judged)
  })
  return (
    <Card>
      <p class='row quiet'>
        <Badge tone={reason === 'disliked' ? 'bad' : 'plain'}>{reviews.reasons[reason]}</Badge>
        <span><bdi>{agent}</bdi> · {shownAgo(at)}</span>
        <a href={linkTo(`/inbox/${conversation}`)}>{reviews.conversation}</a>
      </p>
      <p class='plain' dir='auto'><strong>{question || inbox.noSubject}</strong></p>
      <Markdown text={answer} />
      <Sources review={review} />
      <div class='actions' role='group' aria-label={fill(reviews.isIt, { question })}>
        {VERDICTS.map((one) => (
          <Button
            key={one} class={one === verdict ? 'pressed' : ''} aria-pressed={one === verdict} busy={judge.isBusy}
            onClick={() => { judge.run(one) }}
          >
            {reviews.verdicts[one]}
          </Button>
        ))}
      </div>
      {judge.error && <Failure error={judge.error} />}
      {verdict && <Next review={review} verdict={verdict} />}
    </Card>
  )
}

/** The cited sources, each linked to where it can be edited. */
function Sources ({ review: { agent, citations } }: { review: Review }) {
  const { reviews } = texts.value
  const named = [...new Map(citations.map((one) => [one.source, one.title]))]
  if (named.length === 0) return <p class='hint'>{reviews.noSource}</p>
  return (
    <p class='hint'>
      {reviews.sources}{' '}
      {named.map(([source, title], i) => (
        <span key={source}>
          {i > 0 && ' · '}
          <a href={linkTo(`/agents/${agent}/knowledge?source=${source}`)} dir='auto'>{title}</a>
        </span>
      ))}
    </p>
  )
}

/** The result of a verdict: a test question, so that it stays or becomes right; wrong ones also become suggestions. */
function Next ({ review: { agent, conversation, message: id }, verdict }: { review: Review, verdict: Verdict }) {
  const { reviews } = texts.value
  return (
    <div class='actions'>
      <AsQuestion message={{ id, conversation, role: 'agent', status: 'complete' }} />
      {verdict !== 'right' && may('MANAGE_KNOWLEDGE_BASE') && (
        <LinkButton kind='quiet' to={`/suggestions?agent=${agent}`}>{reviews.toSuggestion}</LinkButton>
      )}
    </div>
  )
}
