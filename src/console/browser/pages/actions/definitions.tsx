import { useState } from 'preact/hooks'
import type { Action, Connection } from '../../../../../schema/actions.ts'
import { api } from '../../api.ts'
import { useResource } from '../../resource.ts'
import { fill, texts } from '../../texts/index.ts'
import { useAction } from '../../ui/action.ts'
import { Button } from '../../ui/button.tsx'
import { Badge, Card } from '../../ui/page.tsx'
import { Failure, Loaded } from '../../ui/states.tsx'
import { useRemoval } from '../business/removal.ts'
import { ActionDialog } from './action-dialog.tsx'
import { useCome, type Part } from './come.ts'
import { ImportDialog } from './import-dialog.tsx'
import { TryDialog } from './try-dialog.tsx'

type Open = { what: 'new' | 'import' } | { what: 'change' | 'try', action: Action }

/** The actions that agents may perform. */
export function Definitions ({ onCome }: Part) {
  const { acts } = texts.value
  const list = useResource<Action[]>('/actions')
  const connections = useResource<Connection[]>('/connections')
  const [open, setOpen] = useState<Open>()
  const close = () => setOpen(undefined)
  const there = connections.data ?? []
  useCome(onCome, list, connections)
  return (
    <Card
      title={acts.actions}
      actions={(
        <>
          <Button disabled={there.length === 0} onClick={() => setOpen({ what: 'import' })}>{acts.import}</Button>
          <Button kind='main' disabled={there.length === 0} onClick={() => setOpen({ what: 'new' })}>{acts.addAction}</Button>
        </>
      )}
    >
      <p class='quiet'>{connections.data?.length === 0 ? acts.connectFirst : acts.actionsText}</p>
      <Loaded from={list}>
        {(all) => (
          <ul class='list'>
            {all.map((one) => (
              <Entry
                key={one.id} action={one} onOpen={setOpen} onDone={async () => await list.reload()}
                system={there.find(({ id }) => id === one.connection)?.name}
              />
            ))}
          </ul>
        )}
      </Loaded>
      {open && (open.what === 'new' || open.what === 'change') && (
        <ActionDialog
          action={'action' in open ? open.action : undefined}
          connections={there}
          onClose={close}
          onSaved={async () => await list.reload()}
        />
      )}
      {open?.what === 'import' && (
        <ImportDialog connections={there} onClose={close} onMade={async () => await list.reload()} />
      )}
      {open?.what === 'try' && <TryDialog action={open.action} onClose={close} />}
    </Card>
  )
}

function Entry ({ action, system, onOpen, onDone }: {
  action: Action
  /** The name of the connection that an action uses. */
  system: string | undefined
  onOpen: (open: Open) => void
  onDone: () => Promise<void>
}) {
  const { acts, business, ui } = texts.value
  const { id, title, effect, confirm, enabled } = action
  const flip = useAction(async () => {
    await api.patch(`/actions/${id}`, { enabled: !enabled })
    await onDone()
  })
  const remove = useRemoval('/actions', acts.removeActionText, onDone)
  const error = flip.error ?? remove.error
  return (
    <li class='entry'>
      <div class='grow'>
        <strong class='long' dir='auto'>{title}</strong>{' '}
        <Badge tone={enabled ? 'good' : 'plain'}>{enabled ? acts.on : acts.off}</Badge>{' '}
        <Badge tone={effect === 'write' ? 'accent' : 'plain'}>{acts.effects[effect]}</Badge>
        <p class='quiet' dir='auto'>
          {[system, confirm !== 'nobody' && acts.confirms[confirm]].filter(Boolean).join(' · ')}
        </p>
      </div>
      <div class='actions'>
        <Button onClick={() => onOpen({ what: 'try', action })} aria-label={fill(acts.tryOf, { name: title })}>
          {acts.try}
        </Button>
        <Button
          busy={flip.isBusy}
          onClick={() => { flip.run() }}
          aria-label={fill(enabled ? acts.switchOffOf : acts.switchOnOf, { name: title })}
        >
          {enabled ? acts.switchOff : acts.switchOn}
        </Button>
        <Button
          onClick={() => onOpen({ what: 'change', action })}
          aria-label={fill(business.changeOf, { name: title })}
        >
          {ui.edit}
        </Button>
        <Button
          busy={remove.isBusy}
          onClick={() => { remove.run({ id, name: title }) }}
          aria-label={fill(business.removeOf, { name: title })}
        >
          {business.remove}
        </Button>
      </div>
      {error && <Failure error={error} />}
    </li>
  )
}
