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

/** Selects among the account's ticket systems. Users who may not list them see the selected ones. */
export function TicketSystems (props: ChoiceProps) {
  return may('CONFIGURE_BUSINESS') ? <Offered {...props} /> : <Systems {...props} there={props.chosen} disabled />
}

function Offered (props: ChoiceProps) {
  const list = useResource<TicketingProvider[]>('/ticketing_providers')
  return <Loaded from={list} lines={1}>{(all) => <Systems {...props} there={all.map(({ name }) => name)} />}</Loaded>
}

/** The first one selected becomes the default for tickets, unless another is set. */
function Systems ({ label, chosen, error, disabled, onChange, there }: ChoiceProps & { there: string[] }) {
  const { editor, business } = texts.value
  // Selected systems that no longer exist stay selectable until the page is left.
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

/** Selects the default among them; the other props are those that Field passes to its control. */
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

/** The model names of the account's own providers, without patterns. */
export function OwnModels ({ id }: { id: string }) {
  const list = useResource<ModelProvider[]>('/model_providers')
  const names = new Set(list.data?.flatMap(({ models }) => models).filter((name) => !name.includes('*')))
  return <datalist id={id}>{[...names].map((name) => <option key={name} value={name} />)}</datalist>
}
