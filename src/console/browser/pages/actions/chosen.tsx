import type { Action } from '../../../../../schema/actions.ts'
import { useResource } from '../../resource.ts'
import { linkTo } from '../../router.ts'
import { texts } from '../../texts/index.ts'
import { Loaded } from '../../ui/states.tsx'

/** Selects which actions an agent may perform. */
export function ChosenActions ({ label, hint, chosen, error, disabled, onChange }: {
  label: string
  hint: string | undefined
  chosen: number[]
  error: string | undefined
  disabled: boolean
  onChange: (chosen: number[]) => void
}) {
  const { acts, nav } = texts.value
  const list = useResource<Action[]>('/actions')
  return (
    <fieldset class='full choices' disabled={disabled}>
      <legend>{label}</legend>
      {hint && <p class='hint'>{hint}</p>}
      <Loaded from={list} lines={1}>
        {(all) => (
          <>
            {all.map(({ id, title, enabled }) => (
              <label key={id} class='row'>
                <input
                  type='checkbox'
                  checked={chosen.includes(id)}
                  onChange={({ currentTarget: { checked } }) =>
                    onChange(checked ? [...chosen, id] : chosen.filter((one) => one !== id))}
                />
                <span dir='auto'>{title}{!enabled && ` (${acts.off})`}</span>
              </label>
            ))}
            {all.length === 0 && <p class='hint'>{acts.noActions}</p>}
          </>
        )}
      </Loaded>
      {error && <p class='error'>{error}</p>}
      <a href={linkTo('/actions')}>{nav.actions}</a>
    </fieldset>
  )
}
