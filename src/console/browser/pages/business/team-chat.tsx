import { useState } from 'preact/hooks'
import type { Business } from '../../../../../schema/business.ts'
import { api } from '../../api.ts'
import type { Resource } from '../../resource.ts'
import { fill, texts } from '../../texts/index.ts'
import { useAction } from '../../ui/action.ts'
import { Button } from '../../ui/button.tsx'
import { confirm } from '../../ui/dialog.tsx'
import { Field } from '../../ui/field.tsx'
import { Card } from '../../ui/page.tsx'
import { Failure } from '../../ui/states.tsx'
import { toast } from '../../ui/toast.tsx'

/** Where notifications to the team's chat go; the address is stored encrypted, so only its host is shown. */
export function TeamChat ({ business }: { business: Resource<Business> }) {
  const { business: words, ui } = texts.value
  const [url, setUrl] = useState('')
  const host = business.data!.team_chat_host
  const save = useAction(async (address: string | null) => {
    business.set((await api.put<Business>('/business', { team_chat_url: address })).data)
    setUrl('')
    toast(ui.saved)
  })
  async function remove () {
    if (await confirm({ title: words.removeChat, text: words.removeChatText, verb: words.remove })) await save.run(null)
  }
  return (
    <Card title={words.teamChat}>
      <p class='quiet'>{host ? fill(words.chatAt, { host }) : words.noChat}</p>
      <form
        onSubmit={(event) => {
          event.preventDefault()
          save.run(url)
        }}
      >
        <Field label={words.chatUrl} hint={words.chatHint} error={save.errorAt('team_chat_url')}>
          <input
            type='url'
            required
            value={url}
            maxLength={2048}
            autocomplete='off'
            onInput={(event) => setUrl(event.currentTarget.value)}
          />
        </Field>
        {save.error && save.error.details.length === 0 && <Failure error={save.error} />}
        <div class='actions'>
          <Button type='submit' busy={save.isBusy}>{ui.save}</Button>
          {host && <Button busy={save.isBusy} onClick={() => { remove() }}>{words.remove}</Button>}
        </div>
      </form>
    </Card>
  )
}
