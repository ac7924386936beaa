import { useState } from 'preact/hooks'
import { X } from 'lucide-preact'
import type { Action as AgentAction } from '../../../../../schema/actions.ts'
import type { Agent } from '../../../../../schema/agents.ts'
import type { Expectation, Question } from '../../../../../schema/checks.ts'
import { api } from '../../api.ts'
import { useResource } from '../../resource.ts'
import { fill, texts } from '../../texts/index.ts'
import { useAction, type Action } from '../../ui/action.ts'
import { Button } from '../../ui/button.tsx'
import { Dialog } from '../../ui/dialog.tsx'
import { Field, Switch } from '../../ui/field.tsx'
import { sentenceOf } from '../../ui/states.tsx'

/** Maximum number of sources offered. */
const MOST_OFFERED = 500

/** The form values of a question. */
interface Typed {
  text: string
  says: string
  never: string
  sources: number[]
  unknown: 'either' | 'yes' | 'no'
  hands: string
  action: string
  /** One per line: `number = 1001`. */
  given: string
  /** By names of actions. */
  recorded: Record<string, string>
  blocking: boolean
  enabled: boolean
}

const yesOrNo = (is: boolean) => is ? 'yes' : 'no'

function typedOf (question: Question | undefined): Typed {
  const {
    says = [], never = [], sources = [], unknown = null, hands_off: hands = null, action = null, arguments: given = null
  } = question?.expect ?? {}
  return {
    text: question?.text ?? '',
    says: says.join('\n'),
    never: never.join('\n'),
    sources: [...sources],
    unknown: unknown === null ? 'either' : yesOrNo(unknown),
    hands: hands ?? '',
    action: action ?? '',
    given: Object.entries(given ?? {}).map(([name, value]) => `${name} = ${value}`).join('\n'),
    recorded: Object.fromEntries((question?.actions ?? []).map(({ name, result }) => [name, result])),
    blocking: question?.blocking ?? true,
    enabled: question?.enabled ?? true
  }
}

const linesOf = (text: string) => [...new Set(text.split('\n').map((line) => line.trim()).filter(Boolean))]

/** `number = 1001` as a name and its value; without an equals sign, the name of an empty value. */
function givenIn (lines: string): Record<string, string> | null {
  const pairs = linesOf(lines).map((line) => {
    const [name = '', ...value] = line.split('=')
    return [name.trim(), value.join('=').trim()]
  })
  return pairs.length > 0 ? Object.fromEntries(pairs) as Record<string, string> : null
}

function bodyOf (typed: Typed) {
  const { text, says, never, sources, unknown, hands, action, given, recorded, blocking, enabled } = typed
  return {
    text,
    actions: Object.entries(recorded).filter(([, result]) => result !== '').map(([name, result]) => ({ name, result })),
    blocking,
    enabled,
    expect: {
      says: linesOf(says),
      never: linesOf(never),
      sources,
      unknown: unknown === 'either' ? null : unknown === 'yes',
      hands_off: hands === '' ? null : hands as Expectation['hands_off'],
      action: action === '' ? null : action,
      arguments: action === '' ? null : givenIn(given)
    }
  }
}

/** Adds or edits a test question. */
export function QuestionForm ({ agent, question, onDone, onClose }: {
  agent: Agent, question: Question | undefined, onDone: () => Promise<void>, onClose: () => void
}) {
  const { checks, ui } = texts.value
  const [typed, setTyped] = useState(() => typedOf(question))
  const set = (more: Partial<Typed>) => setTyped({ ...typed, ...more })
  const save = useAction(async () => {
    const route = `/agents/${agent.id}/questions`
    await (question ? api.patch(`${route}/${question.id}`, bodyOf(typed)) : api.post(route, bodyOf(typed)))
    await onDone()
    onClose()
  })
  return (
    <Dialog wide title={question ? checks.change : checks.add} onClose={onClose}>
      <form
        class='stack'
        noValidate
        onSubmit={(event) => {
          event.preventDefault()
          save.run()
        }}
      >
        <Phrases typed={typed} onChange={set} errorAt={save.errorAt} />
        <Sources agent={agent} chosen={typed.sources} onChange={(sources) => set({ sources })} />
        <Conduct typed={typed} onChange={set} />
        <Acts agent={agent} typed={typed} onChange={set} errorAt={save.errorAt} />
        <Switch
          label={checks.blocking} hint={checks.blockingHint} checked={typed.blocking}
          onChange={(blocking) => set({ blocking })}
        />
        <Switch label={checks.enabled} checked={typed.enabled} onChange={(enabled) => set({ enabled })} />
        {save.error && <p class='error' role='alert'>{save.errorAt('expect') ?? sentenceOf(save.error)}</p>}
        <footer class='actions'>
          <Button onClick={onClose}>{ui.cancel}</Button>
          <Button kind='main' type='submit' busy={save.isBusy}>{ui.save}</Button>
        </footer>
      </form>
    </Dialog>
  )
}

interface PartProps { typed: Typed, onChange: (more: Partial<Typed>) => void }

/** The question, and what an answer must and must not say. */
function Phrases ({ typed, onChange: set, errorAt }: PartProps & Pick<Action<[]>, 'errorAt'>) {
  const { checks } = texts.value
  return (
    <>
      <Field label={checks.text} error={errorAt('text')}>
        <textarea rows={2} dir='auto' value={typed.text} onInput={(event) => set({ text: event.currentTarget.value })} />
      </Field>
      <Field label={checks.says} hint={checks.linesHint} error={errorAt('expect.says')}>
        <textarea rows={2} dir='auto' value={typed.says} onInput={(event) => set({ says: event.currentTarget.value })} />
      </Field>
      <Field label={checks.never} hint={checks.linesHint} error={errorAt('expect.never')}>
        <textarea rows={2} dir='auto' value={typed.never} onInput={(event) => set({ never: event.currentTarget.value })} />
      </Field>
    </>
  )
}

/** What the agent must do. */
function Conduct ({ typed, onChange: set }: PartProps) {
  const { checks } = texts.value
  return (
    <>
      <Field label={checks.unknown}>
        <select value={typed.unknown} onChange={(event) => set({ unknown: event.currentTarget.value as Typed['unknown'] })}>
          <option value='either'>{checks.either}</option>
          <option value='no'>{checks.mustKnow}</option>
          <option value='yes'>{checks.mustNotKnow}</option>
        </select>
      </Field>
      <Field label={checks.hands}>
        <select value={typed.hands} onChange={(event) => set({ hands: event.currentTarget.value })}>
          <option value=''>{checks.either}</option>
          <option value='any'>{checks.handsAny}</option>
          <option value='none'>{checks.handsNone}</option>
          {!['', 'any', 'none'].includes(typed.hands) && <option value={typed.hands}>{typed.hands}</option>}
        </select>
      </Field>
    </>
  )
}

/** Which action the agent must choose, and what its actions return. */
function Acts ({ agent, typed, onChange: set, errorAt }: PartProps & { agent: Agent } & Pick<Action<[]>, 'errorAt'>) {
  const { checks } = texts.value
  const actions = useResource<AgentAction[]>('/actions')
  const own = (actions.data ?? []).filter(({ id }) => agent.behavior.actionIds.includes(id))
  const kept = [...Object.keys(typed.recorded), typed.action].filter(Boolean)
  const names = [...new Set([...own.map(({ name }) => name), ...kept])]
  const titleOf = (name: string) => own.find((one) => one.name === name)?.title ?? name
  if (names.length === 0) return null
  return (
    <>
      <Field label={checks.action}>
        <select value={typed.action} onChange={(event) => set({ action: event.currentTarget.value })}>
          <option value=''>{checks.either}</option>
          {names.map((name) => <option key={name} value={name}>{titleOf(name)}</option>)}
        </select>
      </Field>
      {typed.action !== '' && (
        <Field label={checks.given} hint={checks.givenHint} error={errorAt('expect.arguments')}>
          <textarea rows={2} value={typed.given} onInput={(event) => set({ given: event.currentTarget.value })} />
        </Field>
      )}
      {names.filter((name) => own.some((one) => one.name === name) || typed.recorded[name]).map((name) => (
        <Field key={name} label={fill(checks.recorded, { title: titleOf(name) })} hint={checks.recordedHint}>
          <textarea
            rows={2} dir='auto' value={typed.recorded[name] ?? ''}
            onInput={(event) => set({ recorded: { ...typed.recorded, [name]: event.currentTarget.value } })}
          />
        </Field>
      ))}
    </>
  )
}

/** Which sources an answer must cite. */
function Sources ({ agent, chosen, onChange }: { agent: Agent, chosen: number[], onChange: (ids: number[]) => void }) {
  const { checks } = texts.value
  const all = agent.knowledge_sources
  const nameOf = (id: number) => all.find((source) => source.id === id)?.title ?? fill(checks.sourceGone, { id })
  const offered = all.filter(({ id }) => !chosen.includes(id)).slice(0, MOST_OFFERED)
  return (
    <>
      <Field label={checks.sources}>
        <select
          value=''
          onChange={(event) => {
            onChange([...chosen, Number(event.currentTarget.value)])
            event.currentTarget.value = ''
          }}
        >
          <option value=''>{checks.chooseSource}</option>
          {offered.map(({ id, title }) => <option key={id} value={id}>{title}</option>)}
        </select>
      </Field>
      {chosen.length > 0 && (
        <ul class='plain chips'>
          {chosen.map((id) => (
            <li key={id}>
              <Button icon={X} onClick={() => onChange(chosen.filter((one) => one !== id))}>
                <span class='hidden'>{checks.without} </span>{nameOf(id)}
              </Button>
            </li>
          ))}
        </ul>
      )}
    </>
  )
}
