import draft from 'schema:access#ApiKeyDraft'
import type { Permission } from '../../../../schema/access.ts'
import { schemaAt } from '../forms.ts'
import { may } from '../session.ts'
import { texts } from '../texts/index.ts'

/** All permissions there are, in their order. */
export const PERMISSIONS = schemaAt(draft, 'permissions').items!.enum as Permission[]

/** Selects permissions; nobody can grant what they do not have. */
export function PermissionChoice ({
  chosen, onChange
}: {
  chosen: readonly Permission[], onChange: (chosen: Permission[]) => void
}) {
  const { team } = texts.value
  return (
    <fieldset class='choices'>
      <legend>{team.permissions}</legend>
      {PERMISSIONS.map((one) => (
        <label key={one} class='row'>
          <input
            type='checkbox'
            checked={chosen.includes(one)}
            disabled={!may(one) && !chosen.includes(one)}
            onChange={({ currentTarget: { checked } }) =>
              onChange(PERMISSIONS.filter((other) => (other === one ? checked : chosen.includes(other))))}
          />
          {team.may[one]}
        </label>
      ))}
    </fieldset>
  )
}
