import { useState } from 'preact/hooks'
import type { Member } from '../../../../../schema/team.ts'
import { api } from '../../api.ts'
import { fill, texts } from '../../texts/index.ts'
import { useAction } from '../../ui/action.ts'
import { Button } from '../../ui/button.tsx'
import { Dialog } from '../../ui/dialog.tsx'
import { Failure } from '../../ui/states.tsx'
import { toast } from '../../ui/toast.tsx'
import { RoleChoice, sentGrant, type Grant } from './role-choice.tsx'

/** Changes what a member may do. */
export function ChangeMember ({
  member, onClose, onChanged
}: {
  member: Member, onClose: () => void, onChanged: () => Promise<void>
}) {
  const { team, ui } = texts.value
  const [grant, setGrant] = useState<Grant>({ role: member.role, permissions: member.permissions })
  const save = useAction(async () => {
    await api.patch(`/members/${member.id}`, sentGrant(grant))
    toast(ui.saved)
    await onChanged()
    onClose()
  })
  return (
    <Dialog title={fill(team.changeTitle, { name: member.user.name })} onClose={onClose}>
      <form
        onSubmit={(event) => {
          event.preventDefault()
          save.run()
        }}
      >
        <RoleChoice grant={grant} onChange={setGrant} error={save.errorAt('role') ?? save.errorAt('permissions')} />
        {save.error && save.error.details.length === 0 && <Failure error={save.error} />}
        <footer class='actions'>
          <Button onClick={onClose}>{ui.cancel}</Button>
          <Button kind='main' type='submit' busy={save.isBusy}>{ui.save}</Button>
        </footer>
      </form>
    </Dialog>
  )
}
