import type { ComponentProps } from 'preact'
import { useState } from 'preact/hooks'
import type { Agent } from '../../../../../schema/agents.ts'
import type { Version } from '../../../../../schema/versions.ts'
import { api, isRefused } from '../../api.ts'
import type { Resource } from '../../resource.ts'
import { may } from '../../session.ts'
import { fill, texts } from '../../texts/index.ts'
import { useAction } from '../../ui/action.ts'
import { Button } from '../../ui/button.tsx'
import { Dialog } from '../../ui/dialog.tsx'
import { Field } from '../../ui/field.tsx'
import { sentenceOf } from '../../ui/states.tsx'
import { toast } from '../../ui/toast.tsx'
import { Failed } from '../questions/results.tsx'
import { Changes } from './changes.tsx'

type FailedQuestions = ComponentProps<typeof Failed>['results']

/** Shows on every page of an agent that its draft differs from the live version, and publishes it. */
export function PublishBar ({ agent, from }: { agent: Agent, from: Resource<Agent> }) {
  const { versions } = texts.value
  const [isOpen, setOpen] = useState(false)
  if (!agent.has_unpublished && !isOpen) return null
  return (
    <div class='publish-bar' role='region' aria-label={versions.draft}>
      <p class='grow'>{fill(versions.unpublished, { n: agent.live_version })}</p>
      <Button onClick={() => setOpen(true)}>{may('MANAGE_AGENTS') ? versions.review : versions.compare}</Button>
      {isOpen && <Publish agent={agent} from={from} onClose={() => setOpen(false)} />}
    </div>
  )
}

/** Publishes exactly the version viewed; `failed`: test questions that block it. */
function usePublishing ({ id, draft_etag: draft }: Agent, from: Resource<Agent>, onDone: () => void) {
  const [note, setNote] = useState('')
  const [reason, setReason] = useState('')
  const [failed, setFailed] = useState<FailedQuestions>([])
  const publish = useAction(async () => {
    const body = { note, if_draft: draft, ...(failed.length > 0 && { force: true, reason }) }
    const { data } = await api.post<Version>(`/agents/${id}/publish`, body).catch((error: unknown) => {
      // They stay during a retry.
      if (isRefused(error) && error.code === 'questions_failed') setFailed(error.fields.questions as FailedQuestions)
      throw error
    })
    await from.reload()
    toast(fill(texts.value.versions.published, { n: data.number }))
    onDone()
  })
  return { note, setNote, reason, setReason, failed, publish }
}

function Publish ({ agent, from, onClose }: { agent: Agent, from: Resource<Agent>, onClose: () => void }) {
  const { versions, ui } = texts.value
  const [looked] = useState(agent)
  const { note, setNote, reason, setReason, failed, publish } = usePublishing(looked, from, onClose)
  const isFailed = failed.length > 0
  return (
    <Dialog wide title={versions.reviewTitle} onClose={onClose}>
      <Changes agent={looked.id} from={looked.live_version} to='draft' />
      {may('MANAGE_AGENTS') && (
        <form
          class='stack'
          onSubmit={(event) => {
            event.preventDefault()
            publish.run()
          }}
        >
          <Field label={versions.note} hint={versions.noteHint}>
            <input value={note} maxLength={2000} dir='auto' onInput={(event) => setNote(event.currentTarget.value)} />
          </Field>
          {publish.error && (
            <p class='error' role='alert'>
              {publish.error.status === 412 ? versions.moved : sentenceOf(publish.error)}
            </p>
          )}
          {isFailed && <Failed results={failed} />}
          {isFailed && (
            <Field label={versions.reason} hint={versions.reasonHint}>
              <input
                required value={reason} maxLength={2000} dir='auto'
                onInput={(event) => setReason(event.currentTarget.value)}
              />
            </Field>
          )}
          <footer class='actions'>
            <Button onClick={onClose}>{ui.cancel}</Button>
            <Button kind={isFailed ? 'bad' : 'main'} type='submit' busy={publish.isBusy}>
              {isFailed ? versions.force : versions.publish}
            </Button>
          </footer>
        </form>
      )}
    </Dialog>
  )
}
