import { useState } from 'preact/hooks'
import type { Agent } from '../../../../../schema/agents.ts'
import type { Business } from '../../../../../schema/business.ts'
import { api } from '../../api.ts'
import { useResourceOf } from '../../resource.ts'
import { go } from '../../router.ts'
import { may } from '../../session.ts'
import { fill, texts } from '../../texts/index.ts'
import { useAction } from '../../ui/action.ts'
import { Button } from '../../ui/button.tsx'
import { Dialog } from '../../ui/dialog.tsx'
import { Field } from '../../ui/field.tsx'
import { sentenceOf } from '../../ui/states.tsx'

/** Temperature: shops answer with facts. */
const FOR_FACTS = 0.3

/** The name of the business, also the initial name of a new agent. Empty if not set. */
function useShop (): string {
  const business = useResourceOf<Pick<Business, 'name'>>(
    async () => may('CONFIGURE_BUSINESS')
      ? await api.get<Business>('/business')
      : { data: { name: '' }, message: '', etag: undefined, rest: {} },
    'shop'
  )
  return business.data?.name ?? ''
}

/** Creates an agent from a name and its purpose, with a widget key, and opens the page where it is taught. */
export function NewAgent ({ onClose }: { onClose: () => void }) {
  const { agents: say, ui } = texts.value
  const [typedName, setName] = useState<string>()
  const [typedPrompt, setPrompt] = useState<string>()
  const shop = useShop()
  const name = typedName ?? shop
  const systemPrompt = typedPrompt ?? (shop && fill(say.taskFor, { shop }))
  const create = useAction(async () => {
    const { data: { id } } = await api.post<Agent>('/agents', {
      name, systemPrompt, appearance: { chatbotName: name }, model: { temperature: FOR_FACTS }
    })
    // Without a key there is no preview. If it cannot be created now, the preview offers to create it.
    await api.post(`/agents/${id}/widget_keys`, { name }).catch(() => {})
    go(`/agents/${id}/knowledge`)
  })
  return (
    <Dialog title={say.add} onClose={onClose}>
      <form
        onSubmit={(event) => {
          event.preventDefault()
          create.run()
        }}
      >
        <Field label={say.name} hint={say.nameHint} error={create.errorAt('name')}>
          <input
            required
            maxLength={200}
            autofocus
            value={name}
            onInput={(event) => setName(event.currentTarget.value)}
          />
        </Field>
        <Field label={say.task} hint={say.taskHint} error={create.errorAt('systemPrompt')}>
          <textarea
            required
            rows={5}
            placeholder={say.taskExample}
            value={systemPrompt}
            onInput={(event) => setPrompt(event.currentTarget.value)}
          />
        </Field>
        {create.error && create.error.details.length === 0 && (
          <p class='error' role='alert'>{sentenceOf(create.error)}</p>
        )}
        <div class='actions end'>
          <Button onClick={onClose}>{ui.cancel}</Button>
          <Button kind='main' type='submit' busy={create.isBusy}>{say.create}</Button>
        </div>
      </form>
    </Dialog>
  )
}
