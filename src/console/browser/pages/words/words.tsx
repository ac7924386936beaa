import { useLayoutEffect, useRef, useState } from 'preact/hooks'
import { Plus, X } from 'lucide-preact'
import draft from 'schema:agents#VocabularyDraft'
import type { Term, Vocabulary } from '../../../../../schema/agents.ts'
import { api } from '../../api.ts'
import { schemaAt } from '../../forms.ts'
import type { PageProps } from '../page.ts'
import { useResource, type Resource } from '../../resource.ts'
import { may } from '../../session.ts'
import { fill, texts } from '../../texts/index.ts'
import { useAction, type Action } from '../../ui/action.ts'
import { Button, IconButton } from '../../ui/button.tsx'
import { Card } from '../../ui/page.tsx'
import { Empty, Loaded, sentenceOf } from '../../ui/states.tsx'
import { toast } from '../../ui/toast.tsx'
import { useUnsaved } from '../../ui/unsaved.ts'
import { AgentPage } from '../agent/frame.tsx'
import { filled, rowOf, typed, type Row } from './typed.ts'

const { maxItems: MOST_TERMS = Infinity, items = {} } = schemaAt(draft, 'terms')
const LONGEST_TERM = items.properties?.term?.maxLength

/** What words mean in an agent's business: its products, abbreviations and synonyms. */
export default function Words ({ params: { id = '' } }: PageProps) {
  return <AgentPage id={id}>{() => <Kept id={id} />}</AgentPage>
}

function Kept ({ id }: { id: string }) {
  const kept = useResource<Vocabulary>(`/agents/${id}/vocabulary`)
  const [readings, setReadings] = useState(0)
  const reload = async () => {
    await kept.reload()
    setReadings(readings + 1)
  }
  return (
    <Loaded from={kept} lines={6}>
      {({ terms }) => <Terms key={readings} id={id} terms={terms} from={{ ...kept, reload }} />}
    </Loaded>
  )
}

/** The rows, and actions on them. */
function useTerms (id: string, terms: Term[], from: Resource<Vocabulary>) {
  const { ui } = texts.value
  const [rows, setRows] = useState(() => terms.map((term) => rowOf(term)))
  // The server's errors refer to the rows as they were sent.
  const [sent, setSent] = useState<number[]>([])
  const isChanged = JSON.stringify(typed(rows)) !== JSON.stringify(terms)
  const save = useAction(async () => {
    const all = filled(rows)
    setRows(all)
    setSent(all.map((row) => row.id))
    const { data, etag } = await api.put<Vocabulary>(
      `/agents/${id}/vocabulary`, { terms: typed(all) }, from.etag ? { ifMatch: from.etag } : {}
    )
    from.set(data, etag)
    setRows(data.terms.map((term, at) => rowOf(term, all[at]?.id)))
    toast(ui.saved)
  })
  useUnsaved(isChanged)
  return { rows, setRows, sent, isChanged, save }
}

function Terms ({ id, terms, from }: { id: string, terms: Term[], from: Resource<Vocabulary> }) {
  const { words, editor } = texts.value
  const { rows, setRows, sent, isChanged, save } = useTerms(id, terms, from)
  const form = useRef<HTMLFormElement>(null)
  const added = useRef<number | undefined>(undefined)
  const focusAfter = useFocusAfter(form)
  const mayManage = may('MANAGE_AGENTS') || may('MANAGE_AGENT_SETTINGS')
  const add = () => {
    const row = rowOf()
    added.current = row.id
    setRows([...rows, row])
  }
  const isFull = rows.length >= MOST_TERMS
  const addButton = (kind: 'main' | 'plain') => mayManage && (
    <div class='add'><Button kind={kind} icon={Plus} disabled={isFull} onClick={add}>{words.add}</Button></div>
  )
  if (rows.length === 0 && terms.length === 0) {
    return <Empty title={words.empty} text={words.emptyText}>{addButton('main')}</Empty>
  }
  return (
    <form
      ref={form}
      noValidate
      onSubmit={(event) => {
        event.preventDefault()
        if (isChanged) save.run()
      }}
    >
      {!mayManage && <p class='hint'>{editor.readOnly}</p>}
      <Card title={words.title}>
        <p class='quiet'>{words.text}</p>
        <div class='terms'>
          <div class='term heads' aria-hidden='true'><span>{words.term}</span><span>{words.means}</span></div>
          {rows.map((row, at) => (
            <TermRow
              key={row.id}
              at={sent.indexOf(row.id)}
              row={row}
              save={save}
              readOnly={!mayManage}
              isNew={added.current === row.id}
              onChange={(next) => setRows(rows.with(at, next))}
              onRemove={() => {
                focusAfter.current = at
                setRows(rows.toSpliced(at, 1))
              }}
            />
          ))}
        </div>
        {addButton('plain')}
        {isFull && <p class='hint'>{fill(words.full, { n: MOST_TERMS })}</p>}
      </Card>
      {isChanged && <SaveBar save={save} reload={from.reload} />}
    </form>
  )
}

/** Users who remove a row by keyboard continue with the next one; set to the index of the removed row. */
function useFocusAfter (form: { current: HTMLFormElement | null }): { current: number | undefined } {
  const removed = useRef<number | undefined>(undefined)
  useLayoutEffect(() => {
    if (removed.current === undefined) return
    const others = [...form.current?.querySelectorAll<HTMLElement>('.term > button, .add > button') ?? []]
    others[removed.current]?.focus()
    removed.current = undefined
  })
  return removed
}

function SaveBar ({ save, reload }: { save: Action<[]>, reload: () => Promise<void> }) {
  const { words, editor, ui } = texts.value
  const { error } = save
  const isConflict = error?.status === 412
  const failed = error?.details.length ? editor.failedFields : error && sentenceOf(error)
  return (
    <div class='save-bar' role='region' aria-label={editor.saveBar}>
      {error
        ? (
          <p class='error grow' role='alert'>
            {isConflict ? words.conflict : failed}
          </p>
          )
        : <p class='grow'>{ui.unsaved}</p>}
      <Button onClick={() => { reload() }}>{isConflict ? words.theirs : editor.discard}</Button>
      {!isConflict && <Button kind='main' type='submit' busy={save.isBusy}>{ui.save}</Button>}
    </div>
  )
}

function TermRow ({ at, row, save, readOnly, isNew, onChange, onRemove }: {
  at: number
  row: Row
  save: Action<[]>
  readOnly: boolean
  isNew: boolean
  onChange: (row: Row) => void
  onRemove: () => void
}) {
  const { words } = texts.value
  const first = useRef<HTMLInputElement>(null)
  useLayoutEffect(() => { if (isNew) first.current?.focus() }, [])
  const wrong = save.error?.details.find(({ field }) => field.startsWith(`terms[${at}].`))
  const described = wrong ? { 'aria-invalid': 'true' as const, 'aria-describedby': `term-${row.id}-error` } : {}
  const isOfTerm = wrong?.field === `terms[${at}].term`
  const name = row.term || words.newTerm
  return (
    <div class='term' role='group' aria-label={name}>
      <input
        ref={first}
        dir='auto'
        aria-label={words.term}
        placeholder={words.term}
        readOnly={readOnly}
        maxLength={LONGEST_TERM}
        value={row.term}
        {...(isOfTerm && described)}
        onInput={(event) => onChange({ ...row, term: event.currentTarget.value })}
      />
      <input
        dir='auto'
        aria-label={words.means}
        placeholder={words.meansHint}
        readOnly={readOnly}
        value={row.means}
        {...(!isOfTerm && described)}
        onInput={(event) => onChange({ ...row, means: event.currentTarget.value })}
      />
      {!readOnly && <IconButton label={fill(words.remove, { term: name })} icon={X} onClick={onRemove} />}
      {wrong && <p class='error' role='alert' id={`term-${row.id}-error`}>{sentenceAbout(wrong)}</p>}
    </div>
  )
}

/** What is wrong with a term, without the field's path. */
function sentenceAbout ({ field, message }: { field: string, message: string }): string {
  const { words } = texts.value
  if (/\.means/.test(field)) return words.wrongMeans
  return /same term/.test(message) ? words.twice : words.wrongTerm
}
