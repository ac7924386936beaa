import { useState } from 'preact/hooks'
import type { Duty } from '../../../../../schema/handoff.ts'
import type { Member } from '../../../../../schema/team.ts'
import { api } from '../../api.ts'
import { useResource } from '../../resource.ts'
import { fill, texts } from '../../texts/index.ts'
import { useAction } from '../../ui/action.ts'
import { FormDialog } from '../../ui/dialog.tsx'
import { Field } from '../../ui/field.tsx'
import { toast } from '../../ui/toast.tsx'
import { capacityIn } from '../../own/capacity.ts'
import { RoleChoice, sentGrant, type Grant } from './role-choice.tsx'

/** Changes what a member may do, and how many conversations they take at once. */
export function ChangeMember ({
  member, onClose, onChanged
}: {
  member: Member, onClose: () => void, onChanged: () => Promise<void>
}) {
  const { team, inbox, ui } = texts.value
  const [grant, setGrant] = useState<Grant>({ role: member.role, permissions: member.permissions })
  const duty = useResource<Duty>(`/members/${member.id}/duty`)
  const [typed, setTyped] = useState<string>()
  const capacity = typed === undefined ? undefined : capacityIn(typed)
  const save = useAction(async () => {
    await api.patch(`/members/${member.id}`, sentGrant(grant))
    if (capacity !== undefined) await api.put(`/members/${member.id}/capacity`, { capacity })
    toast(ui.saved)
    await onChanged()
    onClose()
  })
  return (
    <FormDialog title={fill(team.changeTitle, { name: member.user.name })} action={save} onClose={onClose}>
      <RoleChoice grant={grant} onChange={setGrant} error={save.errorAt('role') ?? save.errorAt('permissions')} />
      {member.permissions.includes('REPLY_CONVERSATION') && duty.data && (
        <Field label={inbox.capacity} error={save.errorAt('capacity')}>
          <input
            inputMode='numeric' maxLength={3} placeholder='∞' value={typed ?? duty.data.capacity ?? ''}
            onInput={(event) => setTyped(event.currentTarget.value.replaceAll(/\D/g, ''))}
          />
        </Field>
      )}
    </FormDialog>
  )
}
