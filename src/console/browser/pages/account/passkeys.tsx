import { useState } from 'preact/hooks'
import { KeyRound } from 'lucide-preact'
import type { Passkey } from '../../../../../schema/sign-in.ts'
import { api } from '../../api.ts'
import { addPasskey, hasPasskeys } from '../../passkeys.ts'
import { useResource } from '../../resource.ts'
import { fill, labelled, shownAgo, texts } from '../../texts/index.ts'
import { useAction } from '../../ui/action.ts'
import { Button } from '../../ui/button.tsx'
import { confirm } from '../../ui/dialog.tsx'
import { Field } from '../../ui/field.tsx'
import { Card } from '../../ui/page.tsx'
import { Failure, Loaded } from '../../ui/states.tsx'

/** Passkeys: list, add one for this device, remove. */
export function Passkeys () {
  const { account } = texts.value
  const list = useResource<Passkey[]>('/me/passkeys')
  const [name, setName] = useState('')
  const add = useAction(async () => {
    if (!await addPasskey(name || account.passkeyName)) return
    setName('')
    await list.reload()
  })
  const remove = useAction(async (passkey: Passkey) => {
    if (
      !(await confirm({
        title: fill(account.removePasskey, { name: passkey.name }),
        text: account.removePasskeyText,
        verb: account.remove
      }))
    ) { return }
    await api.delete(`/me/passkeys/${passkey.id}`)
    await list.reload()
  })
  const error = add.error ?? remove.error
  return (
    <Card title={account.passkeys}>
      <p class='quiet'>{hasPasskeys() ? account.passkeysText : account.noPasskeys}</p>
      <Loaded from={list}>
        {(all) =>
          all.length === 0
            ? <></>
            : (
              <ul class='list'>
                {all.map((one) => (
                  <li key={one.id} class='entry'>
                    <div class='grow'>
                      <strong dir='auto'>{one.name}</strong>
                      <p class='quiet'>
                        {one.last_used_at
                          ? fill(account.used, { time: shownAgo(one.last_used_at) })
                          : account.neverUsed}
                      </p>
                    </div>
                    <Button
                      busy={remove.isBusy} onClick={() => { remove.run(one) }}
                      aria-label={labelled(account.remove, one.name)}
                    >
                      {account.remove}
                    </Button>
                  </li>
                ))}
              </ul>
              )}
      </Loaded>
      {error && <Failure error={error} />}
      {hasPasskeys() && list.data && (
        <form
          onSubmit={(event) => {
            event.preventDefault()
            add.run()
          }}
        >
          <Field label={account.passkeyLabel}>
            <input
              value={name}
              maxLength={200}
              placeholder={account.passkeyName}
              onInput={(event) => setName(event.currentTarget.value)}
            />
          </Field>
          <div class='actions'>
            <Button type='submit' icon={KeyRound} busy={add.isBusy}>{account.addPasskey}</Button>
          </div>
        </form>
      )}
    </Card>
  )
}
