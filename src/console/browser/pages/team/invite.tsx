import { useState } from 'preact/hooks'
import type { NewInvitation } from '../../../../../schema/team.ts'
import { api } from '../../api.ts'
import { fill, shownTime, texts } from '../../texts/index.ts'
import { useAction } from '../../ui/action.ts'
import { Button } from '../../ui/button.tsx'
import { Dialog } from '../../ui/dialog.tsx'
import { Field } from '../../ui/field.tsx'
import { Secret } from '../../ui/secret.tsx'
import { Failure } from '../../ui/states.tsx'
import { RoleChoice, sentGrant, type Grant } from './role-choice.tsx'

/** Invites somebody; the link is shown only once. */
export function Invite ({ onClose, onInvited }: { onClose: () => void, onInvited: () => void }) {
  const { team, ui } = texts.value
  const [email, setEmail] = useState('')
  const [grant, setGrant] = useState<Grant>({ role: 'expert', permissions: ['REPLY_CONVERSATION'] })
  const [made, setMade] = useState<NewInvitation>()
  const invite = useAction(async () => {
    const { data } = await api.post<NewInvitation>('/invitations', { ...(email && { email }), ...sentGrant(grant) })
    setMade(data)
    onInvited()
  })
  if (made) {
    return (
      <Dialog title={team.invited} onClose={onClose}>
        <p>{made.mailed ? team.mailed : team.handOver}</p>
        <Secret label={team.link} value={made.link} hint={fill(team.linkHint, { time: shownTime(made.expires_at) })} />
        <footer><Button kind='main' onClick={onClose}>{ui.close}</Button></footer>
      </Dialog>
    )
  }
  return (
    <Dialog title={team.invite} onClose={onClose}>
      <form onSubmit={(event) => {
        event.preventDefault()
        invite.run()
      }}
      >
        <Field label={team.email} hint={team.emailHint} error={invite.errorAt('email')}>
          <input type='email' value={email} maxLength={254} onInput={(event) => setEmail(event.currentTarget.value)} />
        </Field>
        <RoleChoice grant={grant} onChange={setGrant} error={invite.errorAt('role') ?? invite.errorAt('permissions')} />
        {invite.error && invite.error.details.length === 0 && <Failure error={invite.error} />}
        <footer class='actions'>
          <Button onClick={onClose}>{ui.cancel}</Button>
          <Button kind='main' type='submit' busy={invite.isBusy}>{team.makeLink}</Button>
        </footer>
      </form>
    </Dialog>
  )
}
