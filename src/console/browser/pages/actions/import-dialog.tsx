import { useState } from 'preact/hooks'
import type { Connection, PlannedAction } from '../../../../../schema/actions.ts'
import { api } from '../../api.ts'
import { fill, texts } from '../../texts/index.ts'
import { useAction } from '../../ui/action.ts'
import { Button } from '../../ui/button.tsx'
import { Dialog } from '../../ui/dialog.tsx'
import { Field } from '../../ui/field.tsx'
import { Failure } from '../../ui/states.tsx'
import { toast } from '../../ui/toast.tsx'

/** Previews the actions a document or an MCP server's tools would become, and creates those selected. */
export function ImportDialog ({ connections, onClose, onMade }: {
  connections: readonly Connection[], onClose: () => void, onMade: () => Promise<void>
}) {
  const { acts, ui } = texts.value
  const [connection, setConnection] = useState(connections[0]!.id)
  const [document, setDocument] = useState('')
  const [plan, setPlan] = useState<PlannedAction[]>()
  const [chosen, setChosen] = useState<string[]>([])
  const isMcp = connections.find(({ id }) => id === connection)?.kind === 'mcp'
  const asked = { connection, ...(!isMcp && { openapi: document }) }
  const read = useAction(async () => {
    const { data } = await api.post<PlannedAction[]>('/actions/import', asked)
    setPlan(data)
    setChosen(data.filter((one) => one.can_import).map(({ key }) => key))
  })
  const make = useAction(async () => {
    const { data } = await api.post<PlannedAction[]>('/actions/import', { ...asked, operations: chosen })
    toast(fill(acts.made, { n: data.filter(({ action }) => action !== null).length }))
    onClose()
    await onMade()
  })
  const error = read.error ?? make.error
  return (
    <Dialog title={acts.import} onClose={onClose}>
      <form
        onSubmit={(event) => {
          event.preventDefault()
          plan ? make.run() : read.run()
        }}
      >
        <Field label={acts.connection}>
          <select
            value={String(connection)}
            onChange={(event) => { setConnection(Number(event.currentTarget.value)); setPlan(undefined) }}
          >
            {connections.map(({ id, name }) => <option key={id} value={id}>{name}</option>)}
          </select>
        </Field>
        {!isMcp && !plan && (
          <Field label={acts.document} hint={acts.documentHint} error={read.errorAt('openapi')}>
            <textarea rows={8} required value={document} onInput={(event) => setDocument(event.currentTarget.value)} />
          </Field>
        )}
        {plan && <Plan plan={plan} chosen={chosen} onChange={setChosen} />}
        {error && !read.errorAt('openapi') && <Failure error={error} />}
        <footer class='actions'>
          <Button onClick={onClose}>{ui.cancel}</Button>
          <Button
            kind='main'
            type='submit'
            busy={read.isBusy || make.isBusy}
            disabled={plan !== undefined && chosen.length === 0}
          >
            {plan ? acts.makeThese : acts.readDocument}
          </Button>
        </footer>
      </form>
    </Dialog>
  )
}

function Plan ({ plan, chosen, onChange }: {
  plan: PlannedAction[], chosen: string[], onChange: (chosen: string[]) => void
}) {
  const { acts } = texts.value
  return (
    <fieldset class='choices'>
      <legend>{acts.operations}</legend>
      {plan.map(({ key, title, can_import: can, notes }) => (
        <div key={key}>
          <label class='row'>
            <input
              type='checkbox'
              disabled={!can}
              checked={chosen.includes(key)}
              onChange={({ currentTarget: { checked } }) =>
                onChange(checked ? [...chosen, key] : chosen.filter((one) => one !== key))}
            />
            <span><code>{key}</code> {title !== key && title}</span>
          </label>
          {notes.map((note) => <p key={note} class='hint'>{note}</p>)}
        </div>
      ))}
      {plan.length === 0 && <p class='hint'>{acts.nothing}</p>}
    </fieldset>
  )
}
