import { useState } from 'preact/hooks'
import draft from 'schema:people/learning#SuggestionApproval'
import type { Agent } from '../../../../../schema/agents.ts'
import type { Suggestion } from '../../../../../schema/people/learning.ts'
import { api } from '../../api.ts'
import { schemaAt } from '../../forms.ts'
import { useAgents } from '../../people.ts'
import { useResource } from '../../resource.ts'
import { query, replace } from '../../router.ts'
import { may } from '../../session.ts'
import { fill, shownAgo, texts } from '../../texts/index.ts'
import { useAction } from '../../ui/action.ts'
import { Button, LinkButton } from '../../ui/button.tsx'
import { confirm } from '../../ui/dialog.tsx'
import { Field } from '../../ui/field.tsx'
import { Badge, Card, Page } from '../../ui/page.tsx'
import { Empty, Failure, Loaded } from '../../ui/states.tsx'
import { toast } from '../../ui/toast.tsx'
import { draftOf, keepDraft } from '../inbox/drafts.ts'

/** What agents could learn: a person approves it with an answer, or dismisses it. */
export default function Suggestions () {
  const { suggestions, reviews, nav } = texts.value
  const { agents } = useAgents()
  const chosen = agents.find(({ id }) => String(id) === query.value.get('agent')) ?? agents[0]
  return (
    <Page
      title={nav.suggestions}
      actions={
        <>
          {may('REPLY_CONVERSATION') && <LinkButton to='/reviews'>{reviews.title}</LinkButton>}
          {agents.length > 1 && (
            <select
              aria-label={suggestions.agent}
              value={chosen?.id}
              onChange={(event) => replace(`/suggestions?agent=${event.currentTarget.value}`)}
            >
              {agents.map(({ id, name }) => <option key={id} value={id}>{name}</option>)}
            </select>
          )}
        </>
      }
    >
      {chosen ? <Of key={chosen.id} agent={chosen} /> : <Empty title={suggestions.empty} text={suggestions.noAgent} />}
    </Page>
  )
}

function Of ({ agent }: { agent: Agent }) {
  const { suggestions } = texts.value
  const list = useResource<Suggestion[]>(`/agents/${agent.id}/suggestions`)
  if (!agent.behavior.continuousLearning) {
    return (
      <Empty title={suggestions.off} text={fill(suggestions.offText, { name: agent.name })}>
        <LinkButton kind='main' to={`/agents/${agent.id}`}>{suggestions.toAgent}</LinkButton>
      </Empty>
    )
  }
  return (
    <Loaded from={list} lines={6}>
      {(all) =>
        all.length === 0
          ? <Empty title={suggestions.empty} text={suggestions.emptyText} />
          : (
            <div class='stack'>
              {all.map((one) => <One key={one.id} suggestion={one} onSettled={async () => await list.reload()} />)}
            </div>
            )}
    </Loaded>
  )
}

function One ({ suggestion, onSettled }: { suggestion: Suggestion, onSettled: () => Promise<void> }) {
  const { suggestions } = texts.value
  const { id, agent, question: asked, answer: given, kinds, times, last_at: last } = suggestion
  const key = `suggestion:${agent}:${id}`
  const [question, setQuestion] = useState(asked)
  const [answer, setAnswer] = useState(draftOf(key).text || (given ?? ''))
  const at = `/agents/${agent}/suggestions/${id}`
  const approve = useAction(async () => {
    await api.post(`${at}/approve`, { question, answer })
    keepDraft(key, { text: '' })
    toast(suggestions.learnt)
    await onSettled()
  })
  const dismiss = useAction(async () => {
    if (
      !(await confirm({
        title: suggestions.dismissTitle,
        text: fill(suggestions.dismissText, { question: asked }),
        verb: suggestions.dismiss
      }))
    ) { return }
    await api.post(`${at}/dismiss`)
    await onSettled()
  })
  const error = approve.error ?? dismiss.error
  return (
    <Card>
      <form
        aria-label={asked}
        onSubmit={(event) => {
          event.preventDefault()
          approve.run()
        }}
      >
        <p class='row quiet'>
          {kinds.map((kind) => <Badge key={kind}>{suggestions.kinds[kind]}</Badge>)}
          <span>{fill(suggestions.times, { times, last: shownAgo(last) })}</span>
        </p>
        <Field label={suggestions.question} error={approve.errorAt('question')}>
          <input
            required
            dir='auto'
            value={question}
            maxLength={schemaAt(draft, 'question').maxLength}
            onInput={(event) => setQuestion(event.currentTarget.value)}
          />
        </Field>
        <Field
          label={suggestions.answer}
          hint={given === null ? suggestions.nobodyAnswered : suggestions.answerHint}
          error={approve.errorAt('answer')}
        >
          <textarea
            required
            dir='auto'
            value={answer}
            maxLength={schemaAt(draft, 'answer').maxLength}
            onInput={(event) => {
              setAnswer(event.currentTarget.value)
              keepDraft(key, { text: event.currentTarget.value })
            }}
          />
        </Field>
        {error && error.details.length === 0 && <Failure error={error} />}
        <div class='actions'>
          <Button kind='main' type='submit' busy={approve.isBusy}>{suggestions.approve}</Button>
          <Button busy={dismiss.isBusy} onClick={() => { dismiss.run() }}>{suggestions.dismiss}</Button>
        </div>
      </form>
    </Card>
  )
}
