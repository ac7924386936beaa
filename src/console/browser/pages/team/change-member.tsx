import { useState } from 'preact/hooks'
import type { Member } from '../../../../../schema/team.ts'
import { api } from '../../api.ts'
import { fill, texts } from '../../texts/index.ts'
import { useAction } from '../../ui/action.ts'
import { FormDialog } from '../../ui/dialog.tsx'
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
    <FormDialog title={fill(team.changeTitle, { name: member.user.name })} action={save} onClose={onClose}>
      <RoleChoice grant={grant} onChange={setGrant} error={save.errorAt('role') ?? save.errorAt('permissions')} />
    </FormDialog>
  )
}
