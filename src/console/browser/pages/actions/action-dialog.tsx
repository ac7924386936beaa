import { useState } from 'preact/hooks'
import type { Action, Confirm, Connection, Effect } from '../../../../../schema/actions.ts'
import { api } from '../../api.ts'
import { labelled, texts } from '../../texts/index.ts'
import { useAction } from '../../ui/action.ts'
import { FormDialog } from '../../ui/dialog.tsx'
import { Field, Switch } from '../../ui/field.tsx'
import { Line } from './line.tsx'
import { Parameters } from './parameters.tsx'

const METHODS = ['GET', 'POST', 'PUT', 'PATCH', 'DELETE'] as const

/** The form values of an action; lists as texts. */
function formOf (action: Action | undefined, connections: readonly Connection[]) {
  return {
    connection: action?.connection ?? connections[0]?.id ?? 0,
    name: action?.name ?? '',
    title: action?.title ?? '',
    when: action?.when ?? '',
    effect: action?.effect ?? 'read' as Effect,
    method: action?.method ?? 'GET' as Action['method'],
    path: action?.path ?? '/',
    parameters: action?.parameters ?? [],
    pick: action?.result.pick.join('\n') ?? '',
    confirm: action?.confirm ?? 'nobody' as Confirm,
    needs_verified: action?.needs_verified ?? false,
    as_form: action?.as_form ?? false,
    button: action?.button ?? '',
    lookup: action?.lookup ?? ''
  }
}

/** Creates or edits an action. */
export function ActionDialog ({ action, connections, onClose, onSaved }: {
  action: Action | undefined, connections: readonly Connection[], onClose: () => void, onSaved: () => Promise<void>
}) {
  const { acts } = texts.value
  const [form, setForm] = useState(() => formOf(action, connections))
  const set = (change: Partial<typeof form>) => setForm({ ...form, ...change })
  const save = useAction(async () => {
    const { connection, name, pick, lookup, ...rest } = form
    const result = { pick: pick.split('\n').map((line) => line.trim()).filter(Boolean) }
    const body = { ...rest, result, lookup: lookup || null }
    await (action ? api.patch(`/actions/${action.id}`, body) : api.post('/actions', { connection, name, ...body }))
    onClose()
    await onSaved()
  })
  const others = save.error?.details.filter(({ field }) => /^parameters|^result|^limits/.test(field)) ?? []
  return (
    <FormDialog title={action?.title ?? acts.addAction} action={save} onClose={onClose}>
      {action
        ? <p class='quiet'>{labelled(acts.actionName, '')}<span class='code'>{action.name}</span></p>
        : <Place form={form} connections={connections} set={set} errorAt={save.errorAt} />}
      <What form={form} set={set} errorAt={save.errorAt} />
      <Parameters value={form.parameters} onChange={(parameters) => set({ parameters })} />
      <Rules form={form} set={set} errorAt={save.errorAt} />
      {others.map(({ field, message }) => <p key={field} class='error'>{message}</p>)}
    </FormDialog>
  )
}

interface PartProps {
  form: ReturnType<typeof formOf>
  set: (change: Partial<ReturnType<typeof formOf>>) => void
  errorAt: (field: string) => string | undefined
}

function Place ({ form, connections, set, errorAt }: PartProps & { connections: readonly Connection[] }) {
  const { acts } = texts.value
  return (
    <>
      <Field label={acts.connection} error={errorAt('connection')}>
        <select
          value={String(form.connection)}
          onChange={(event) => set({ connection: Number(event.currentTarget.value) })}
        >
          {connections.map(({ id, name }) => <option key={id} value={id}>{name}</option>)}
        </select>
      </Field>
      <Line
        label={acts.actionName}
        hint={acts.actionNameHint}
        error={errorAt('name')}
        value={form.name}
        most={48}
        required
        onChange={(name) => set({ name })}
      />
    </>
  )
}

function What ({ form, set, errorAt }: PartProps) {
  const { acts } = texts.value
  return (
    <>
      <Line
        label={acts.title}
        hint={acts.titleHint}
        error={errorAt('title')}
        value={form.title}
        most={80}
        required
        onChange={(title) => set({ title })}
      />
      <Line
        label={acts.when}
        error={errorAt('when')}
        value={form.when}
        most={1000}
        rows={2}
        onChange={(when) => set({ when })}
      />
      <Field label={acts.effect} hint={acts.effectHint} error={errorAt('effect')}>
        <select value={form.effect} onChange={(event) => set({ effect: event.currentTarget.value as Effect })}>
          {(['read', 'write'] as const).map((one) => <option key={one} value={one}>{acts.effects[one]}</option>)}
        </select>
      </Field>
      <Field label={acts.method} error={errorAt('method')}>
        <select
          value={form.method}
          onChange={(event) => set({ method: event.currentTarget.value as Action['method'] })}
        >
          {METHODS.map((one) => <option key={one}>{one}</option>)}
        </select>
      </Field>
      <Line
        label={acts.path}
        hint={acts.pathHint}
        error={errorAt('path')}
        value={form.path}
        most={500}
        required
        onChange={(path) => set({ path })}
      />
    </>
  )
}

function Rules ({ form, set, errorAt }: PartProps) {
  const { acts } = texts.value
  return (
    <>
      <Line label={acts.pick} hint={acts.pickHint} value={form.pick} rows={2} onChange={(pick) => set({ pick })} />
      <Field label={acts.confirm} error={errorAt('confirm')}>
        <select value={form.confirm} onChange={(event) => set({ confirm: event.currentTarget.value as Confirm })}>
          {(['nobody', 'visitor', 'person'] as const).map((one) => (
            <option key={one} value={one}>{acts.confirms[one]}</option>
          ))}
        </select>
      </Field>
      <Line
        label={acts.lookup}
        hint={acts.lookupHint}
        error={errorAt('lookup')}
        value={form.lookup}
        most={500}
        placeholder='/requests/{key}'
        onChange={(lookup) => set({ lookup })}
      />
      <Switch
        label={acts.needsVerified}
        checked={form.needs_verified}
        onChange={(checked) => set({ needs_verified: checked })}
      />
      <Switch label={acts.asForm} checked={form.as_form} onChange={(checked) => set({ as_form: checked })} />
      {form.as_form && (
        <Line
          label={acts.button}
          hint={acts.buttonHint}
          error={errorAt('button')}
          value={form.button}
          most={80}
          onChange={(button) => set({ button })}
        />
      )}
    </>
  )
}
