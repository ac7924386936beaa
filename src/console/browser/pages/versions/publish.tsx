import { useState } from 'preact/hooks'
import type { Agent } from '../../../../../schema/agents.ts'
import type { Version } from '../../../../../schema/versions.ts'
import { api } from '../../api.ts'
import type { Resource } from '../../resource.ts'
import { may } from '../../session.ts'
import { fill, texts } from '../../texts/index.ts'
import { useAction } from '../../ui/action.ts'
import { Button } from '../../ui/button.tsx'
import { Dialog } from '../../ui/dialog.tsx'
import { Field } from '../../ui/field.tsx'
import { sentenceOf } from '../../ui/states.tsx'
import { toast } from '../../ui/toast.tsx'
import { Changes } from './changes.tsx'

/** Says on every page of an agent that its draft is not what visitors get, and publishes it. */
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

function Publish ({ agent, from, onClose }: { agent: Agent, from: Resource<Agent>, onClose: () => void }) {
  const { versions, ui } = texts.value
  const [note, setNote] = useState('')
  // What was looked at, and nothing else, is published.
  const [{ id, draft_etag: draft, live_version: live }] = useState(agent)
  const publish = useAction(async () => {
    const { data } = await api.post<Version>(`/agents/${id}/publish`, { note, if_draft: draft })
    await from.reload()
    toast(fill(texts.value.versions.published, { n: data.number }))
    onClose()
  })
  const mayPublish = may('MANAGE_AGENTS')
  return (
    <Dialog wide title={versions.reviewTitle} onClose={onClose}>
      <Changes agent={id} from={live} to='draft' />
      {mayPublish && (
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
          <footer class='actions'>
            <Button onClick={onClose}>{ui.cancel}</Button>
            <Button kind='main' type='submit' busy={publish.isBusy}>{versions.publish}</Button>
          </footer>
        </form>
      )}
    </Dialog>
  )
}
