import { useEffect, useLayoutEffect, useState } from 'preact/hooks'
import type { Agent } from '../../../../../schema/agents.ts'
import { api, isRefused } from '../../api.ts'
import { changes, valueAt } from '../../forms.ts'
import type { PageProps } from '../page.ts'
import { query, replace } from '../../router.ts'
import { may } from '../../session.ts'
import { texts } from '../../texts/index.ts'
import { useAction } from '../../ui/action.ts'
import { Button } from '../../ui/button.tsx'
import { Card } from '../../ui/page.tsx'
import { sentenceOf, Skeleton } from '../../ui/states.tsx'
import { toast } from '../../ui/toast.tsx'
import { useUnsaved } from '../../ui/unsaved.ts'
import { AgentPage } from '../agent/frame.tsx'
import { Conflict } from './conflict.tsx'
import { Control } from './control.tsx'
import { DeleteAgent } from './delete.tsx'
import { GROUPS, type FieldOf } from './fields.ts'
import { KeptInCode, useKept } from './kept-in-code.tsx'
import { settingsOf, tidied, withSetting, type Settings } from './merge.ts'
import { Preview } from './preview.tsx'

/** The settings of an agent, with a preview of the widget. */
export default function Editor ({ params: { id = '' } }: PageProps) {
  return (
    <AgentPage id={id} wide>
      {(agent, { etag, set }) => <WithFiles agent={agent} etag={etag} onSaved={set} />}
    </AgentPage>
  )
}

/** The edited settings: the initial values, the current ones, and the version they are based on. */
interface Edited { base: Settings, now: Settings, etag: string | undefined }

interface FormProps { agent: Agent, etag: string | undefined, onSaved: (agent: Agent, etag?: string) => void }

/** The form, once it is known whether files manage the agent, so that nothing moves afterwards. */
function WithFiles (props: FormProps) {
  const kept = useKept(props.agent.id)
  return kept === undefined ? <Skeleton lines={8} /> : <Form {...props} kept={kept} />
}

function Form ({ agent, etag, onSaved, kept }: FormProps & { kept: NonNullable<ReturnType<typeof useKept>> | null }) {
  const [{ base, now, etag: basedOn }, setEdited] = useState<Edited>(() => ({
    base: settingsOf(agent), now: settingsOf(agent), etag
  }))
  const [theirs, setTheirs] = useState<{ agent: Agent, etag: string | undefined }>()
  const isAllowed = may('MANAGE_AGENTS') || may('MANAGE_AGENT_SETTINGS')
  const mayEdit = isAllowed && !kept?.is_locked
  const isDirty = Object.keys(changes(base, now)).length > 0

  const save = useAction(async (from: Edited = { base, now, etag: basedOn }) => {
    const change = changes(from.base, tidied(from.now))
    try {
      const saved = await api.put<Agent>(
        `/agents/${agent.id}`, change, from.etag === undefined ? {} : { ifMatch: from.etag }
      )
      const settings = settingsOf(saved.data)
      // What was typed during the save stays.
      setEdited(({ now: typed }) => ({
        base: settings, now: typed === from.now || typed === now ? settings : typed, etag: saved.etag
      }))
      setTheirs(undefined)
      onSaved(saved.data, saved.etag)
      toast(texts.value.ui.saved)
    } catch (error) {
      if (!isRefused(error) || error.status !== 412) throw error
      const fresh = await api.get<Agent>(`/agents/${agent.id}`)
      setTheirs({ agent: fresh.data, etag: fresh.etag })
    }
  })

  useSaveKey(() => {
    if (isDirty && !theirs) save.run()
  })
  useUnsaved(isDirty)
  return (
    <div class='editor'>
      <form
        noValidate
        onSubmit={(event) => {
          event.preventDefault()
          if (isDirty) save.run()
        }}
      >
        {!isAllowed && <p class='hint'>{texts.value.editor.readOnly}</p>}
        {kept && <KeptInCode {...kept} />}
        <Groups
          now={now}
          disabled={!mayEdit}
          errors={save.error?.details ?? []}
          onChange={(path, value) => setEdited((edited) => ({ ...edited, now: withSetting(edited.now, path, value) }))}
        />
        {may('MANAGE_AGENTS') && !kept?.is_locked && <DeleteAgent agent={agent} />}
        {isDirty && <SaveBar save={save} onDiscard={() => setEdited({ base, now: base, etag: basedOn })} />}
      </form>
      <Preview id={agent.id} settings={now} />
      {theirs && (
        <Conflict
          base={base}
          mine={now}
          theirs={settingsOf(theirs.agent)}
          save={save}
          onClose={() => setTheirs(undefined)}
          onChosen={(chosen) => { save.run({ base: settingsOf(theirs.agent), now: chosen, etag: theirs.etag }) }}
        />
      )}
    </div>
  )
}

/** Saves on the usual keyboard shortcut. */
function useSaveKey (save: () => void) {
  // A layout effect: the shortcut may follow the last letter before the page is painted.
  useLayoutEffect(() => {
    function press (event: KeyboardEvent) {
      if (event.key.toLowerCase() !== 's' || !(event.metaKey || event.ctrlKey) || event.altKey) return
      event.preventDefault()
      save()
    }
    addEventListener('keydown', press)
    return () => removeEventListener('keydown', press)
  })
}

type Errors = Array<{ field: string, message: string }>

/** What is wrong with a field, or with a line of it. */
function errorOf (errors: Errors, { path }: FieldOf): string | undefined {
  return errors.find(({ field }) => field === path || field.startsWith(`${path}[`) || field.startsWith(`${path}.`))
    ?.message
}

/** Whether a field applies: the one it depends on is on. Lists and numbers are on if not empty. */
function isThere ({ within }: FieldOf, now: Settings): boolean {
  const on = within === undefined || valueAt(now, within)
  return Array.isArray(on) ? on.length > 0 : Boolean(on)
}

function Groups ({
  now, disabled, errors, onChange
}: {
  now: Settings, disabled: boolean, errors: Errors, onChange: (path: string, value: unknown) => void
}) {
  const { editor } = texts.value
  const isWrong = (fields: FieldOf[]) => fields.some((field) => errorOf(errors, field))
  const chosen = query.value.get('part') ?? 'general'
  const shown = GROUPS.find(({ name }) => name === chosen) ?? GROUPS[0]!
  useEffect(() => {
    const wrong = GROUPS.find(({ fields }) => isWrong(fields))
    if (wrong && !isWrong(shown.fields)) open(wrong.name)
  }, [errors])

  function open (name: string) {
    replace(`${location.hash.slice(1).split('?')[0]}?part=${name}`)
  }

  return (
    <div class='parts'>
      <div class='chips' role='group' aria-label={editor.groups}>
        {GROUPS.map(({ name, fields }) => (
          <button type='button' key={name} class='chip' aria-pressed={name === shown.name} onClick={() => open(name)}>
            {editor.group[name]}
            {isWrong(fields) && <span class='error'> •</span>}
          </button>
        ))}
      </div>
      <Card title={editor.group[shown.name]}>
        <div class='fields'>
          {shown.fields.filter((field) => isThere(field, now) || errorOf(errors, field)).map((field) => (
            <Control
              key={field.path}
              field={field}
              value={valueAt(now, field.path)}
              error={errorOf(errors, field)}
              disabled={disabled}
              systems={now['ticketing_providers'] as string[]}
              onChange={(value) => onChange(field.path, value)}
            />
          ))}
        </div>
      </Card>
    </div>
  )
}

function SaveBar ({ save, onDiscard }: { save: ReturnType<typeof useAction<[]>>, onDiscard: () => void }) {
  const { editor, ui } = texts.value
  const { error } = save
  return (
    <div class='save-bar' role='region' aria-label={editor.saveBar}>
      {error
        ? <p class='error grow' role='alert'>{error.details.length > 0 ? editor.failedFields : sentenceOf(error)}</p>
        : <p class='grow'>{ui.unsaved}</p>}
      <Button onClick={onDiscard}>{editor.discard}</Button>
      <Button kind='main' type='submit' busy={save.isBusy}>{ui.save}</Button>
    </div>
  )
}
