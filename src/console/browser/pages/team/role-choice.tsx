import draft from 'schema:team#InvitationDraft'
import type { Permission } from '../../../../../schema/access.ts'
import { schemaAt } from '../../forms.ts'
import { texts } from '../../texts/index.ts'
import { Field } from '../../ui/field.tsx'
import { PermissionChoice } from '../../ui/permissions.tsx'

export type Role = 'owner' | 'manager' | 'editor' | 'expert' | 'viewer'
export const ROLES = schemaAt(draft, 'role').enum as Role[]

/** Permissions to grant: by the name of a role, or individually. */
export interface Grant { role: Role | 'custom', permissions: Permission[] }

/** The same in the form that requests take. */
export const sentGrant = ({ role, permissions }: Grant) => role === 'custom' ? { permissions } : { role }

/** Selects a role, or individual permissions. */
export function RoleChoice ({
  grant, onChange, error
}: {
  grant: Grant, onChange: (grant: Grant) => void, error: string | undefined
}) {
  const { team } = texts.value
  return (
    <>
      <Field label={team.role} hint={team.roleHints[grant.role]} error={error}>
        <select
          value={grant.role}
          onChange={(event) => onChange({ ...grant, role: event.currentTarget.value as Grant['role'] })}
        >
          {[...ROLES, 'custom' as const].map((one) => <option key={one} value={one}>{team.roles[one]}</option>)}
        </select>
      </Field>
      {grant.role === 'custom' && (
        <PermissionChoice chosen={grant.permissions} onChange={(permissions) => onChange({ ...grant, permissions })} />
      )}
    </>
  )
}
