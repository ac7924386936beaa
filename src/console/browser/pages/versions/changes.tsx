import type { ComponentChildren } from 'preact'
import type { Action } from '../../../../../schema/actions.ts'
import type { DiffLine, FieldChange, VersionDiff } from '../../../../../schema/versions.ts'
import { readers, useResource, useResourceOf } from '../../resource.ts'
import { labelled, languageCalled, shownNumber, texts } from '../../texts/index.ts'
import { Loaded } from '../../ui/states.tsx'
import { choiceCalled, FIELDS, kindCalled } from '../editor/fields.ts'
import { Line } from './line.tsx'

/** The differences between two versions, field by field, as computed by the server. */
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

/** The field of an agent's guard rules. */
const RULES = 'behavior.guardRules'

function Change ({ change }: { change: FieldChange }) {
  const { field, lines } = change
  if (field === RULES) return <Rules change={change} />
  if (field === ACTIONS) return <Actions change={change} />
  return (
    <Titled field={field}>
      <Lines field={field} all={lines ?? bothLines(change, (value) => inWords(value, saidOf(field)))} />
    </Titled>
  )
}

/** The values before and after, each in words. */
function bothLines ({ from, to }: FieldChange, say: (value: unknown) => string): DiffLine[] {
  return [
    ...(from === undefined ? [] : [{ is: 'removed' as const, text: say(from) }]),
    ...(to === undefined ? [] : [{ is: 'added' as const, text: say(to) }])
  ]
}

/** The field of the actions that an agent may perform. */
const ACTIONS = 'behavior.actionIds'

/** Changed actions, by their titles. */
function Actions ({ change }: { change: FieldChange }) {
  const list = useResource<Action[]>('/actions')
  const { acts } = texts.value
  return (
    <Titled field={change.field}>
      <Loaded from={list} lines={2}>
        {(all) => {
          const titles = new Map(all.map(({ id, title }) => [String(id), title]))
          const say = (id: string) => titles.get(id) ?? acts.actionGone
          return <Lines field={change.field} all={bothLines(change, (ids) => inWords(ids, say))} />
        }}
      </Loaded>
    </Titled>
  )
}

/** Changed guard rules. What they are called loads only with them. */
function Rules ({ change: { field, from, to } }: { change: FieldChange }) {
  const words = useResourceOf(readRules, 'rules in words')
  return (
    <Titled field={field}>
      <Loaded from={words} lines={2}>{(say) => <Lines field={field} all={say?.ruleLines(from, to) ?? []} />}</Loaded>
    </Titled>
  )
}

const readRules = async () => ({ data: await readers.rules?.(), message: '', etag: undefined, rest: {} })

function Titled ({ field, children }: { field: string, children: ComponentChildren }) {
  return <li><h3>{labelOf(field)}</h3>{children}</li>
}

/** It scrolls if it is long, hence it can have the focus. */
function Lines ({ field, all }: { field: string, all: DiffLine[] }) {
  return (
    <div class='lines' dir='auto' role='region' aria-label={labelOf(field)} tabIndex={0}>
      {all.map(({ is, text }, at) => <Line key={at} is={is} text={text} />)}
    </div>
  )
}

/** A field's label in the form; its name in the API if it has none. */
function labelOf (field: string): string {
  const { fields, rules } = texts.value
  if (field === RULES) return rules.title
  const known = FIELDS.find(({ path }) => path === field)
  if (known) return fields[known.label]
  const [group, language, ...name] = field.split('.')
  if (group !== 'translations' || language === undefined) return field
  return [fields.translations, languageCalled(language), ...name.map(translated)].join(' · ')
}

/** The label of a text that may have translations. */
function translated (name: string): string {
  const known = FIELDS.find(({ path }) => path.endsWith(`.${name}`))
  return known ? texts.value.fields[known.label] : name
}

/** What values of a field are called; a text that the field takes as it is stays as it is. */
function saidOf (field: string): (value: string) => string {
  const as = FIELDS.find(({ path }) => path === field)?.as
  if (as === 'choice') return choiceCalled
  return as === 'kind' ? kindCalled : asIs
}

const asIs = (value: string) => value

function inWords (value: unknown, say: (value: string) => string): string {
  const { editor, ui } = texts.value
  if (value === true) return editor.on
  if (value === false) return editor.off
  if (value === null || value === '') return ui.none
  const all = (one: unknown) => inWords(one, say)
  if (Array.isArray(value)) return value.length === 0 ? ui.none : value.map(all).join('\n')
  if (typeof value === 'number') return say === asIs ? shownNumber(value) : say(String(value))
  if (typeof value !== 'object') return say(String(value))
  return Object.entries(value ?? {}).map(([name, one]) => labelled(translated(name), all(one))).join('\n')
}
