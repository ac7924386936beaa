import { useState } from 'preact/hooks'
import type { NewWebhook, Webhook } from '../../../../../schema/webhooks.ts'
import { api } from '../../api.ts'
import { useResource } from '../../resource.ts'
import { linkTo } from '../../router.ts'
import { fill, texts } from '../../texts/index.ts'
import { useAction } from '../../ui/action.ts'
import { Button } from '../../ui/button.tsx'
import { Dialog, confirm } from '../../ui/dialog.tsx'
import { Badge, Card } from '../../ui/page.tsx'
import { Secret } from '../../ui/secret.tsx'
import { Failure, Loaded } from '../../ui/states.tsx'
import { toast } from '../../ui/toast.tsx'
import { useRemoval } from './removal.ts'
import { WebhookDialog } from './webhook-dialog.tsx'

/** Webhooks: where other systems are notified of events. */
export function Webhooks () {
  const { business, ui } = texts.value
  const list = useResource<Webhook[]>('/webhooks')
  const [open, setOpen] = useState<Webhook | 'new'>()
  const [secret, setSecret] = useState<string>()

  async function saved (made?: NewWebhook) {
    if (made) setSecret(made.secret)
    await list.reload()
  }

  return (
    <Card
      title={business.webhooks}
      actions={
        <Button kind='main' onClick={() => setOpen('new')}>{business.addWebhook}</Button>
      }
    >
      <p class='quiet'>{business.webhooksText} <a href={linkTo('/deliveries')}>{texts.value.deliveries.title}</a></p>
      <Loaded from={list}>
        {(all) => (
          <ul class='list'>
            {all.map((one) => (
              <Entry
                key={one.id}
                webhook={one}
                onChange={() => setOpen(one)}
                onSecret={setSecret}
                onRemoved={async () => await list.reload()}
              />
            ))}
          </ul>
        )}
      </Loaded>
      {open && (
        <WebhookDialog webhook={open === 'new' ? undefined : open} onClose={() => setOpen(undefined)} onSaved={saved} />
      )}
      {secret && (
        <Dialog title={business.signingSecret} onClose={() => setSecret(undefined)}>
          <Secret label={business.signingSecret} value={secret} hint={business.signingHint} />
          <footer><Button kind='main' onClick={() => setSecret(undefined)}>{ui.close}</Button></footer>
        </Dialog>
      )}
    </Card>
  )
}

function Entry ({ webhook, onChange, onSecret, onRemoved }: {
  webhook: Webhook, onChange: () => void, onSecret: (secret: string) => void, onRemoved: () => Promise<void>
}) {
  const { business, ui } = texts.value
  const { id, url, description, events, is_active: isActive } = webhook
  const name = description || url
  const test = useAction(async () => {
    await api.post(`/webhooks/${id}/test`)
    toast(business.testSent)
  })
  const rotate = useAction(async () => {
    if (!await confirm({ title: business.rotateTitle, text: business.rotateText, verb: business.rotate })) return
    onSecret((await api.post<NewWebhook>(`/webhooks/${id}/rotate`)).data.secret)
  })
  const remove = useRemoval('/webhooks', business.removeWebhookText, onRemoved)
  const error = test.error ?? rotate.error ?? remove.error
  return (
    <li class='entry'>
      <div class='grow'>
        <strong class='long' dir='auto'>{name}</strong>{' '}
        {!isActive && <Badge>{business.paused}</Badge>}
        {description && <p class='quiet code'>{url}</p>}
        <p class='quiet'>{events.map((one) => business.events[one]).join(', ')}</p>
      </div>
      <div class='actions'>
        <Button busy={test.isBusy} onClick={() => { test.run() }}>{business.test}</Button>
        <Button busy={rotate.isBusy} onClick={() => { rotate.run() }}>{business.rotate}</Button>
        <Button onClick={onChange} aria-label={fill(business.changeOf, { name })}>{ui.edit}</Button>
        <Button
          busy={remove.isBusy}
          onClick={() => { remove.run({ id, name }) }}
          aria-label={fill(business.removeOf, { name })}
        >
          {business.remove}
        </Button>
      </div>
      {error && <Failure error={error} />}
    </li>
  )
}
