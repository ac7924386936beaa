import type { FieldChange, VersionDiff } from '../../../../../schema/versions.ts'
import { useResource } from '../../resource.ts'
import { texts } from '../../texts/index.ts'
import { Loaded } from '../../ui/states.tsx'
import { FIELDS } from '../editor/fields.ts'
import { Line } from './line.tsx'

/** What two versions differ in, field by field, as the server compares them. */
export function Changes ({ agent, from, to }: { agent: number, from: number, to: string }) {
  const diff = useResource<VersionDiff>(`/agents/${agent}/versions/${from}/diff`, { to })
  const { versions } = texts.value
  return (
    <Loaded from={diff} lines={5}>
      {({ changes }) => changes.length === 0
        ? <p class='quiet'>{versions.nothing}</p>
        : <ul class='plain changes'>{changes.map((change) => <Change key={change.field} change={change} />)}</ul>}
    </Loaded>
  )
}

function Change ({ change: { field, from, to, lines } }: { change: FieldChange }) {
  const shown = lines ?? [
    ...(from === undefined ? [] : [{ is: 'removed' as const, text: inWords(from) }]),
    ...(to === undefined ? [] : [{ is: 'added' as const, text: inWords(to) }])
  ]
  return (
    <li>
      <h3>{labelOf(field)}</h3>
      <div class='lines' dir='auto'>
        {shown.map(({ is, text }, at) => <Line key={at} is={is} text={text} />)}
      </div>
    </li>
  )
}

/** What the form calls a field; its name in the interface where the form has none. */
function labelOf (field: string): string {
  const known = FIELDS.find(({ path }) => path === field)
  return known ? texts.value.fields[known.label] : field
}

function inWords (value: unknown): string {
  const { editor, ui } = texts.value
  if (value === true) return editor.on
  if (value === false) return editor.off
  if (value === null || value === '') return ui.none
  if (Array.isArray(value)) return value.length === 0 ? ui.none : value.map(inWords).join('\n')
  return typeof value === 'object' ? JSON.stringify(value, null, 2) : String(value)
}
