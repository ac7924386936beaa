import { useState } from 'preact/hooks'
import type { Conversation } from '../../../../../schema/conversations.ts'
import { api } from '../../api.ts'
import { me } from '../../session.ts'
import { fill, texts } from '../../texts/index.ts'
import { useAction } from '../../ui/action.ts'
import { Button } from '../../ui/button.tsx'
import { Dialog, confirm } from '../../ui/dialog.tsx'
import { Failure } from '../../ui/states.tsx'

/** What can be done with a conversation as it stands: take over, give back, close, take up again. */
export function Actions ({ conversation, personOf, onChanged }: {
  conversation: Conversation, personOf: (user: number) => string, onChanged: (conversation: Conversation) => void
}) {
  const { inbox } = texts.value
  const [isClosing, setClosing] = useState(false)
  const { id, status, handled_by: by, person } = conversation
  const isMine = by === 'person' && person === me.value!.user.id
  const act = useAction(async (verb: string, body: object = {}) => {
    onChanged((await api.post<Conversation>(`/conversations/${id}/${verb}`, body)).data)
    setClosing(false)
  })
  const reopen = useAction(async () => {
    onChanged((await api.patch<Conversation>(`/conversations/${id}`, { status: 'open' })).data)
  })
  const error = act.error ?? reopen.error

  async function takeOver () {
    if (by !== 'person' || person === null) return await act.run('takeover')
    const text = fill(inbox.takeFromText, { name: personOf(person) })
    if (await confirm({ title: inbox.takeFrom, text, verb: inbox.takeOver })) {
      await act.run('takeover', { from: person })
    }
  }

  return (
    <div class='actions'>
      {status !== 'closed' && !isMine && (
        <Button kind={by === 'queue' ? 'main' : 'plain'} busy={act.isBusy} onClick={() => { takeOver() }}>
          {inbox.takeOver}
        </Button>
      )}
      {isMine && status !== 'closed' && (
        <Button busy={act.isBusy} onClick={() => { act.run('release') }}>{inbox.release}</Button>
      )}
      {status === 'closed'
        ? <Button busy={reopen.isBusy} onClick={() => { reopen.run() }}>{inbox.reopen}</Button>
        : <Button busy={act.isBusy} onClick={() => setClosing(true)}>{inbox.close}</Button>}
      {error && !isClosing && <Failure error={error} />}
      {isClosing && (
        <Dialog title={inbox.closeTitle} onClose={() => setClosing(false)}>
          <p>{inbox.closeText}</p>
          {act.error && <Failure error={act.error} />}
          <footer>
            <Button busy={act.isBusy} onClick={() => { act.run('close', { resolved: false }) }}>
              {inbox.closeOpen}
            </Button>
            <Button kind='main' busy={act.isBusy} onClick={() => { act.run('close', { resolved: true }) }}>
              {inbox.closeResolved}
            </Button>
          </footer>
        </Dialog>
      )}
    </div>
  )
}
