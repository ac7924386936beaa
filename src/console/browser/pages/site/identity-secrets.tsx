import { useState } from 'preact/hooks'
import { Plus, Trash2 } from 'lucide-preact'
import type { NewIdentitySecret, WidgetKey } from '../../../../../schema/widget.ts'
import { api } from '../../api.ts'
import { fill, shownTime, texts } from '../../texts/index.ts'
import { useAction } from '../../ui/action.ts'
import { Button, IconButton } from '../../ui/button.tsx'
import { confirm } from '../../ui/dialog.tsx'
import { Secret } from '../../ui/secret.tsx'
import { Failure } from '../../ui/states.tsx'

/** Secrets with which the business's server signs visitors' identities: two at most, to allow rotation. */
export function IdentitySecrets ({ at, secrets, reload }: {
  at: string, secrets: WidgetKey['identity_secrets'], reload: () => Promise<void>
}) {
  const { site } = texts.value
  const [made, setMade] = useState<NewIdentitySecret>()
  const add = useAction(async () => {
    setMade((await api.post<NewIdentitySecret>(at, {})).data)
    await reload()
  })
  const remove = useAction(async (id: number) => {
    const { identityDeleteTitle: title, identityDeleteText: text, identityDelete: verb } = site
    if (!await confirm({ title, text, verb })) return
    await api.delete(`${at}/${id}`)
    if (made?.id === id) setMade(undefined)
    await reload()
  })
  const error = add.error ?? remove.error
  return (
    <div class='field'>
      <span>{site.identity}</span>
      <p class='hint'>{site.identityText}</p>
      {secrets.length > 0 && (
        <ul class='list'>
          {secrets.map(({ id, created_at: at }) => (
            <li key={id} class='entry'>
              <span class='grow'>{fill(site.identityMade, { time: shownTime(at) })}</span>
              <IconButton label={site.identityDelete} icon={Trash2} onClick={() => { remove.run(id) }} />
            </li>
          ))}
        </ul>
      )}
      {made && <Secret label={site.identityOne} value={made.secret} hint={site.identityShown} />}
      {error && <Failure error={error} />}
      {secrets.length < 2 && (
        <div><Button icon={Plus} busy={add.isBusy} onClick={() => { add.run() }}>{site.identityAdd}</Button></div>
      )}
    </div>
  )
}
