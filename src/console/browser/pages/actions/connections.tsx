import { useState } from 'preact/hooks'
import type { Connection, ConnectionTried } from '../../../../../schema/actions.ts'
import { api } from '../../api.ts'
import { useResource } from '../../resource.ts'
import { fill, texts } from '../../texts/index.ts'
import { useAction } from '../../ui/action.ts'
import { Button } from '../../ui/button.tsx'
import { Badge, Card } from '../../ui/page.tsx'
import { Failure, Loaded } from '../../ui/states.tsx'
import { toast } from '../../ui/toast.tsx'
import { useRemoval } from '../business/removal.ts'
import { useCome, type Part } from './come.ts'
import { ConnectionDialog } from './connection-dialog.tsx'
import { callFailed } from './failed.ts'

/** Systems that agents act in. */
export function Connections ({ onCome }: Part) {
  const { acts } = texts.value
  const list = useResource<Connection[]>('/connections')
  const [open, setOpen] = useState<Connection | 'new'>()
  useCome(onCome, list)
  return (
    <Card
      title={acts.connections}
      actions={
        <Button onClick={() => setOpen('new')}>{acts.addConnection}</Button>
      }
    >
      <p class='quiet'>{acts.connectionsText}</p>
      <Loaded from={list}>
        {(all) => (
          <ul class='list'>
            {all.map((one) => (
              <Entry
                key={one.id}
                one={one}
                onChange={() => setOpen(one)}
                onDone={async () => await list.reload()}
              />
            ))}
          </ul>
        )}
      </Loaded>
      {open && (
        <ConnectionDialog
          connection={open === 'new' ? undefined : open}
          onClose={() => setOpen(undefined)}
          onSaved={async () => await list.reload()}
        />
      )}
    </Card>
  )
}

function Entry ({ one, onChange, onDone }: { one: Connection, onChange: () => void, onDone: () => Promise<void> }) {
  const { acts, business, ui } = texts.value
  const { id, name, base_url: url, last_error: error, last_error_code: code } = one
  const test = useAction(async () => {
    const { data } = await api.post<ConnectionTried>(`/connections/${id}/test`)
    toast(data.ok ? acts.answers : callFailed({ error: data.message, code: data.error_code }))
    await onDone()
  })
  const remove = useRemoval('/connections', acts.removeConnectionText, onDone)
  const failure = test.error ?? remove.error
  return (
    <li class='entry'>
      <div class='grow'>
        <strong class='long' dir='auto'>{name}</strong>{' '}
        {error && <Badge tone='bad'>{acts.down}</Badge>}
        <p class='quiet code'>{url}</p>
        {error && <p class='quiet'>{callFailed({ error, code })}</p>}
      </div>
      <div class='actions'>
        <Button busy={test.isBusy} onClick={() => { test.run() }} aria-label={fill(acts.tryOf, { name })}>
          {acts.try}
        </Button>
        <Button onClick={onChange} aria-label={fill(business.changeOf, { name })}>{ui.edit}</Button>
        <Button
          busy={remove.isBusy}
          onClick={() => { remove.run({ id, name }) }}
          aria-label={fill(business.removeOf, { name })}
        >
          {business.remove}
        </Button>
      </div>
      {failure && <Failure error={failure} />}
    </li>
  )
}
