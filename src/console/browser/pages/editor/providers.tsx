import { useState } from 'preact/hooks'
import type { ModelProvider } from '../../../../../schema/models.ts'
import type { TicketingProvider } from '../../../../../schema/tickets.ts'
import { useResource } from '../../resource.ts'
import { linkTo } from '../../router.ts'
import { may } from '../../session.ts'
import { fill, texts } from '../../texts/index.ts'
import { Loaded } from '../../ui/states.tsx'

interface ChoiceProps {
  label: string, chosen: string[], error: string | undefined, disabled: boolean, onChange: (chosen: string[]) => void
}

/** Chooses among the account's ticket systems. Who may not see what there is sees what is chosen. */
export function TicketSystems (props: ChoiceProps) {
  return may('CONFIGURE_BUSINESS') ? <Offered {...props} /> : <Systems {...props} there={props.chosen} disabled />
}

function Offered (props: ChoiceProps) {
  const list = useResource<TicketingProvider[]>('/ticketing_providers')
  return <Loaded from={list} lines={1}>{(all) => <Systems {...props} there={all.map(({ name }) => name)} />}</Loaded>
}

/** The first that is chosen is the one that tickets go to, unless another is said. */
function Systems ({ label, chosen, error, disabled, onChange, there }: ChoiceProps & { there: string[] }) {
  const { editor, business } = texts.value
  // What is gone can be chosen once more, until the page is left.
  const [gone] = useState(() => chosen.filter((name) => !there.includes(name)))
  const all = [...new Set([...there, ...gone, ...chosen])]
  return (
    <fieldset class='full choices' disabled={disabled}>
      <legend>{label}</legend>
      {all.map((name) => (
        <label key={name} class='row'>
          <input
            type='checkbox'
            checked={chosen.includes(name)}
            onChange={({ currentTarget: { checked } }) =>
              onChange(checked ? [...chosen, name] : chosen.filter((one) => one !== name))}
          />
          <span dir='auto'>{there.includes(name) ? name : fill(editor.systemGone, { name })}</span>
        </label>
      ))}
      {all.length === 0 && <p class='hint'>{editor.noSystem}</p>}
      {error && <p class='error'>{error}</p>}
      {may('CONFIGURE_BUSINESS') && <a href={linkTo('/business/ticketing')}>{business.ticketing}</a>}
    </fieldset>
  )
}

/** Chooses the one among them that tickets go to first; the rest is what Field gives its control. */
export function DefaultSystem ({ value, among, onChange, ...given }: {
  value: string | null, among: string[], disabled: boolean, onChange: (value: string | null) => void
}) {
  return (
    <select {...given} value={value ?? ''} onChange={(event) => onChange(event.currentTarget.value || null)}>
      <option value=''>{texts.value.ui.none}</option>
      {among.map((name) => <option key={name} value={name}>{name}</option>)}
    </select>
  )
}

/** The names of models that the account's own providers have; patterns are none. */
export function OwnModels ({ id }: { id: string }) {
  const list = useResource<ModelProvider[]>('/model_providers')
  const names = new Set(list.data?.flatMap(({ models }) => models).filter((name) => !name.includes('*')))
  return <datalist id={id}>{[...names].map((name) => <option key={name} value={name} />)}</datalist>
}
